/* Which addresses are memory: regions, sorted by address, and where they really are. See Note [Simulated memory]. */

#define _GNU_SOURCE
#include "simulated.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define AREAS (1 + SIMULATED_DEVICES)
#define POISON_BYTES ((size_t)16 << 20)

static struct region *regions;
static size_t count, room;
static char *alias;
static int poison = -1; /* a file of 0xff bytes, from which new memory is mapped copy-on-write */

int simulated_open_memory(void)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (alias)
        return 1;
    if (poison < 0) {
        static unsigned char bytes[64 << 10];
        memset(bytes, 0xff, sizeof bytes);
        poison = memfd_create("facula_cuda_poison", MFD_CLOEXEC);
        for (size_t done = 0; poison >= 0 && done < POISON_BYTES; done += sizeof bytes)
            if (pwrite(poison, bytes, sizeof bytes, (off_t)done) != (ssize_t)sizeof bytes) {
                close(poison);
                poison = -1;
            }
    }
    void *device = mmap((void *)FIRST_ADDRESS, AREAS * AREA, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (poison < 0 || device != (void *)FIRST_ADDRESS) {
        if (device != MAP_FAILED)
            munmap(device, AREAS * AREA);
        return 0;
    }
    void *place = mmap(NULL, AREAS * AREA, PROT_NONE, flags, -1, 0);
    if (place == MAP_FAILED) {
        munmap(device, AREAS * AREA);
        return 0;
    }
    alias = place;
    return 1;
}

int is_device_address(uint64_t address)
{
    return address - FIRST_ADDRESS < AREAS * AREA;
}

int is_alias(uint64_t address)
{
    return address - (uint64_t)alias < AREAS * AREA;
}

char *to_host(uint64_t address)
{
    return is_device_address(address) ? alias + (address - FIRST_ADDRESS) : (char *)address;
}

int simulated_map(uint64_t address, uint64_t nbytes)
{
    for (uint64_t done = 0; done < nbytes; done += POISON_BYTES) {
        const size_t part = nbytes - done < POISON_BYTES ? nbytes - done : POISON_BYTES;
        void *place = to_host(address + done);
        if (mmap(place, part, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, poison, 0) != place) {
            simulated_unmap(address, nbytes);
            return OUT_OF_MEMORY;
        }
    }
    return SUCCESS;
}

void simulated_unmap(uint64_t address, uint64_t nbytes)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(to_host(address), nbytes, PROT_NONE, flags, -1, 0) == MAP_FAILED)
        mprotect(to_host(address), nbytes, PROT_NONE); /* too many mappings: keep the memory, but unusable */
}

/* The index of the first region that ends after the address. */
static size_t place_of(uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (regions[middle].start + regions[middle].nbytes <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct region *region_at(uint64_t address)
{
    const size_t i = place_of(address);
    return i < count && regions[i].start <= address ? &regions[i] : NULL;
}

int region_add(struct region region)
{
    if (count == room) {
        const size_t more = room ? 2 * room : 64;
        struct region *grown = realloc(regions, more * sizeof *grown);
        if (!grown)
            return OUT_OF_MEMORY;
        regions = grown;
        room = more;
    }
    const size_t i = place_of(region.start);
    memmove(regions + i + 1, regions + i, (count - i) * sizeof *regions);
    regions[i] = region;
    count++;
    return SUCCESS;
}

void region_remove(uint64_t start)
{
    const size_t i = place_of(start);
    count--;
    memmove(regions + i, regions + i + 1, (count - i) * sizeof *regions);
}

static int may_use(const struct device *device, const struct region *region)
{
    switch (region->kind) {
    case DEVICE_MEMORY:
        return !device || device->index == region->device || (device->peers >> region->device & 1);
    case MAPPED_PAGES:
        return device ? region->access >> device->index & 1 : region->access != 0;
    default:
        return 1;
    }
}

int is_usable(const struct device *device, uint64_t address, size_t nbytes)
{
    if (address + nbytes < address)
        return 0;
    for (uint64_t at = address, end = address + nbytes; at < end;) {
        const struct region *region = region_at(at); /* mapped pages may be several regions */
        if (!region || !may_use(device, region))
            return 0;
        at = region->start + region->nbytes;
    }
    return 1;
}

int is_pinned(const void *address, size_t nbytes)
{
    const struct region *region = region_at((uint64_t)address);
    return region && (region->kind == PINNED_MEMORY || region->kind == MANAGED_MEMORY) &&
           (uint64_t)address + nbytes <= region->start + region->nbytes;
}

/* A context is destroyed: its memory with it. The caller has run or dropped the device's work. */
void simulated_free_all(struct device *device)
{
    for (size_t i = count; i-- > 0;)
        if (regions[i].device == device->index && regions[i].kind != MAPPED_PAGES)
            simulated_free(regions[i].start);
}
