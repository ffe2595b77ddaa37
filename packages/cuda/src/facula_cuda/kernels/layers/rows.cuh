/* Softmax, its logarithm and their gradients, along the rows of strided arrays. `group` threads of a block work on a
   row, and read it two or three times; sums are doubles. A row with NaN or infinity, or of -infinity alone, gives
   NaN. */
#pragma once
#include "facula/reduce.cuh" /* first: words that the others need */
#include "elements/math/functions.h"

template <int D> struct rows { /* as _planners/rows.py packs it */
    int64_t rows, length, group;
    int64_t along[3];       /* the steps along a row: of x, or of the gradient and the result; of the output last */
    dimensions<3, D> others; /* the dimensions of rows */
};
template <int D> struct rows_args {
    int64_t n;
    const char *x;
    char *o;
    rows<D> r;
};
template <int D> struct rows_gradient_args {
    int64_t n;
    const char *x, *y;
    char *o;
    rows<D> r;
};

static ALWAYS_INLINE float exponential(float x) { return exp_float32(x); }
static ALWAYS_INLINE double exponential(double x) { return exp_float64(x); }
static ALWAYS_INLINE float logarithm(float x) { return log_float32(x); }
static ALWAYS_INLINE double logarithm(double x) { return log_float64(x); }

template <class N> struct largest {
    N found;
    ALWAYS_INLINE void join(const largest &other) { found = other.found > found ? other.found : found; }
};

/* The state of all lanes, for each of them. */
template <class S> static ALWAYS_INLINE S joined(S state, int group)
{
    __shared__ S shared[256];
    join_group(state, group, shared);
    state = shared[threadIdx.x / group * group];
    __syncthreads(); /* before the next row's */
    return state;
}

/* A row, as a thread of its group accesses it. Groups beyond the last row have no elements. */
template <int in, class R> struct row_of {
    typedef typename element<in>::stored stored;
    typedef typename element<in>::number number;
    const R &r;
    int64_t at[3];
    bool there;
    ALWAYS_INLINE row_of(const R &r, int64_t row) : r(r), at{0, 0, 0}, there(row < r.rows)
    {
        if (there)
            r.others.move(row, at);
    }
    ALWAYS_INLINE int64_t first() const { return there ? (int)threadIdx.x & ((int)r.group - 1) : r.length; }
    ALWAYS_INLINE number read(const char *from, int k, int64_t i) const
    {
        return element<in>::read(*(const stored *)(from + at[k] + i * r.along[k]));
    }
    ALWAYS_INLINE void write(char *to, int64_t i, number x) const
    {
        *(stored *)(to + at[2] + i * r.along[2]) = element<in>::write(x);
    }
};

template <int in, int logarithmic, class A> static ALWAYS_INLINE void softmax_rows(const A &p)
{
    typedef typename element<in>::number number;
    const int group = (int)p.r.group, together = (int)blockDim.x / group, mine = (int)threadIdx.x / group;
    for (int64_t base = (int64_t)blockIdx.x * together; base < p.r.rows; base += (int64_t)gridDim.x * together) {
        const row_of<in, decltype(p.r)> row(p.r, base + mine);
        largest<number> most = {(number)-INFINITY};
#pragma unroll 1
        for (int64_t i = row.first(); i < p.r.length; i += group)
            most.join({row.read(p.x, 0, i)});
        const number top = joined(most, group).found;
        sum_of_doubles sum = {0};
#pragma unroll 1
        for (int64_t i = row.first(); i < p.r.length; i += group)
            sum.add((double)exponential(row.read(p.x, 0, i) - top), i);
        const number total = (number)joined(sum, group).sum, log_total = logarithm(total);
#pragma unroll 1
        for (int64_t i = row.first(); i < p.r.length; i += group) {
            const number x = row.read(p.x, 0, i) - top;
            row.write(p.o, i, logarithmic ? x - log_total : exponential(x) / total);
        }
    }
}

template <int in, int logarithmic, class A> static ALWAYS_INLINE void softmax_gradient_rows(const A &p)
{
    typedef typename element<in>::number number;
    const int group = (int)p.r.group, together = (int)blockDim.x / group, mine = (int)threadIdx.x / group;
    for (int64_t base = (int64_t)blockIdx.x * together; base < p.r.rows; base += (int64_t)gridDim.x * together) {
        const row_of<in, decltype(p.r)> row(p.r, base + mine);
        sum_of_doubles sum = {0};
#pragma unroll 1
        for (int64_t i = row.first(); i < p.r.length; i += group) {
            const double g = row.read(p.x, 0, i);
            sum.add(logarithmic ? g : g * row.read(p.y, 1, i), i);
        }
        const number total = (number)joined(sum, group).sum;
#pragma unroll 1
        for (int64_t i = row.first(); i < p.r.length; i += group) {
            const number g = row.read(p.x, 0, i), y = row.read(p.y, 1, i);
            row.write(p.o, i, logarithmic ? g - exponential(y) * total : y * (g - total));
        }
    }
}

/* `room` is the maximum number of dimensions of rows. */
#define SOFTMAX(NAME, room, in, logarithmic) \
    SYNC_KERNEL(NAME, rows_args<room>) { softmax_rows<in, logarithmic>(p); }
#define SOFTMAX_GRADIENT(NAME, room, in, logarithmic) \
    SYNC_KERNEL(NAME, rows_gradient_args<room>) { softmax_gradient_rows<in, logarithmic>(p); }
