/* State of threads in thread-local storage: a launch reads its stream and its context with two loads. */

#include "thread.h"

#include "driver.h"

struct selection {
    int64_t index;
    int64_t bound; /* the serial number of the context that this thread has made current; 0 for none */
    int64_t record;
    int64_t streams[MAX_DEVICES];
};

static __thread struct selection selected __attribute__((tls_model("initial-exec")));
/* A driver may give a new context the handle of a destroyed one: threads compare serial numbers, which never repeat. */
static struct {
    int64_t handle, serial;
} contexts[MAX_DEVICES];
static int64_t last_serial;

int64_t facula_cuda_current_index(void)
{
    return selected.index;
}

void facula_cuda_set_index(int64_t index)
{
    selected.index = index;
}

int64_t facula_cuda_current_stream(void)
{
    return selected.streams[selected.index];
}

void facula_cuda_set_stream(int64_t stream)
{
    selected.streams[selected.index] = stream;
}

int64_t facula_cuda_stream_of(int64_t index)
{
    return selected.streams[index];
}

void facula_cuda_set_stream_of(int64_t index, int64_t stream)
{
    selected.streams[index] = stream;
}

int64_t facula_cuda_record(void)
{
    return selected.record;
}

void facula_cuda_set_record(int64_t record)
{
    selected.record = record;
}

/* One function for each device, since the allocator calls them without arguments. */
#define DEVICES(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define STREAM_OF(i) \
    static int64_t stream_of_##i(void) \
    { \
        return selected.streams[i]; \
    }
DEVICES(STREAM_OF)
#define ENTRY(i) stream_of_##i,
static int64_t (*const stream_functions[MAX_DEVICES])(void) = {DEVICES(ENTRY)};

int64_t facula_cuda_stream_function(int64_t index)
{
    return (int64_t)(intptr_t)stream_functions[index];
}

void facula_cuda_set_context(int64_t index, int64_t context)
{
    const int64_t serial = context ? __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED) : 0;
    contexts[index].handle = context;
    __atomic_store_n(&contexts[index].serial, serial, __ATOMIC_RELEASE);
}

int facula_cuda_bind(int64_t index)
{
    int64_t serial;
    int code;
    if ((uint64_t)index >= MAX_DEVICES)
        return DRIVER_INVALID_VALUE;
    serial = __atomic_load_n(&contexts[index].serial, __ATOMIC_ACQUIRE);
    if (!serial)
        return DRIVER_NOT_INITIALIZED;
    if (selected.bound == serial)
        return DRIVER_SUCCESS;
    code = driver.cuCtxSetCurrent(contexts[index].handle);
    if (code == DRIVER_SUCCESS)
        selected.bound = serial;
    return code;
}

int64_t facula_cuda_bound_index(void)
{
    for (int64_t index = 0; selected.bound && index < MAX_DEVICES; index++)
        if (__atomic_load_n(&contexts[index].serial, __ATOMIC_ACQUIRE) == selected.bound)
            return index;
    return -1;
}
