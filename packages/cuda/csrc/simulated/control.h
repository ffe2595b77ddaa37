/* The controls of the simulated driver, for facula_cuda.testing. */

#ifndef FACULA_CUDA_SIMULATED_CONTROL_H
#define FACULA_CUDA_SIMULATED_CONTROL_H

#include <stdint.h>

/* Let the table call the simulated driver, with this number of devices and of bytes in each. Returns 0; 1 if the
   addresses that the devices need are in use; 2 if the simulated driver is in use with other devices or bytes. */
int facula_cuda_use_simulated(int devices, int64_t nbytes, int shuffled, uint64_t seed);
/* Whether the table calls the simulated driver. */
int facula_cuda_is_simulated(void);
/* The kernels and copies that are queued, and not yet run; those of a launched graph count, too. */
int64_t facula_cuda_simulated_pending(void);
/* The calls of each function so far: the name of function `i`, or NULL at the end of the list, and its calls. */
const char *facula_cuda_simulated_name(int i);
uint64_t facula_cuda_simulated_calls(int i);
/* While on, launches of kernels and graphs are counted, and do not run. */
void facula_cuda_simulated_count_only(int on);
/* Let the next `times` calls of a function return a code. Returns 0; 1 for an unknown name. */
int facula_cuda_simulated_fail(const char *name, int code, int times);
/* Queue writing 0xff to returned memory of an allocator; no effect for a destroyed stream or during a capture. */
void facula_cuda_simulated_poison(int index, uint64_t address, int64_t nbytes, int64_t stream);
/* Write the error of the last kernel that failed; empty if none failed, or for an illegal address. */
void facula_cuda_simulated_failure(char *text, int64_t nbytes);
/* Where the host finds the memory at a device address, for stand-ins of libraries; it must wait for the device first. */
int64_t facula_cuda_simulated_alias(int64_t address);
/* End a simulation: forget all memory, streams and errors, and close the table. They must not be used afterwards. */
void facula_cuda_end_simulated(void);

#endif
