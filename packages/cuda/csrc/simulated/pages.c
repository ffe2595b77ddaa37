/* Virtual memory: ranges of addresses without memory, memory without addresses, and mappings of one to the other. */

#define _GNU_SOURCE
#include "simulated.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PINNED_TYPE = 1, ON_DEVICE = 1, READ_WRITE = 3 };

struct pages { /* memory without an address: a part of the file */
    int64_t handle; /* 0 once released; mappings keep the memory */
    int mappings, device;
    uint64_t offset, nbytes;
};

static struct gaps ranges;           /* of addresses */
static struct gaps parts;            /* of the file */
static struct gap *reserved;         /* ranges that programs have */
static size_t reserved_count;
static int file = -1;
#define FILE_BYTES ((uint64_t)1 << 40) /* sparse */

static int is_large(uint64_t number)
{
    return number && number % LARGE_PAGE == 0;
}

int simulated_cuMemGetAllocationGranularity(size_t *nbytes, const struct memory_properties *properties, int option)
{
    ENTER(cuMemGetAllocationGranularity);
    if (!nbytes || !properties || (option != 0 && option != 1) || properties->type != PINNED_TYPE ||
        properties->location.type != ON_DEVICE)
        return INVALID_VALUE;
    *nbytes = LARGE_PAGE;
    return SUCCESS;
}

int simulated_cuMemAddressReserve(uint64_t *address, size_t nbytes, size_t alignment, uint64_t wanted,
                                  unsigned long long flags)
{
    ENTER(cuMemAddressReserve);
    if (!address || !is_large(nbytes) || flags || (alignment & (alignment - 1)))
        return INVALID_VALUE;
    struct gap *grown = realloc(reserved, (reserved_count + 1) * sizeof *grown);
    if (!grown)
        return OUT_OF_MEMORY;
    reserved = grown;
    if (!ranges.room)
        TRY(gaps_give(&ranges, FIRST_ADDRESS, FIRST_ADDRESS + AREA));
    const uint64_t start = gaps_take(&ranges, nbytes, alignment > LARGE_PAGE ? alignment : LARGE_PAGE);
    if (!start)
        return OUT_OF_MEMORY;
    reserved[reserved_count++] = (struct gap){start, start + nbytes};
    *address = start;
    return SUCCESS;
}

/* Whether memory is mapped anywhere in a range. */
static int has_mappings(uint64_t address, size_t nbytes)
{
    for (uint64_t page = address; page < address + nbytes; page += LARGE_PAGE)
        if (region_at(page))
            return 1;
    return 0;
}

int simulated_cuMemAddressFree(uint64_t address, size_t nbytes)
{
    ENTER(cuMemAddressFree);
    for (size_t i = 0; i < reserved_count; i++)
        if (reserved[i].start == address && reserved[i].end == address + nbytes) {
            if (has_mappings(address, nbytes))
                return INVALID_VALUE;
            reserved[i] = reserved[--reserved_count];
            return gaps_give(&ranges, address, address + nbytes);
        }
    return INVALID_VALUE;
}

static int open_file(void)
{
    if (file < 0) {
        file = memfd_create("facula_cuda_pages", MFD_CLOEXEC);
        if (file < 0 || ftruncate(file, (off_t)FILE_BYTES))
            return OUT_OF_MEMORY;
    }
    return parts.room ? SUCCESS : gaps_give(&parts, LARGE_PAGE, FILE_BYTES); /* 0 means "none" to gaps_take */
}

/* Write 0xff to all bytes of new memory: programs must not rely on its contents. */
static int poison(uint64_t offset, uint64_t nbytes)
{
    void *place = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)offset);
    if (place == MAP_FAILED)
        return OUT_OF_MEMORY;
    memset(place, 0xff, nbytes);
    munmap(place, nbytes);
    return SUCCESS;
}

static void give_back(struct pages *pages)
{
    if (pages->handle || pages->mappings)
        return;
    fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)pages->offset, (off_t)pages->nbytes);
    gaps_give(&parts, pages->offset, pages->offset + pages->nbytes);
    simulated_devices[pages->device].used -= pages->nbytes;
    free(pages);
}

int simulated_cuMemCreate(int64_t *handle, size_t nbytes, const struct memory_properties *properties,
                          unsigned long long flags)
{
    ENTER(cuMemCreate);
    if (!handle || !properties || flags || !is_large(nbytes) || properties->type != PINNED_TYPE ||
        properties->location.type != ON_DEVICE)
        return INVALID_VALUE;
    if (properties->location.id < 0 || properties->location.id >= simulated_visible)
        return INVALID_DEVICE;
    struct device *device = &simulated_devices[properties->location.id];
    if (nbytes > simulated_memory || nbytes > simulated_memory - device->used)
        return OUT_OF_MEMORY;
    TRY(open_file());
    struct pages *pages = calloc(1, sizeof *pages);
    if (!pages)
        return OUT_OF_MEMORY;
    pages->device = device->index;
    pages->nbytes = nbytes;
    pages->offset = gaps_take(&parts, nbytes, LARGE_PAGE);
    device->used += nbytes;
    if (!pages->offset) {
        device->used -= nbytes;
        free(pages);
        return OUT_OF_MEMORY;
    }
    if (poison(pages->offset, nbytes) || !(pages->handle = simulated_handle(PAGES, pages))) {
        give_back(pages);
        return OUT_OF_MEMORY;
    }
    *handle = pages->handle;
    return SUCCESS;
}

int simulated_cuMemRelease(int64_t handle)
{
    ENTER(cuMemRelease);
    struct pages *pages = simulated_object(PAGES, handle);
    if (!pages)
        return INVALID_VALUE;
    simulated_forget(handle);
    pages->handle = 0;
    give_back(pages);
    return SUCCESS;
}

static int is_reserved(uint64_t address, size_t nbytes)
{
    for (size_t i = 0; i < reserved_count; i++)
        if (reserved[i].start <= address && address < reserved[i].end && nbytes <= reserved[i].end - address)
            return 1;
    return 0;
}

int simulated_cuMemMap(uint64_t address, size_t nbytes, size_t offset, int64_t handle, unsigned long long flags)
{
    ENTER(cuMemMap);
    struct pages *pages = simulated_object(PAGES, handle);
    if (!pages || flags || offset || nbytes != pages->nbytes || address % LARGE_PAGE || !is_reserved(address, nbytes) ||
        has_mappings(address, nbytes))
        return INVALID_VALUE;
    /* Kernels have no access either before cuMemSetAccess. */
    void *place = to_host(address);
    if (mmap(place, nbytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file, (off_t)pages->offset) != place)
        return OUT_OF_MEMORY;
    if (region_add((struct region){address, nbytes, MAPPED_PAGES, pages->device, 0, pages})) {
        simulated_unmap(address, nbytes);
        return OUT_OF_MEMORY;
    }
    pages->mappings++;
    return SUCCESS;
}

/* Whether a range consists of whole mappings. */
static int is_whole(uint64_t address, size_t nbytes)
{
    uint64_t at = address;
    while (nbytes && at < address + nbytes) {
        const struct region *region = region_at(at);
        if (!region || region->kind != MAPPED_PAGES || region->start != at)
            return 0;
        at += region->nbytes;
    }
    return nbytes && at == address + nbytes;
}

int simulated_cuMemSetAccess(uint64_t address, size_t nbytes, const struct memory_access *accesses, size_t count)
{
    ENTER(cuMemSetAccess);
    if (!accesses || !count || !is_whole(address, nbytes))
        return INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const struct memory_access *access = &accesses[i];
        if (access->location.type != ON_DEVICE || (access->flags & ~READ_WRITE))
            return INVALID_VALUE;
        if (access->location.id < 0 || access->location.id >= simulated_visible)
            return INVALID_DEVICE;
    }
    for (uint64_t at = address; at < address + nbytes;) {
        struct region *region = region_at(at);
        for (size_t i = 0; i < count; i++) {
            const unsigned bit = 1u << accesses[i].location.id;
            region->access = accesses[i].flags ? region->access | bit : region->access & ~bit;
        }
        const int protection = region->access ? PROT_READ | PROT_WRITE : PROT_NONE;
        if (mprotect(to_host(at), region->nbytes, protection))
            return OUT_OF_MEMORY;
        at += region->nbytes;
    }
    return SUCCESS;
}

static void unmap(uint64_t address, size_t nbytes)
{
    for (uint64_t at = address; at < address + nbytes;) {
        const struct region region = *region_at(at);
        region_remove(at);
        simulated_unmap(at, region.nbytes);
        region.pages->mappings--;
        give_back(region.pages);
        at += region.nbytes;
    }
}

int simulated_cuMemUnmap(uint64_t address, size_t nbytes)
{
    ENTER(cuMemUnmap);
    if (!is_whole(address, nbytes))
        return INVALID_VALUE;
    unmap(address, nbytes);
    return SUCCESS;
}

void simulated_free_pages(void)
{
    while (reserved_count) {
        const struct gap range = reserved[--reserved_count];
        for (uint64_t page = range.start; page < range.end; page += LARGE_PAGE) {
            const struct region *region = region_at(page);
            if (region)
                unmap(region->start, region->nbytes);
        }
        gaps_give(&ranges, range.start, range.end);
    }
    free(reserved);
    reserved = NULL;
}
