/* Sums of all threads in a fixed order: lanes of a warp, warps of a block, blocks of the grid. The result depends on the
   number of elements and blocks alone, not on the order in which blocks run. */
#pragma once
#include "facula/words.h"

/* Of a block, for thread 0. All threads take part. */
template <class S> static ALWAYS_INLINE S fold_block(S sum)
{
    __shared__ S part[32];
    for (int by = WARP / 2; by; by >>= 1)
        sum += __shfl_down_sync(EVERY_LANE, sum, by);
    if (threadIdx.x % WARP == 0)
        part[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (threadIdx.x < WARP) {
        sum = threadIdx.x < blockDim.x / WARP ? part[threadIdx.x] : 0;
        for (int by = WARP / 2; by; by >>= 1)
            sum += __shfl_down_sync(EVERY_LANE, sum, by);
    }
    __syncthreads();
    return sum;
}

/* Of the grid, for thread 0 of the last block, where it returns 1. `scratch`: 16 bytes, of which the first 4 are 0 before
   and after, then a number for each block. */
template <class S> static ALWAYS_INLINE int fold_grid(S sum, void *scratch, S *total)
{
    __shared__ int last;
    unsigned *count = (unsigned *)scratch;
    volatile S *partial = (volatile S *)((char *)scratch + 16);
    sum = fold_block(sum);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return 0;
    __threadfence();
    sum = 0;
    for (unsigned b = threadIdx.x; b < gridDim.x; b += blockDim.x)
        sum += partial[b];
    *total = fold_block(sum);
    return threadIdx.x == 0;
}
