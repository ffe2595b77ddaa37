/* The number of a mask's true elements, and their positions in row-major order.

   `args` has mask, o; total, dims and nest (steps of the mask); tiles and the workspace, which has a count for each
   tile; and for coordinates columns and their extents, last first. */
#pragma once
#include "facula/common.cuh"
enum { TILE_THREADS = 256, THREAD_POSITIONS = 4, TILE_POSITIONS = TILE_THREADS * THREAD_POSITIONS };

template <class A> static ALWAYS_INLINE int is_true(const A &p, int64_t i)
{
    int64_t at = 0;
    locate<1>(p.nest, p.dims, i, &at);
    return p.mask[at] != 0;
}

template <class A> static ALWAYS_INLINE void clear_count(const A &p) { *(int64_t *)p.o = 0; }

/* The order of additions of integers does not matter. */
template <class A> static ALWAYS_INLINE void count_all(const A &p)
{
    int64_t count = 0, all;
    FOR_ELEMENTS(i, p.total) count += is_true(p, i);
    scan_block(count, all);
    if (threadIdx.x == 0)
        atomicAdd((unsigned long long *)p.o, (unsigned long long)all);
}

template <class A> static ALWAYS_INLINE void count_tiles(const A &p)
{
    for (int64_t tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        int64_t count = 0, all;
        for (int k = 0; k < THREAD_POSITIONS; k++) {
            const int64_t i = tile * TILE_POSITIONS + (int64_t)threadIdx.x * THREAD_POSITIONS + k;
            count += i < p.total && is_true(p, i);
        }
        scan_block(count, all);
        if (threadIdx.x == 0)
            ((int64_t *)p.workspace)[tile] = all;
    }
}

/* Replaces the counts by the numbers of true elements before each tile, in one block. */
template <class A> static ALWAYS_INLINE void scan_tiles(const A &p)
{
    int64_t *counts = (int64_t *)p.workspace, before = 0;
    for (int64_t base = 0; base < p.tiles; base += blockDim.x) {
        const int64_t tile = base + threadIdx.x, count = tile < p.tiles ? counts[tile] : 0;
        int64_t all;
        const int64_t own = scan_block(count, all);
        if (tile < p.tiles)
            counts[tile] = before + own;
        before += all;
    }
}

template <bool coordinates, class A> static ALWAYS_INLINE void write_positions(const A &p)
{
    int64_t *o = (int64_t *)p.o;
    for (int64_t tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        int found[THREAD_POSITIONS];
        int64_t count = 0, all;
        for (int k = 0; k < THREAD_POSITIONS; k++) {
            const int64_t i = tile * TILE_POSITIONS + (int64_t)threadIdx.x * THREAD_POSITIONS + k;
            count += found[k] = i < p.total && is_true(p, i);
        }
        int64_t place = ((const int64_t *)p.workspace)[tile] + scan_block(count, all);
        for (int k = 0; k < THREAD_POSITIONS; k++) {
            if (!found[k])
                continue;
            int64_t rest = tile * TILE_POSITIONS + (int64_t)threadIdx.x * THREAD_POSITIONS + k;
            if constexpr (coordinates) {
                for (int64_t c = p.columns - 1; c >= 0 && place < p.n / p.columns; c--) {
                    const int64_t extent = p.extents[p.columns - 1 - c], over = rest / extent;
                    o[place * p.columns + c] = rest - over * extent;
                    rest = over;
                }
            } else if (place < p.n) { /* the mask may have changed since it was counted */
                o[place] = rest;
            }
            place++;
        }
    }
}
