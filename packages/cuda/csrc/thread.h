/* What each thread has selected: a device, a stream of each device, and the context that its driver calls refer to.
   This file uses no Python objects. */

#ifndef FACULA_CUDA_THREAD_H
#define FACULA_CUDA_THREAD_H

#include <stdint.h>

enum { MAX_DEVICES = 16 };

/* The thread's current device; 0 at first. */
int64_t facula_cuda_current_index(void);
void facula_cuda_set_index(int64_t index);

/* The thread's current stream of its current device, and of any device; 0, the default stream, at first. */
int64_t facula_cuda_current_stream(void);
void facula_cuda_set_stream(int64_t stream);
int64_t facula_cuda_stream_of(int64_t index);
void facula_cuda_set_stream_of(int64_t index, int64_t stream);
/* The address of a function int64_t (*)(void) that returns the calling thread's current stream of one device. */
int64_t facula_cuda_stream_function(int64_t index);

/* Where the kernels of the thread's next launches report wrong elements, if their plans do; 0, the default, stands for
   the record of the plan. */
int64_t facula_cuda_record(void);
void facula_cuda_set_record(int64_t record);

/* Store the primary context of a device; 0 removes it, so that no thread uses it any more. */
void facula_cuda_set_context(int64_t index, int64_t context);
/* Make the context of a device the thread's current one, unless it already is. Returns the driver's code. A device
   without a stored context gives DRIVER_NOT_INITIALIZED. */
int facula_cuda_bind(int64_t index);
/* The device whose context this thread has made current, or -1. */
int64_t facula_cuda_bound_index(void);

#endif
