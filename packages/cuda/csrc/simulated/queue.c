/* Streams' queues, and the order in which their work runs. See Note [Simulated time]. */

#include "simulated.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_POLLS = 100 };
#define MAX_STAGED ((int64_t)256 << 20)

struct stream *simulated_streams;
static uint64_t sequence, state;
static int shuffled = 1, polls;

void simulated_seed(uint64_t seed, int random_order)
{
    state = seed;
    shuffled = random_order;
}

/* splitmix64 */
uint64_t simulated_random(void)
{
    uint64_t mixed = state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
    return mixed ^ mixed >> 31;
}

int simulated_shuffles(void)
{
    return shuffled;
}

double simulated_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct point *point_new(void)
{
    struct point *point = calloc(1, sizeof *point);
    if (point)
        point->references = 1;
    return point;
}

void point_drop(struct point *point)
{
    if (point && --point->references == 0)
        free(point);
}

struct work *work_new(enum work_kind kind, struct device *device, size_t bytes)
{
    struct work *work = calloc(1, sizeof *work + bytes);
    if (work) {
        work->kind = kind;
        work->device = device;
    }
    return work;
}

void work_free(struct work *work)
{
    point_drop(work->point);
    point_drop(work->after);
    if (work->graph)
        graph_drop(work->graph);
    free(work);
}

struct stream *stream_new(struct device *device, int blocking)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (stream) {
        stream->device = device;
        stream->blocking = blocking;
        stream->last = &stream->first;
        stream->next = simulated_streams;
        simulated_streams = stream;
    }
    return stream;
}

static void free_stream(struct stream *stream)
{
    struct stream **place = &simulated_streams;
    while (*place != stream)
        place = &(*place)->next;
    *place = stream->next;
    nodes_free(&stream->captured);
    free(stream);
}

void stream_destroy(struct stream *stream)
{
    simulated_forget(stream->handle);
    stream->handle = 0;
    if (!stream->first)
        free_stream(stream);
}

struct stream *stream_of(struct device *device, int64_t handle)
{
    return handle == 0 || handle == 1 ? device->default_stream : simulated_object(STREAM, handle);
}

int simulated_queue(struct stream *stream, struct work *work)
{
    int code = capture_forbids_default(stream);
    if (!code && stream->capture)
        return capture_add(stream, work);
    if (code) {
        work_free(work);
        return code;
    }
    work->sequence = ++sequence;
    *stream->last = work;
    stream->last = &work->next;
    stream->queued++;
    stream->staged += work->kind == COPY && !work->source ? (int64_t)work->nbytes : 0;
    if (stream->queued > MAX_QUEUED || stream->staged > MAX_STAGED)
        run_stream(stream); /* CUDA's queues have an end, too: the host waits for room */
    return SUCCESS;
}

/* -------------------------------------------------------------------------------------------------------- running */
/* Whether the default stream holds back a stream's first item, or other streams that of the default stream. */
static int held_back(const struct stream *stream)
{
    const uint64_t own = stream->first->sequence;
    if (stream == stream->device->default_stream) {
        for (const struct stream *other = simulated_streams; other; other = other->next)
            if (other->device == stream->device && other->blocking && other->first && other->first->sequence < own)
                return 1;
        return 0;
    }
    const struct stream *default_stream = stream->device->default_stream;
    return stream->blocking && default_stream->first && default_stream->first->sequence < own;
}

static int is_ready(const struct stream *stream)
{
    const struct work *work = stream->first;
    return work && !(work->kind == WAIT && !work->point->done) && !(work->after && !work->after->done) &&
           !held_back(stream);
}

/* The stream whose work runs next; NULL if none is ready. */
static struct stream *pick(void)
{
    struct stream *oldest = NULL;
    uint64_t weights = 0, ready = 0;
    for (struct stream *stream = simulated_streams; stream; stream = stream->next)
        if (is_ready(stream)) {
            ready++;
            weights += (uint64_t)stream->weight;
            if (!oldest || stream->first->sequence < oldest->first->sequence)
                oldest = stream;
        }
    if (!shuffled || ready < 2)
        return oldest;
    uint64_t chosen = simulated_random() % (weights ? weights : ready);
    for (struct stream *stream = simulated_streams; stream; stream = stream->next)
        if (is_ready(stream)) {
            const uint64_t weight = weights ? (uint64_t)stream->weight : 1;
            if (chosen < weight)
                return stream;
            chosen -= weight;
        }
    return oldest;
}

void work_run(struct work *work)
{
    const int skipped = work->device->sticky; /* an error ended the device's context: the rest of its work is lost */
    if (work->kind == KERNEL && !skipped)
        kernel_run(work);
    else if (work->kind == GRAPH_LAUNCH && !skipped)
        graph_run(work);
    else if ((work->kind == COPY || work->kind == FILL || work->kind == POISON) && !skipped) {
        if ((is_device_address(work->target) && !is_usable(NULL, work->target, work->nbytes)) ||
            (is_device_address(work->source) && !is_usable(NULL, work->source, work->nbytes)))
            work->device->sticky = ILLEGAL_ADDRESS;
        else if (work->kind != COPY)
            memset(to_host(work->target), work->value, work->nbytes);
        else
            memmove(to_host(work->target), work->source ? to_host(work->source) : work->bytes, work->nbytes);
    }
    if (work->point && work->kind != WAIT) {
        work->point->done = 1;
        work->point->seconds = simulated_seconds();
    }
}

static void run_first(struct stream *stream)
{
    struct work *work = stream->first;
    work_run(work);
    stream->first = work->next;
    if (!stream->first)
        stream->last = &stream->first;
    stream->queued--;
    stream->staged -= work->kind == COPY && !work->source ? (int64_t)work->nbytes : 0;
    work_free(work);
    if (!stream->first && !stream->handle && stream != stream->device->default_stream)
        free_stream(stream);
}

/* At each wait, every stream becomes slow, normal or fast: tests then see streams far ahead and far behind. */
static void draw_weights(void)
{
    static const int weights[] = {0, 1, 16};
    polls = 0;
    if (shuffled)
        for (struct stream *stream = simulated_streams; stream; stream = stream->next)
            stream->weight = weights[simulated_random() % 3];
}

static int run_one(void)
{
    struct stream *stream = pick();
    if (stream)
        run_first(stream);
    return stream != NULL;
}

void run_stream(struct stream *stream)
{
    draw_weights();
    while (stream->first && run_one())
        ;
}

void run_point(struct point *point)
{
    draw_weights();
    while (!point->done && run_one())
        ;
}

static int has_work(const struct device *device)
{
    for (const struct stream *stream = simulated_streams; stream; stream = stream->next)
        if (stream->first && (!device || stream->device == device))
            return 1;
    return 0;
}

void run_device(struct device *device)
{
    draw_weights();
    while (has_work(device) && run_one())
        ;
}

void run_everything(void)
{
    run_device(NULL);
}

void simulated_polled(void)
{
    if (++polls > MAX_POLLS)
        run_one();
}

int64_t facula_cuda_simulated_pending(void)
{
    int64_t count = 0;
    simulated_lock();
    for (const struct stream *stream = simulated_streams; stream; stream = stream->next)
        for (const struct work *work = stream->first; work; work = work->next)
            if (work->kind == GRAPH_LAUNCH)
                count += work->graph->count;
            else
                count += work->kind < POISON;
    simulated_unlock();
    return count;
}
