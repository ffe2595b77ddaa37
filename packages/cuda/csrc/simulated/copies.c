/* Copies and fills.

   A copy from pageable memory reads its source at once, as CUDA stages it; one from pinned memory reads it when it runs,
   so that a program which overwrites the source too early gets wrong values. A copy to pinned memory writes when it
   runs; one to pageable memory waits for the stream, as CUDA's does. */

#include "simulated.h"

#include <stdlib.h>
#include <string.h>

/* Find the stream, and check device memory. Copies may use the memory of every device. */
static int check(struct device *device, int64_t handle, uint64_t target, uint64_t source, size_t nbytes,
                 struct stream **stream)
{
    *stream = stream_of(device, handle);
    if (!*stream)
        return INVALID_HANDLE;
    if ((target && !is_usable(NULL, target, nbytes)) || (source && !is_usable(NULL, source, nbytes)))
        return INVALID_VALUE;
    return SUCCESS;
}

static int queue_copy(struct stream *stream, uint64_t target, uint64_t source, size_t nbytes)
{
    struct work *work = work_new(COPY, stream->device, 0);
    if (!work)
        return OUT_OF_MEMORY;
    work->target = target;
    work->source = source;
    work->nbytes = nbytes;
    return simulated_queue(stream, work);
}

int simulated_cuMemcpyHtoDAsync_v2(uint64_t target, const void *source, size_t nbytes, int64_t handle)
{
    struct stream *stream;
    ENTER_DEVICE(cuMemcpyHtoDAsync_v2);
    if (!nbytes)
        return SUCCESS;
    TRY(!target || !source ? INVALID_VALUE : check(device, handle, target, 0, nbytes, &stream));
    if (is_pinned(source, nbytes))
        return queue_copy(stream, target, (uint64_t)source, nbytes);
    TRY(capture_forbids_stream(stream)); /* the source may be gone when the graph runs */
    struct work *work = work_new(COPY, stream->device, nbytes);
    if (!work)
        return OUT_OF_MEMORY;
    work->target = target;
    work->nbytes = nbytes;
    memcpy(work->bytes, source, nbytes);
    return simulated_queue(stream, work);
}

int simulated_cuMemcpyDtoHAsync_v2(void *target, uint64_t source, size_t nbytes, int64_t handle)
{
    struct stream *stream;
    ENTER_DEVICE(cuMemcpyDtoHAsync_v2);
    if (!nbytes)
        return SUCCESS;
    TRY(!target || !source ? INVALID_VALUE : check(device, handle, 0, source, nbytes, &stream));
    if (is_pinned(target, nbytes))
        return queue_copy(stream, (uint64_t)target, source, nbytes);
    TRY(capture_forbids_stream(stream));
    TRY(queue_copy(stream, (uint64_t)target, source, nbytes));
    run_stream(stream);
    return stream->device->sticky;
}

int simulated_cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t nbytes, int64_t handle)
{
    struct stream *stream;
    ENTER_DEVICE(cuMemcpyDtoDAsync_v2);
    if (!nbytes)
        return SUCCESS;
    TRY(!target || !source ? INVALID_VALUE : check(device, handle, target, source, nbytes, &stream));
    return queue_copy(stream, target, source, nbytes);
}

int simulated_cuMemcpyPeerAsync(uint64_t target, int64_t target_context, uint64_t source, int64_t source_context,
                                size_t nbytes, int64_t handle)
{
    struct stream *stream;
    ENTER_DEVICE(cuMemcpyPeerAsync);
    const struct device *to = simulated_object(CONTEXT, target_context);
    const struct device *from = simulated_object(CONTEXT, source_context);
    if (!to || !from)
        return INVALID_CONTEXT;
    if (!nbytes)
        return SUCCESS;
    TRY(!target || !source ? INVALID_VALUE : check(device, handle, target, source, nbytes, &stream));
    return queue_copy(stream, target, source, nbytes);
}

static struct work *fill_of(enum work_kind kind, struct stream *stream, uint64_t target, int value, size_t nbytes)
{
    struct work *work = work_new(kind, stream->device, 0);
    if (work) {
        work->target = target;
        work->value = value;
        work->nbytes = nbytes;
    }
    return work;
}

int simulated_cuMemsetD8Async(uint64_t target, unsigned char value, size_t nbytes, int64_t handle)
{
    struct stream *stream;
    ENTER_DEVICE(cuMemsetD8Async);
    if (!nbytes)
        return SUCCESS;
    TRY(!target ? INVALID_VALUE : check(device, handle, target, 0, nbytes, &stream));
    struct work *work = fill_of(FILL, stream, target, value, nbytes);
    return work ? simulated_queue(stream, work) : OUT_OF_MEMORY;
}

void facula_cuda_simulated_poison(int index, uint64_t address, int64_t nbytes, int64_t handle)
{
    simulated_lock();
    if (simulated_is_initialized() && index < simulated_visible && !capture_runs()) {
        struct device *device = &simulated_devices[index];
        struct stream *stream = device->context ? stream_of(device, handle) : NULL;
        if (stream && stream->device == device && is_usable(device, address, (size_t)nbytes)) {
            struct work *work = fill_of(POISON, stream, address, 0xff, (size_t)nbytes);
            if (work)
                simulated_queue(stream, work);
        }
    }
    simulated_unlock();
}
