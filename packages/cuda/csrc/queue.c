/* Streams that kernels were queued on: their pace, their scratch memory, and devices that are lost.

   Note [Pace]
   ~~~~~~~~~~~
   A driver holds about 1024 queued launches for a stream. The one after that blocks until the device has advanced:
   inside a launch, with the GIL, so that no other Python thread runs meanwhile. Therefore every 256th launch of a stream
   records an event, and waits, without the GIL, for the event of 768 launches earlier. Usually that is long over. There
   is no wait and no event while the stream is being captured. */

#define _GNU_SOURCE
#include "queue.h"

#include <Python.h>
#include <pthread.h>
#include <string.h>

#include "driver.h"
#include "loading.h"
#include "queues.h"
#include "thread.h"

enum { QUEUES = 4096, DISABLE_TIMING = 2, CAPTURE_NONE = 0, CAPTURE_RELAXED = 2 };

static struct queue queues[QUEUES];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static int64_t waits;
static int lost[MAX_DEVICES];
static int64_t recent[RECENT_KERNELS];
static uint64_t queued;

static struct queue *find_queue(int32_t device, int64_t stream, int insert)
{
    const uint32_t hash = ((uint32_t)((uint64_t)stream >> 4) * 2654435761u >> 20) ^ (uint32_t)device;
    for (uint32_t step = 0; step < QUEUES; step++) {
        struct queue *queue = &queues[(hash + step) % QUEUES];
        if (!__atomic_load_n(&queue->used, __ATOMIC_ACQUIRE)) {
            if (!insert)
                return NULL;
            queue->stream = stream;
            queue->device = device;
            __atomic_store_n(&queue->used, 1, __ATOMIC_RELEASE);
        }
        if (queue->stream == stream && queue->device == device)
            return queue;
    }
    return NULL;
}

struct queue *queue_of(int32_t device, int64_t stream)
{
    struct queue *queue = find_queue(device, stream, 0);
    if (queue)
        return queue;
    pthread_mutex_lock(&changing);
    queue = find_queue(device, stream, 1);
    pthread_mutex_unlock(&changing);
    return queue;
}

/* Whether this thread has the GIL, which kernels in replays may not. The function is not in the stable ABI. */
static int has_gil(void)
{
    static int (*check)(void);
    if (!check) {
        void *found = dlsym(RTLD_DEFAULT, "PyGILState_Check");
        memcpy(&check, &found, sizeof check);
    }
    return check && check();
}

static void wait_for(int64_t event)
{
    if (driver.cuEventQuery(event) != DRIVER_NOT_READY)
        return;
    __atomic_add_fetch(&waits, 1, __ATOMIC_RELAXED);
    if (has_gil()) {
        PyThreadState *state = PyEval_SaveThread();
        driver.cuEventSynchronize(event);
        PyEval_RestoreThread(state);
    } else {
        driver.cuEventSynchronize(event);
    }
}

static __attribute__((noinline)) void mark(struct queue *queue)
{
    int capturing = CAPTURE_NONE;
    int64_t older = 0;
    if (driver.cuStreamIsCapturing(queue->stream, &capturing) || capturing != CAPTURE_NONE)
        return;
    pthread_mutex_lock(&changing);
    int64_t *event = &queue->events[queue->marks % MARKS];
    if (!*event && driver.cuEventCreate(event, DISABLE_TIMING))
        *event = 0;
    if (*event && !driver.cuEventRecord(*event, queue->stream)) {
        queue->marks++;
        older = queue->events[queue->marks % MARKS]; /* the oldest of four: three marks ago */
    }
    pthread_mutex_unlock(&changing);
    if (older)
        wait_for(older);
}

void mark_queue(struct queue *queue)
{
    if (!queue)
        return;
    /* No locked addition, which would cost 5 ns: replays without the GIL may lose counts, and wait a little later. */
    const uint32_t launches = __atomic_load_n(&queue->launches, __ATOMIC_RELAXED) + 1;
    __atomic_store_n(&queue->launches, launches, __ATOMIC_RELAXED);
    if (launches % PACE == 0)
        mark(queue);
}

static int64_t new_scratch(struct queue *queue, int *code)
{
    uint64_t address = 0;
    int mode = CAPTURE_RELAXED; /* memory may be taken during a capture in this mode alone */
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    *code = driver.cuMemAlloc_v2(&address, SCRATCH_BYTES);
    driver.cuThreadExchangeStreamCaptureMode(&mode);
    if (!*code)
        *code = driver.cuMemsetD8Async(address, 0, SCRATCH_BYTES, queue->stream);
    return *code ? 0 : (int64_t)address;
}

int64_t scratch_of(struct queue *queue, int *code)
{
    int64_t found = __atomic_load_n(&queue->scratch, __ATOMIC_ACQUIRE);
    if (found)
        return found;
    pthread_mutex_lock(&changing);
    found = queue->scratch ? queue->scratch : new_scratch(queue, code);
    __atomic_store_n(&queue->scratch, found, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&changing);
    return found;
}

void note_kernel(int64_t function)
{
    const uint64_t number = __atomic_load_n(&queued, __ATOMIC_RELAXED);
    __atomic_store_n(&recent[number % RECENT_KERNELS], function, __ATOMIC_RELAXED);
    __atomic_store_n(&queued, number + 1, __ATOMIC_RELAXED); /* as in mark_queue */
}

int64_t facula_cuda_recent(int64_t age)
{
    const uint64_t last = __atomic_load_n(&queued, __ATOMIC_RELAXED) - 1;
    return __atomic_load_n(&recent[(last - (uint64_t)age) % RECENT_KERNELS], __ATOMIC_RELAXED);
}

void facula_cuda_forget_queues(void)
{
    pthread_mutex_lock(&changing);
    memset(queues, 0, sizeof queues);
    memset(recent, 0, sizeof recent);
    memset(lost, 0, sizeof lost);
    pthread_mutex_unlock(&changing);
}

int64_t facula_cuda_pace_waits(void)
{
    return __atomic_load_n(&waits, __ATOMIC_RELAXED);
}

int facula_cuda_lost(int64_t index)
{
    return __atomic_load_n(&lost[index], __ATOMIC_RELAXED);
}

void facula_cuda_lose(int64_t index, int code)
{
    int none = 0;
    __atomic_compare_exchange_n(&lost[index], &none, code, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}
