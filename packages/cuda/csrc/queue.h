/* Queueing kernels: the entry of each stream of each device that kernels were queued on, and the start and the refusal
   of a launch. For C alone. */

#ifndef FACULA_CUDA_QUEUE_H
#define FACULA_CUDA_QUEUE_H

#include <stdint.h>

#include "launch.h"
#include "queues.h"
#include "thread.h"

enum { PACE = 256, MARKS = 4, SCRATCH_BYTES = 1 << 18 };

struct queue {
    int64_t stream, scratch;
    int64_t events[MARKS];
    uint32_t launches, marks;
    int32_t device, used;
};

/* The entry of a stream; NULL if there are thousands of streams, which then have no pace and no scratch memory. */
struct queue *queue_of(int32_t device, int64_t stream);
/* Count a launch. The one in PACE that records an event and may wait takes the slow path. */
void mark_queue(struct queue *queue);
/* The address of SCRATCH_BYTES of device memory that kernels of this stream share, whose first 16 bytes are 0 between
   kernels. 0 if there is no memory, with the driver's code. */
int64_t scratch_of(struct queue *queue, int *code);

/* Remember a kernel that was queued, for the error of a device that is lost; see facula_cuda_recent. */
void note_kernel(int64_t function);

/* Select the device and its stream for this thread; the driver's code. */
static inline int enter(int32_t device, int64_t *stream)
{
    int code = facula_cuda_lost(device);
    if (!code)
        code = facula_cuda_bind(device);
    *stream = facula_cuda_stream_of(device);
    return code;
}

/* Return STATUS_DEVICE, with its details. */
static inline int64_t refuse(int64_t *arguments, int32_t device, int code)
{
    arguments[0] = code;
    arguments[1] = device;
    arguments[2] = arguments[3] = 0;
    return STATUS_DEVICE;
}

#endif
