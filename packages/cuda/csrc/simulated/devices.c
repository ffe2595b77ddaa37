/* Starting the driver, devices and contexts. */

#include "simulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 13000 };

struct device simulated_devices[SIMULATED_DEVICES];
int simulated_visible, simulated_blocks;
static THREAD_LOCAL int64_t current; /* the thread's context */

static void uuid_of(int physical, struct uuid *uuid)
{
    memset(uuid, 0, sizeof *uuid);
    memcpy(uuid->bytes, "facula_simulate", 15);
    uuid->bytes[15] = (unsigned char)physical;
}

/* The device that a part of CUDA_VISIBLE_DEVICES names, by index or by the start of its UUID; -1 for none. */
static int named_device(const char *name)
{
    char *end;
    if (strncmp(name, "GPU-", 4)) {
        const long index = strtol(name, &end, 10);
        return end == name || *end || index < 0 || index >= simulated_count ? -1 : (int)index;
    }
    int found = -1;
    for (int i = 0; i < simulated_count; i++) {
        struct uuid uuid;
        char text[64] = "GPU-";
        size_t at = 4;
        uuid_of(i, &uuid);
        for (int byte = 0; byte < 16; byte++)
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%02x",
                                   byte == 4 || byte == 6 || byte == 8 || byte == 10 ? "-" : "", uuid.bytes[byte]);
        if (!strncmp(text, name, strlen(name))) {
            if (found >= 0)
                return -1; /* ambiguous */
            found = i;
        }
    }
    return found;
}

static void see(int physical)
{
    struct device *device = &simulated_devices[simulated_visible];
    *device = (struct device){.index = simulated_visible++, .physical = physical};
}

/* As CUDA does, stop at the first part that names no device, or one that is already there. */
static void read_visible(void)
{
    const char *list = getenv("CUDA_VISIBLE_DEVICES");
    unsigned seen = 0;
    simulated_visible = 0;
    if (!list) {
        for (int i = 0; i < simulated_count; i++)
            see(i);
        return;
    }
    while (*list) {
        char name[64];
        const size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), list);
        const int physical = named_device(name);
        if (physical < 0 || (seen >> physical & 1))
            return;
        seen |= 1u << physical;
        see(physical);
        list += length + (list[length] == ',');
    }
}

int simulated_cuInit(unsigned flags)
{
    ENTER(cuInit);
    if (flags)
        return INVALID_VALUE;
    if (simulated_is_initialized())
        return SUCCESS;
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    simulated_blocks = blocking && !strcmp(blocking, "1");
    read_visible();
    if (!simulated_visible)
        return NO_DEVICE;
    simulated_initialize(1);
    return SUCCESS;
}

int simulated_cuDriverGetVersion(int *version)
{
    ENTER(cuDriverGetVersion);
    if (!version)
        return INVALID_VALUE;
    *version = VERSION;
    return SUCCESS;
}

static int is_device(int device)
{
    return device >= 0 && device < simulated_visible;
}

int simulated_cuDeviceGetCount(int *count)
{
    ENTER(cuDeviceGetCount);
    if (!count)
        return INVALID_VALUE;
    *count = simulated_visible;
    return SUCCESS;
}

int simulated_cuDeviceGet(int *device, int ordinal)
{
    ENTER(cuDeviceGet);
    if (!device)
        return INVALID_VALUE;
    if (!is_device(ordinal))
        return INVALID_DEVICE;
    *device = ordinal;
    return SUCCESS;
}

int simulated_cuDeviceGetName(char *name, int length, int device)
{
    ENTER(cuDeviceGetName);
    if (!name || length <= 0)
        return INVALID_VALUE;
    if (!is_device(device))
        return INVALID_DEVICE;
    snprintf(name, (size_t)length, "facula simulated device");
    return SUCCESS;
}

int simulated_cuDeviceGetAttribute(int *value, int attribute, int device)
{
    /* Those of compute capability 9.0, with few multiprocessors, so that grids in tests are small. */
    static const struct { int attribute, value; } attributes[] = {
        {1, MAX_THREADS}, {2, MAX_THREADS}, {3, MAX_THREADS}, {4, 64}, {5, INT32_MAX}, {6, UINT16_MAX},
        {7, UINT16_MAX}, {8, MAX_SHARED}, {9, 64 << 10}, {10, 32} /* threads of a warp */, {11, INT32_MAX},
        {12, 64 << 10} /* registers of a block */, {13, 1000000} /* kHz */, {14, 512}, {15, 1},
        {16, 4} /* multiprocessors */, {17, 0}, {18, 0}, {19, 1}, {20, 0}, {31, 1}, {32, 0}, {35, 0},
        {36, 1000000} /* kHz of memory */, {37, 4096} /* bits of its bus */, {38, 32 << 20} /* bytes of L2 */,
        {39, 2048}, {40, 2}, {41, 1} /* unified addresses */, {50, 0}, {75, 9}, {76, 0} /* compute capability */,
        {78, 1}, {79, 1}, {80, 1}, {81, 228 << 10}, {82, 64 << 10}, {83, 1} /* managed memory */, {84, 0}, {85, 0},
        {86, 0}, {87, 2}, {88, 0} /* no access to pageable memory */, {89, 1}, {90, 1}, {91, 1}, {95, 0},
        {97, MAX_SHARED}, {98, 0}, {99, 0}, {100, 0}, {101, 0}, {102, 1} /* virtual memory */, {103, 0}, {104, 0},
        {105, 0}, {106, 32}, {111, 1 << 10}, {115, 0} /* no pools */, {120, 0}, {125, 0},
    };
    ENTER(cuDeviceGetAttribute);
    if (!value)
        return INVALID_VALUE;
    if (!is_device(device))
        return INVALID_DEVICE;
    if (attribute == 33 || attribute == 34) { /* the numbers of the bus, and of the device on it */
        *value = attribute == 33 ? 1 + simulated_devices[device].physical : 0;
        return SUCCESS;
    }
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute) {
            *value = attributes[i].value;
            return SUCCESS;
        }
    return INVALID_VALUE;
}

int simulated_cuDeviceTotalMem_v2(size_t *nbytes, int device)
{
    ENTER(cuDeviceTotalMem_v2);
    if (!nbytes)
        return INVALID_VALUE;
    if (!is_device(device))
        return INVALID_DEVICE;
    *nbytes = simulated_memory;
    return SUCCESS;
}

int simulated_cuDeviceGetUuid_v2(struct uuid *uuid, int device)
{
    ENTER(cuDeviceGetUuid_v2);
    if (!uuid)
        return INVALID_VALUE;
    if (!is_device(device))
        return INVALID_DEVICE;
    uuid_of(simulated_devices[device].physical, uuid);
    return SUCCESS;
}

int simulated_cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    ENTER(cuDeviceCanAccessPeer);
    if (!can)
        return INVALID_VALUE;
    if (!is_device(device) || !is_device(peer))
        return INVALID_DEVICE;
    *can = device != peer;
    return SUCCESS;
}

/* ------------------------------------------------------------------------------------------------------- contexts */
struct device *simulated_device(int *code)
{
    struct device *device = current ? simulated_object(CONTEXT, current) : NULL;
    *code = !current ? INVALID_CONTEXT : !device ? CONTEXT_DESTROYED : device->sticky;
    return *code ? NULL : device;
}

int simulated_cuCtxEnablePeerAccess(int64_t peer, unsigned flags)
{
    ENTER_DEVICE(cuCtxEnablePeerAccess);
    const struct device *other = simulated_object(CONTEXT, peer);
    if (!other)
        return INVALID_CONTEXT;
    if (flags)
        return INVALID_VALUE;
    if (other == device)
        return PEER_UNSUPPORTED;
    if (device->peers >> other->index & 1)
        return PEER_ENABLED;
    device->peers |= 1u << other->index;
    return SUCCESS;
}

int simulated_cuDevicePrimaryCtxRetain(int64_t *context, int device)
{
    ENTER(cuDevicePrimaryCtxRetain);
    if (!context)
        return INVALID_VALUE;
    if (!is_device(device))
        return INVALID_DEVICE;
    struct device *retained = &simulated_devices[device];
    if (!retained->retained) {
        retained->default_stream = stream_new(retained, 0);
        retained->context = simulated_handle(CONTEXT, retained);
        if (!retained->default_stream || !retained->context)
            return OUT_OF_MEMORY;
    }
    retained->retained++;
    *context = retained->context;
    return SUCCESS;
}

void simulated_close(struct device *device)
{
    enum kind kind;
    int64_t handle;
    void *object;
    device->retained = 0;
    device->sticky = device->sticky ? device->sticky : CONTEXT_DESTROYED; /* work that has not run is lost */
    run_device(device);
    while ((object = simulated_any_object(device, &kind, &handle))) {
        if (kind == STREAM)
            capture_forget(object);
        if (kind == STREAM)
            stream_destroy(object);
        else if (kind == MODULE)
            module_forget(object, handle);
        else if (kind == GRAPH)
            graph_forget(object, handle);
        else {
            simulated_forget(handle);
            if (kind == EVENT)
                event_destroy(object);
            else
                executable_drop(object);
        }
    }
    stream_destroy(device->default_stream);
    simulated_free_all(device);
    simulated_forget(device->context);
    device->default_stream = NULL;
    device->context = 0;
    device->sticky = SUCCESS;
    device->peers = 0;
}

int simulated_cuDevicePrimaryCtxRelease_v2(int device)
{
    ENTER(cuDevicePrimaryCtxRelease_v2);
    if (!is_device(device))
        return INVALID_DEVICE;
    struct device *released = &simulated_devices[device];
    if (!released->retained)
        return INVALID_CONTEXT;
    if (released->retained > 1)
        released->retained--;
    else
        simulated_close(released);
    return SUCCESS;
}

int simulated_cuCtxSetCurrent(int64_t context)
{
    ENTER(cuCtxSetCurrent);
    if (context && !simulated_object(CONTEXT, context))
        return INVALID_CONTEXT;
    current = context;
    return SUCCESS;
}

int simulated_cuCtxGetCurrent(int64_t *context)
{
    ENTER(cuCtxGetCurrent);
    if (!context)
        return INVALID_VALUE;
    *context = current;
    return SUCCESS;
}
