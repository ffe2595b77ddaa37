/* Note [Observed work]
   ~~~~~~~~~~~~~~~~~~~
   While work is observed, entries of the driver's table are functions that record an event before and after the work that
   they queue. Launches that are not observed cost the same as before. Work that a stream capture records is left alone;
   the launch of a graph counts as one kernel.

   Events only give times relative to others. Each device has a base: an event that the host waited for, with the host's
   time after the wait. Elapsed times are float32, so the base moves to a recent event when it is a second old. Events
   need the context of their device; therefore pending work is completed by threads that queue more of it, and by
   `facula_cuda_finish_observed`. */

#define _GNU_SOURCE
#include "observe.h"

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "driver.h"
#include "lt.h"
#include "thread.h"

enum { PENDING = 1 << 13, COMPLETED = 1 << 16, BATCH = 1024 };
static const int64_t MAX_BASE_AGE = 1000000000;

struct pending {
    int64_t before, after; /* events */
    struct facula_cuda_work work;
};

static struct timeline {
    struct pending pending[PENDING]; /* a ring */
    int64_t first, count;
    int64_t events[2 * PENDING + 1], free; /* unused events */
    int64_t base, base_time;
} timelines[MAX_DEVICES];

static struct facula_cuda_work completed[COMPLETED]; /* a ring */
static int64_t first_completed, completed_count, lost_work;
static int observing;
static struct driver original;
static struct lt original_lt;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void complete(const struct facula_cuda_work *work)
{
    if (completed_count == COMPLETED) {
        first_completed = (first_completed + 1) % COMPLETED;
        completed_count--;
        lost_work++;
    }
    completed[(first_completed + completed_count++) % COMPLETED] = *work;
}

/* An event with timing; 0 if there is none. */
static int64_t take_event(struct timeline *line)
{
    int64_t event = 0;
    if (line->free)
        return line->events[--line->free];
    return original.cuEventCreate(&event, 0) ? 0 : event;
}

/* Forgets pending work and the base, and keeps the events. */
static void clear_timeline(struct timeline *line)
{
    for (; line->count; line->count--) {
        line->events[line->free++] = line->pending[line->first].before;
        line->events[line->free++] = line->pending[line->first].after;
        line->first = (line->first + 1) % PENDING;
    }
    if (line->base)
        line->events[line->free++] = line->base;
    line->base = 0;
}

static int begin_timeline(struct timeline *line, int64_t stream)
{
    const int64_t event = take_event(line);
    if (!event || original.cuEventRecord(event, stream) || original.cuEventSynchronize(event))
        return -1;
    line->base = event;
    line->base_time = now();
    return 0;
}

/* Completes the work whose events have happened, in the order of queueing. */
static void complete_pending(struct timeline *line)
{
    for (; line->count; line->count--) {
        struct pending *one = &line->pending[line->first];
        float start, length;
        const int code = original.cuEventQuery(one->after);
        if (code == DRIVER_NOT_READY)
            return;
        if (code || original.cuEventElapsedTime(&start, line->base, one->before) ||
            original.cuEventElapsedTime(&length, one->before, one->after)) {
            lost_work++;
        } else {
            one->work.start = line->base_time + (int64_t)(1e6 * (double)start);
            one->work.end = one->work.start + (int64_t)(1e6 * (double)length);
            complete(&one->work);
        }
        line->events[line->free++] = one->before;
        if (!code && one->work.end - line->base_time > MAX_BASE_AGE) {
            line->events[line->free++] = line->base;
            line->base = one->after;
            line->base_time = one->work.end;
        } else {
            line->events[line->free++] = one->after;
        }
        line->first = (line->first + 1) % PENDING;
    }
}

/* Begins the record of work on a stream, with the lock; NULL, without it, if the work is not observed. */
static struct pending *begin_work(int64_t kind, int64_t stream, int64_t function, size_t nbytes)
{
    const int64_t queued = now(), device = facula_cuda_bound_index();
    int capturing = 0;
    if (device < 0 || original.cuStreamIsCapturing(stream, &capturing) || capturing)
        return NULL;
    pthread_mutex_lock(&mutex);
    struct timeline *line = &timelines[device];
    if (observing && line->count && line->count % BATCH == 0)
        complete_pending(line);
    if (observing && line->count < PENDING && (line->base || !begin_timeline(line, stream))) {
        struct pending *one = &line->pending[(line->first + line->count) % PENDING];
        one->before = take_event(line);
        one->after = take_event(line);
        one->work = (struct facula_cuda_work){.queued = queued, .thread = syscall(SYS_gettid), .stream = stream,
                                              .function = function, .nbytes = (int64_t)nbytes, .device = device,
                                              .kind = kind};
        if (one->before && one->after && !original.cuEventRecord(one->before, stream))
            return one;
        if (one->before)
            line->events[line->free++] = one->before;
        if (one->after)
            line->events[line->free++] = one->after;
    }
    lost_work += observing;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

/* Ends the record if the work was queued; returns the code. */
static int end_work(struct pending *one, int code)
{
    if (!one)
        return code;
    struct timeline *line = &timelines[one->work.device];
    if (!code && !original.cuEventRecord(one->after, one->work.stream)) {
        line->count++;
    } else {
        line->events[line->free++] = one->before;
        line->events[line->free++] = one->after;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

static int end_wait(int64_t start, int64_t stream, int code)
{
    const struct facula_cuda_work work = {.start = start, .end = now(), .queued = start, .thread = syscall(SYS_gettid),
                                          .stream = stream, .device = facula_cuda_bound_index(), .kind = WORK_WAIT};
    pthread_mutex_lock(&mutex);
    if (observing && work.device >= 0)
        complete(&work);
    pthread_mutex_unlock(&mutex);
    return code;
}

/* X(NAME, (PARAMETERS), (ARGUMENTS), kind, function, bytes): functions that queue work on `stream`. */
#define QUEUEING(X) \
    X(cuLaunchKernel, \
      (int64_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
       unsigned block_z, unsigned shared_bytes, int64_t stream, void **parameters, void **extra), \
      (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, parameters, extra), \
      WORK_KERNEL, function, 0) \
    X(cuGraphLaunch, (int64_t executable, int64_t stream), (executable, stream), WORK_KERNEL, 0, 0) \
    X(cuMemcpyHtoDAsync_v2, (uint64_t target, const void *source, size_t nbytes, int64_t stream), \
      (target, source, nbytes, stream), WORK_COPY, 0, nbytes) \
    X(cuMemcpyDtoHAsync_v2, (void *target, uint64_t source, size_t nbytes, int64_t stream), \
      (target, source, nbytes, stream), WORK_COPY, 0, nbytes) \
    X(cuMemcpyDtoDAsync_v2, (uint64_t target, uint64_t source, size_t nbytes, int64_t stream), \
      (target, source, nbytes, stream), WORK_COPY, 0, nbytes) \
    X(cuMemcpyPeerAsync, \
      (uint64_t target, int64_t target_context, uint64_t source, int64_t source_context, size_t nbytes, \
       int64_t stream), \
      (target, target_context, source, source_context, nbytes, stream), WORK_COPY, 0, nbytes) \
    X(cuMemsetD8Async, (uint64_t target, unsigned char value, size_t nbytes, int64_t stream), \
      (target, value, nbytes, stream), WORK_COPY, 0, nbytes)
/* X(NAME, (PARAMETERS), (ARGUMENTS), stream): functions that wait. */
#define WAITING(X) \
    X(cuStreamSynchronize, (int64_t stream), (stream), stream) \
    X(cuEventSynchronize, (int64_t event), (event), 0) \
    X(cuCtxSynchronize, (void), (), 0)

#define QUEUE(name, parameters, arguments, kind, function, nbytes) \
    static int observed_##name parameters \
    { \
        struct pending *one = begin_work(kind, stream, function, nbytes); \
        return end_work(one, original.name arguments); \
    }
QUEUEING(QUEUE)

#define WAIT(name, parameters, arguments, stream) \
    static int observed_##name parameters \
    { \
        const int64_t start = now(); \
        return end_wait(start, stream, original.name arguments); \
    }
WAITING(WAIT)

static int observed_cublasLtMatmul(int64_t handle, int64_t operation, const void *alpha, int64_t a, int64_t a_layout,
                                   int64_t b, int64_t b_layout, const void *beta, int64_t c, int64_t c_layout,
                                   int64_t d, int64_t d_layout, const struct lt_algorithm *algorithm,
                                   int64_t workspace, size_t workspace_bytes, int64_t stream)
{
    struct pending *one = begin_work(WORK_KERNEL, stream, -1, 0);
    return end_work(one, original_lt.cublasLtMatmul(handle, operation, alpha, a, a_layout, b, b_layout, beta, c,
                                                    c_layout, d, d_layout, algorithm, workspace, workspace_bytes,
                                                    stream));
}

int facula_cuda_observe(int on)
{
    pthread_mutex_lock(&mutex);
    const int is_so = on == observing;
    if (!is_so && on) {
        original = driver;
        original_lt = lt;
        first_completed = completed_count = lost_work = 0;
        for (int i = 0; i < MAX_DEVICES; i++)
            clear_timeline(&timelines[i]);
#define REPLACE(name, ...) driver.name = observed_##name;
        QUEUEING(REPLACE)
        WAITING(REPLACE)
        if (lt.cublasLtMatmul)
            lt.cublasLtMatmul = observed_cublasLtMatmul;
    } else if (!is_so) {
#define RESTORE(name, ...) driver.name = original.name;
        QUEUEING(RESTORE)
        WAITING(RESTORE)
        if (lt.cublasLtMatmul == observed_cublasLtMatmul)
            lt.cublasLtMatmul = original_lt.cublasLtMatmul;
    }
    observing = on;
    pthread_mutex_unlock(&mutex);
    return is_so;
}

int facula_cuda_finish_observed(int64_t device)
{
    struct timeline *line = &timelines[device];
    int code = 0;
    pthread_mutex_lock(&mutex);
    for (int64_t i = 0; !code && i < line->count; i++) /* of all streams */
        code = original.cuEventSynchronize(line->pending[(line->first + i) % PENDING].after);
    complete_pending(line);
    pthread_mutex_unlock(&mutex);
    return code;
}

int64_t facula_cuda_take_observed(struct facula_cuda_work *into, int64_t room)
{
    int64_t taken = 0;
    pthread_mutex_lock(&mutex);
    for (; taken < room && completed_count; completed_count--) {
        into[taken++] = completed[first_completed];
        first_completed = (first_completed + 1) % COMPLETED;
    }
    pthread_mutex_unlock(&mutex);
    return taken;
}

int64_t facula_cuda_lost_work(void)
{
    return lost_work;
}

void facula_cuda_forget_observed(void)
{
    pthread_mutex_init(&mutex, NULL); /* a thread of the parent may hold it */
    for (int i = 0; i < MAX_DEVICES; i++)
        timelines[i].first = timelines[i].count = timelines[i].free = timelines[i].base = 0;
    if (lt.cublasLtMatmul == observed_cublasLtMatmul)
        lt.cublasLtMatmul = original_lt.cublasLtMatmul;
    observing = 0;
}
