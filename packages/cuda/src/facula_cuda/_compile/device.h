/* What NVRTC has before each kernel's text; on the CPU, testing/shim.h defines the same words for g++.

   A kernel is written KERNEL(name, arguments) { ... } or, if it has barriers or its threads exchange values,
   SYNC_KERNEL(name, arguments) { ... }. `arguments` is a struct with 8 bytes for each word of the parameter block, which
   the kernel reads as `p`. Blocks have at most 256 threads, or those of SYNC_KERNEL_OF(threads, name, arguments). */
#pragma once

#define KERNEL(name, arguments) extern "C" __global__ void __launch_bounds__(256) name(const __grid_constant__ arguments p)
#define SYNC_KERNEL(name, arguments) KERNEL(name, arguments)
#define SYNC_KERNEL_OF(threads, name, arguments) \
    extern "C" __global__ void __launch_bounds__(threads) name(const __grid_constant__ arguments p)
/* Shared memory whose size the launch states. */
#define DYNAMIC_SHARED(type, name) \
    extern __shared__ __align__(16) unsigned char facula_dynamic_shared[]; \
    type *const name = (type *)facula_dynamic_shared
