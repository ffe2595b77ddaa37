/* What the templates of this folder share: positions in nests, sums in the CPU's order, reports of errors.

   Note [Kernel templates]
   ~~~~~~~~~~~~~~~~~~~~~~~
   A planner puts this text, a template, a struct of the parameter block (`args` below) and the kernels' definitions
   together: see Note [Modules] in _planners/launches.py. The fields of `args` are the arguments of the launch (n,
   addresses, workspace, scalars), then constants of the plan, then the address of the record of errors if the kernels
   check elements. All kernels of a plan get the same block, one after the other in a stream: so a kernel sees
   everything that the kernel before it wrote. Every loop over elements strides by the grid: any grid computes the same
   result. */
#pragma once
#include <stdint.h>

#include "facula/typed.cuh"

/* This thread's first element of the grid, and the distance to the next one. */
static ALWAYS_INLINE int64_t first_element() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }
static ALWAYS_INLINE int64_t element_stride() { return (int64_t)gridDim.x * blockDim.x; }
#define FOR_ELEMENTS(i, count) for (int64_t i = first_element(); i < (count); i += element_stride())

/* A quotient of numbers that are not negative: far quicker with 32 bits, where they suffice. */
static ALWAYS_INLINE int64_t quotient(int64_t n, int64_t by)
{
    return ((uint64_t)n | (uint64_t)by) >> 32 ? n / by : (int64_t)((uint32_t)n / (uint32_t)by);
}

/* Elements that are moved, not computed with. */
struct sixteen {
    uint64_t low, high;
};
template <int BYTES> struct moved;
template <> struct moved<1> { typedef uint8_t type; };
template <> struct moved<2> { typedef uint16_t type; };
template <> struct moved<4> { typedef uint32_t type; };
template <> struct moved<8> { typedef uint64_t type; };
template <> struct moved<16> { typedef sixteen type; };

/* -------------------------------------------------------------------------------------------------- positions */
/* Adds the offsets of element `number` of some dimensions to `at`. A dimension is an extent and N steps, innermost
   first. */
template <int N> static ALWAYS_INLINE void locate(const int64_t *dims, int64_t count, int64_t number, int64_t *at)
{
    for (int64_t d = 0; d < count; d++) {
        const int64_t *dim = dims + (1 + N) * d;
        int64_t rest = 0, index = number;
        if (d + 1 < count) {
            if (number < (1ll << 31) && dim[0] < (1ll << 31))
                rest = (uint32_t)number / (uint32_t)dim[0]; /* far quicker than with 64 bits */
            else
                rest = number / dim[0];
            index = number - rest * dim[0];
        }
        number = rest;
        for (int k = 0; k < N; k++)
            at[k] += index * dim[1 + k];
    }
}

/* ----------------------------------------------------------------------------------------------------- errors */
/* The status of a launch that met a wrong element, with details: the first thread that reports wins. */
static ALWAYS_INLINE void report(uint64_t *record, int64_t status, int64_t a, int64_t b, int64_t c, int64_t d)
{
    if (record && atomicCAS((unsigned long long *)record, 0ull, (unsigned long long)status) == 0) {
        record[1] = (uint64_t)a;
        record[2] = (uint64_t)b;
        record[3] = (uint64_t)c;
        record[4] = (uint64_t)d;
    }
}
enum { STATUS_INDEX = 1, STATUS_RANGE = 2, STATUS_TARGET = 5, STATUS_POSITION = 7 };

/* ------------------------------------------------------------------------------------------------------- sums */
/* The shared memory of a block's sums: a pair for each group of lanes. */
static ALWAYS_INLINE double *shared_sums()
{
    __shared__ double sums[2 * 1024 / 16];
    return sums;
}

/* Note [The CPU's order of additions]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   The CPU adds a row in LANES lanes. After 32 additions a lane, it adds the lanes by halves and adds the result to a
   double. That is what LANES lanes of a warp do well: so each group of lanes takes a piece of 32 * LANES elements,
   and the pieces' sums are added in their order by every thread. The bits are the CPU's, and do not depend on the
   number of threads. `spread` tells where the elements after the last full vector go: to their own lanes, or all to
   the first lane.

   Sets two sums, of the numbers that `term(i, a, b)` sets for 0 <= i < n, in every thread of the block. */
template <int LANES, bool spread, class N, class F>
static ALWAYS_INLINE void sum_row(int64_t n, F term, double &sum, double &other)
{
    double *part = shared_sums();
    const int groups = blockDim.x / LANES, group = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const int64_t piece = 32 * LANES;
    sum = other = 0;
    for (int64_t base = 0; base < n; base += groups * piece) {
        const int64_t from = base + group * piece, end = from + piece < n ? from + piece : n;
        N a = 0, b = 0, u, v;
        int64_t i = from;
        for (; i + LANES <= end; i += LANES) {
            term(i + lane, u, v);
            a += u;
            b += v;
        }
        if (spread && i + lane < end) {
            term(i + lane, u, v);
            a += u;
            b += v;
        }
        if (!spread && lane == 0)
            for (; i < end; i++) {
                term(i, u, v);
                a += u;
                b += v;
            }
        for (int by = LANES / 2; by; by /= 2) {
            a += __shfl_down_sync(EVERY_LANE, a, by);
            b += __shfl_down_sync(EVERY_LANE, b, by);
        }
        if (lane == 0) {
            part[2 * group] = (double)a;
            part[2 * group + 1] = (double)b;
        }
        __syncthreads();
        for (int g = 0; g < groups && base + g * piece < n; g++) {
            sum += part[2 * g];
            other += part[2 * g + 1];
        }
        __syncthreads(); /* before the next pieces replace these */
    }
}

/* The sums of all threads' pairs, in every thread: lanes by halves, then warps in order. */
static ALWAYS_INLINE void sum_block(double &sum, double &other)
{
    double *part = shared_sums();
    const int warp = threadIdx.x / WARP;
    for (int by = WARP / 2; by; by /= 2) {
        sum += __shfl_down_sync(EVERY_LANE, sum, by);
        other += __shfl_down_sync(EVERY_LANE, other, by);
    }
    if (threadIdx.x % WARP == 0) {
        part[2 * warp] = sum;
        part[2 * warp + 1] = other;
    }
    __syncthreads();
    sum = other = 0;
    for (int w = 0; w < (int)blockDim.x / WARP; w++) {
        sum += part[2 * w];
        other += part[2 * w + 1];
    }
    __syncthreads(); /* before the next sums replace these */
}

/* The sum of the threads before this one, and of all. */
static ALWAYS_INLINE int64_t scan_block(int64_t value, int64_t &all)
{
    int64_t *sums = (int64_t *)shared_sums(), before = value;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    for (int by = 1; by < WARP; by *= 2) {
        const int64_t left = __shfl_up_sync(EVERY_LANE, before, by);
        before += lane >= by ? left : 0;
    }
    if (lane == WARP - 1)
        sums[warp] = before;
    __syncthreads();
    before -= value;
    all = 0;
    for (int w = 0; w < (int)blockDim.x / WARP; w++) {
        before += w < warp ? sums[w] : 0;
        all += sums[w];
    }
    __syncthreads(); /* before the next sums replace these */
    return before;
}
