/* Memory of devices, managed memory and pinned memory. */

#define _GNU_SOURCE
#include "simulated.h"

#include <sys/mman.h>

enum { HOST_ALLOC_FLAGS = 1 | 2 | 4 /* portable, device map, write-combined */, ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
#define GRANULARITY ((size_t)512)

static struct gaps free_addresses[SIMULATED_DEVICES];

static size_t round_up(size_t nbytes, size_t granularity)
{
    return (nbytes + granularity - 1) / granularity * granularity;
}

int simulated_cuMemAlloc_v2(uint64_t *address, size_t nbytes)
{
    ENTER_DEVICE(cuMemAlloc_v2);
    struct gaps *gaps = &free_addresses[device->index];
    const uint64_t area = FIRST_ADDRESS + (1 + (uint64_t)device->index) * AREA;
    if (!address || !nbytes)
        return INVALID_VALUE;
    TRY(capture_forbids_unsafe());
    if (nbytes > simulated_memory || round_up(nbytes, GRANULARITY) > simulated_memory - device->used)
        return OUT_OF_MEMORY;
    if (!gaps->room)
        TRY(gaps_give(gaps, area, area + AREA));
    /* Whole pages, and one more that stays unusable: a kernel that passes the end of the memory is caught. */
    const size_t pages = round_up(nbytes, PAGE);
    const uint64_t start = gaps_take(gaps, pages + PAGE, PAGE);
    if (!start)
        return OUT_OF_MEMORY;
    int code = simulated_map(start, pages);
    if (!code) {
        code = region_add((struct region){start, round_up(nbytes, GRANULARITY), DEVICE_MEMORY, device->index, 0, NULL});
        if (code)
            simulated_unmap(start, pages);
    }
    if (code) {
        gaps_give(gaps, start, start + pages + PAGE);
        return code;
    }
    device->used += round_up(nbytes, GRANULARITY);
    *address = start;
    return SUCCESS;
}

/* Memory of the host, which is the same for all devices. */
static int allocate_on_host(uint64_t *address, size_t nbytes, enum region_kind kind, const struct device *device)
{
    if (nbytes > (size_t)1 << 40)
        return OUT_OF_MEMORY;
    const size_t pages = round_up(nbytes, PAGE);
    void *start = mmap(NULL, pages, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return OUT_OF_MEMORY;
    int code = simulated_map((uint64_t)start, pages);
    if (!code)
        code = region_add((struct region){(uint64_t)start, nbytes, kind, device->index, 0, NULL});
    if (code)
        munmap(start, pages);
    else
        *address = (uint64_t)start;
    return code;
}

int simulated_cuMemAllocManaged(uint64_t *address, size_t nbytes, unsigned flags)
{
    ENTER_DEVICE(cuMemAllocManaged);
    if (!address || !nbytes || (flags != ATTACH_GLOBAL && flags != ATTACH_HOST))
        return INVALID_VALUE;
    TRY(capture_forbids_unsafe());
    return allocate_on_host(address, nbytes, MANAGED_MEMORY, device);
}

int simulated_cuMemHostAlloc(void **address, size_t nbytes, unsigned flags)
{
    uint64_t start = 0;
    ENTER_DEVICE(cuMemHostAlloc);
    if (!address || !nbytes || (flags & ~(unsigned)HOST_ALLOC_FLAGS))
        return INVALID_VALUE;
    TRY(capture_forbids_unsafe());
    TRY(allocate_on_host(&start, nbytes, PINNED_MEMORY, device));
    *address = (void *)start;
    return SUCCESS;
}

void simulated_free(uint64_t address)
{
    const struct region region = *region_at(address);
    const size_t pages = round_up(region.nbytes, PAGE);
    region_remove(address);
    if (region.kind != DEVICE_MEMORY) {
        munmap((void *)address, pages);
        return;
    }
    simulated_unmap(address, pages);
    gaps_give(&free_addresses[region.device], address, address + pages + PAGE);
    simulated_devices[region.device].used -= region.nbytes;
}

/* Free memory of some kinds once all work has run, as CUDA waits. */
static int free_region(const struct device *device, uint64_t address, unsigned kinds)
{
    const struct region *region = region_at(address);
    if (!region || region->start != address || !(kinds >> region->kind & 1))
        return INVALID_VALUE;
    TRY(capture_forbids_unsafe());
    run_everything();
    simulated_free(address);
    return device->sticky;
}

int simulated_cuMemFree_v2(uint64_t address)
{
    ENTER_DEVICE(cuMemFree_v2);
    return address ? free_region(device, address, 1u << DEVICE_MEMORY | 1u << MANAGED_MEMORY) : SUCCESS;
}

int simulated_cuMemFreeHost(void *address)
{
    ENTER_DEVICE(cuMemFreeHost);
    return free_region(device, (uint64_t)address, 1u << PINNED_MEMORY);
}

int simulated_cuMemHostGetDevicePointer_v2(uint64_t *address, void *host, unsigned flags)
{
    ENTER_DEVICE(cuMemHostGetDevicePointer_v2);
    const struct region *region = region_at((uint64_t)host);
    if (!address || flags || !region || region->kind != PINNED_MEMORY)
        return INVALID_VALUE;
    *address = (uint64_t)host;
    return SUCCESS;
}

int simulated_cuMemGetInfo_v2(size_t *unused, size_t *total)
{
    ENTER_DEVICE(cuMemGetInfo_v2);
    if (!unused || !total)
        return INVALID_VALUE;
    *unused = simulated_memory - device->used;
    *total = simulated_memory;
    return SUCCESS;
}

/* Handles for other processes: the simulated devices are memory of this process alone. */
int simulated_cuIpcGetMemHandle(struct ipc_handle *handle, uint64_t address)
{
    ENTER_DEVICE(cuIpcGetMemHandle);
    return NOT_SUPPORTED;
}

int simulated_cuIpcOpenMemHandle_v2(uint64_t *address, struct ipc_handle handle, unsigned flags)
{
    ENTER_DEVICE(cuIpcOpenMemHandle_v2);
    return NOT_SUPPORTED;
}

int simulated_cuIpcCloseMemHandle(uint64_t address)
{
    ENTER_DEVICE(cuIpcCloseMemHandle);
    return NOT_SUPPORTED;
}
