/* Maintenance of the entries of streams, for Python. See queue.h. */

#ifndef FACULA_CUDA_QUEUES_H
#define FACULA_CUDA_QUEUES_H

#include <stdint.h>

/* Forget all streams, without calls of the driver: it is closed, or another one. */
void facula_cuda_forget_queues(void);
/* How often a launch has waited for the device's queue, in this process. */
int64_t facula_cuda_pace_waits(void);
/* The code that made a device unusable, or 0; `lose` stores the first one. */
int facula_cuda_lost(int64_t index);
void facula_cuda_lose(int64_t index, int code);

enum { RECENT_KERNELS = 64 };
/* The function of the kernel that this process queued last but `age`, below RECENT_KERNELS; 0 if there is none. Kernels
   that threads queue at the same time may be missing. */
int64_t facula_cuda_recent(int64_t age);

#endif
