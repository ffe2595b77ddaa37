/* CUDA C++ on the CPU: the words of device code that kernels use, for g++ on x86-64.

   Note [Kernels on the CPU]
   ~~~~~~~~~~~~~~~~~~~~~~~~~
   A kernel is written once, with KERNEL(name, arguments) or SYNC_KERNEL(name, arguments) in place of its signature.
   NVRTC sees `extern "C" __global__`, g++ a function `void name(const void *block, unsigned blocks, unsigned threads)`
   that runs all threads of all blocks. Blocks and threads are one-dimensional.

   A KERNEL has no barrier, so that its threads are a loop. The threads of a SYNC_KERNEL are fibers: each runs until it
   waits for others. They run in one of four orders (FACULA_SHIM_ORDER: forward, backward, shuffled, or warps: each warp
   runs as far as it can), so that a missing __syncthreads() changes the result in one of them at least. Shared memory
   has NaN bytes at the beginning of each block.

   What would be an error on a device ends the kernel with a sentence, which the simulated driver takes by
   facula_shim_failure() after each kernel: a misaligned access (found by g++ -fsanitize=alignment, whose handler is
   in shim_threads.h), a barrier that some threads never reach, a barrier in a KERNEL, too many threads.

   State is static and without locks: the simulated driver runs one kernel at a time. It is not thread-local because
   hundreds of libraries would use up the space that the loader has for thread-local variables. */
#pragma once
#if !defined(__x86_64__) || !defined(__GNUC__)
#error "facula_cuda.testing: kernels run on the CPU of x86-64 machines with g++ only"
#endif
#define FACULA_SHIM 1

#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static __attribute__((section("facula_shared")))

/* Shared memory whose size the launch states. One array for all: use it once in a kernel. */
#define DYNAMIC_SHARED(type, name) type *const name = (type *)shim::dynamic_memory()

#define KERNEL(name, arguments)                                                                                       \
    static void name##_body(const arguments &p);                                                                      \
    extern "C" __attribute__((visibility("default"))) void name(const void *block, unsigned blocks, unsigned threads) \
    {                                                                                                                 \
        run_plain(#name, name##_body, *(const arguments *)block, blocks, threads);                                    \
    }                                                                                                                 \
    static void name##_body(const arguments &p)
#define SYNC_KERNEL(name, arguments) SYNC_KERNEL_OF(256, name, arguments)
#define SYNC_KERNEL_OF(most, name, arguments)                                                                         \
    static void name##_body(const arguments &p);                                                                      \
    static void name##_raw(const void *block) { name##_body(*(const arguments *)block); }                             \
    extern "C" __attribute__((visibility("default"))) void name(const void *block, unsigned blocks, unsigned threads) \
    {                                                                                                                 \
        shim::run_fibers(#name, name##_raw, block, blocks, threads, most);                                            \
    }                                                                                                                 \
    static void name##_body(const arguments &p)

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;
enum { warpSize = 32 };

#include "shim_threads.h"

#include "shim_functions.h"
