/* Times of the devices' work and of the host's waits, for a profiler. See Note [Observed work] in observe.c. */

#ifndef FACULA_CUDA_OBSERVE_H
#define FACULA_CUDA_OBSERVE_H

#include <stdint.h>

enum { WORK_KERNEL = 7, WORK_COPY = 11, WORK_WAIT = 14, WORK_BYTES = 72 };

/* Work of a device, or a wait for it. Times are those of CLOCK_MONOTONIC in ns. */
struct facula_cuda_work {
    int64_t start, end;
    int64_t queued;   /* when the host began to queue the work, or to wait */
    int64_t thread;   /* the system's number of the thread that did */
    int64_t stream;   /* 0 also for a wait for all streams, or for an event */
    int64_t function; /* the kernel; 0 for a graph, -1 for a product by cublasLt */
    int64_t nbytes;   /* of a copy */
    int64_t device, kind;
};

/* Begin or end the observation of the driver that is open. Returns 1 if the observation was so already, else 0. */
int facula_cuda_observe(int on);
/* Wait for the observed work of a device, whose context is current. Returns the driver's code. */
int facula_cuda_finish_observed(int64_t device);
/* Move up to `room` records of completed work to an array, the oldest first; returns their number. */
int64_t facula_cuda_take_observed(struct facula_cuda_work *into, int64_t room);
/* How much work was not recorded for want of room or events, or overwritten before it was taken. */
int64_t facula_cuda_lost_work(void);
/* Forget the observation without calls of the driver: it is closed, or the process was forked. */
void facula_cuda_forget_observed(void);

#endif
