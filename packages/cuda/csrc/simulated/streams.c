/* Streams and events. */

#include "simulated.h"

#include <stdlib.h>

enum { NON_BLOCKING = 1, DISABLE_TIMING = 2, INTERPROCESS = 4, EVENT_FLAGS = 7, GREATEST_PRIORITY = -5 };

int simulated_cuStreamCreateWithPriority(int64_t *handle, unsigned flags, int priority)
{
    ENTER_DEVICE(cuStreamCreateWithPriority);
    if (!handle || flags > NON_BLOCKING)
        return INVALID_VALUE;
    struct stream *stream = stream_new(device, flags != NON_BLOCKING);
    if (!stream)
        return OUT_OF_MEMORY;
    stream->priority = priority > 0 ? 0 : priority < GREATEST_PRIORITY ? GREATEST_PRIORITY : priority;
    stream->handle = simulated_handle(STREAM, stream);
    if (!stream->handle) {
        stream_destroy(stream);
        return OUT_OF_MEMORY;
    }
    *handle = stream->handle;
    return SUCCESS;
}

/* Does not wait: the stream's work still runs. */
int simulated_cuStreamDestroy_v2(int64_t handle)
{
    ENTER_DEVICE(cuStreamDestroy_v2);
    struct stream *stream = simulated_object(STREAM, handle);
    if (!stream)
        return INVALID_HANDLE;
    capture_forget(stream);
    stream_destroy(stream);
    return SUCCESS;
}

/* Find a stream that the host waits for or queries. Returns a code. */
static int find_stream(struct device *device, int64_t handle, struct stream **stream)
{
    *stream = stream_of(device, handle);
    if (!*stream)
        return INVALID_HANDLE;
    TRY(capture_forbids_stream(*stream));
    return capture_forbids_unsafe();
}

int simulated_cuStreamSynchronize(int64_t handle)
{
    ENTER_DEVICE(cuStreamSynchronize);
    struct stream *stream;
    TRY(find_stream(device, handle, &stream));
    run_stream(stream);
    return stream->device->sticky;
}

int simulated_cuStreamQuery(int64_t handle)
{
    ENTER_DEVICE(cuStreamQuery);
    struct stream *stream;
    TRY(find_stream(device, handle, &stream));
    if (!stream->first)
        return SUCCESS;
    simulated_polled();
    return NOT_READY;
}

int simulated_cuCtxSynchronize(void)
{
    ENTER_DEVICE(cuCtxSynchronize);
    TRY(capture_forbids_wait(device));
    run_device(device);
    return device->sticky;
}

int simulated_cuStreamWaitEvent(int64_t handle, int64_t event_handle, unsigned flags)
{
    ENTER_DEVICE(cuStreamWaitEvent);
    struct stream *stream = stream_of(device, handle);
    struct event *event = simulated_object(EVENT, event_handle);
    if (!stream || !event)
        return INVALID_HANDLE;
    if (flags > 1) /* 1: a separate node in graphs, without effect here */
        return INVALID_VALUE;
    TRY(capture_forbids_default(stream));
    if (event->capture || stream->capture)
        return capture_wait(stream, event);
    if (!event->latest || event->latest->done)
        return SUCCESS;
    struct work *work = work_new(WAIT, stream->device, 0);
    if (!work)
        return OUT_OF_MEMORY;
    work->point = event->latest;
    work->point->references++;
    return simulated_queue(stream, work);
}

int simulated_cuEventCreate(int64_t *handle, unsigned flags)
{
    ENTER_DEVICE(cuEventCreate);
    if (!handle || flags > EVENT_FLAGS || ((flags & INTERPROCESS) && !(flags & DISABLE_TIMING)))
        return INVALID_VALUE;
    if (flags & INTERPROCESS)
        return NOT_SUPPORTED;
    struct event *event = calloc(1, sizeof *event);
    if (!event)
        return OUT_OF_MEMORY;
    event->device = device;
    event->flags = flags;
    *handle = simulated_handle(EVENT, event);
    if (*handle)
        return SUCCESS;
    free(event);
    return OUT_OF_MEMORY;
}

void event_destroy(struct event *event)
{
    point_drop(event->latest);
    nodes_free(&event->captured);
    free(event);
}

int simulated_cuEventDestroy_v2(int64_t handle)
{
    ENTER_DEVICE(cuEventDestroy_v2);
    struct event *event = simulated_object(EVENT, handle);
    if (!event)
        return INVALID_HANDLE;
    simulated_forget(handle);
    event_destroy(event);
    return SUCCESS;
}

int simulated_cuEventRecord(int64_t handle, int64_t stream_handle)
{
    ENTER_DEVICE(cuEventRecord);
    struct event *event = simulated_object(EVENT, handle);
    struct stream *stream = stream_of(event ? event->device : device, stream_handle);
    if (!event || !stream || stream->device != event->device)
        return INVALID_HANDLE;
    TRY(capture_forbids_default(stream));
    if (stream->capture)
        return capture_record(stream, event);
    struct work *work = work_new(RECORD, stream->device, 0);
    struct point *point = point_new();
    if (!work || !point) {
        free(work);
        free(point);
        return OUT_OF_MEMORY;
    }
    point_drop(event->latest); /* streams that wait for the previous record have their own references */
    event->latest = point;
    event->capture = 0;
    nodes_free(&event->captured);
    point->references++;
    work->point = point;
    return simulated_queue(stream, work);
}

/* Find an event that the host waits for or queries. Returns a code. */
static int find_event(int64_t handle, struct event **event)
{
    *event = simulated_object(EVENT, handle);
    if (!*event)
        return INVALID_HANDLE;
    return (*event)->capture ? CAPTURED_EVENT : capture_forbids_unsafe();
}

int simulated_cuEventQuery(int64_t handle)
{
    ENTER_DEVICE(cuEventQuery);
    struct event *event;
    TRY(find_event(handle, &event));
    if (!event->latest || event->latest->done)
        return SUCCESS;
    simulated_polled();
    return NOT_READY;
}

int simulated_cuEventSynchronize(int64_t handle)
{
    ENTER_DEVICE(cuEventSynchronize);
    struct event *event;
    TRY(find_event(handle, &event));
    if (event->latest && !event->latest->done)
        run_point(event->latest);
    return event->device->sticky;
}

int simulated_cuEventElapsedTime(float *milliseconds, int64_t start_handle, int64_t end_handle)
{
    ENTER_DEVICE(cuEventElapsedTime);
    const struct event *start = simulated_object(EVENT, start_handle), *end = simulated_object(EVENT, end_handle);
    if (!milliseconds)
        return INVALID_VALUE;
    if (!start || !end || ((start->flags | end->flags) & DISABLE_TIMING) || start->device != end->device)
        return INVALID_HANDLE;
    if (start->capture || end->capture)
        return CAPTURED_EVENT;
    if (!start->latest || !end->latest)
        return INVALID_HANDLE;
    if (!start->latest->done || !end->latest->done)
        return NOT_READY;
    *milliseconds = (float)(1e3 * (end->latest->seconds - start->latest->seconds));
    return SUCCESS;
}
