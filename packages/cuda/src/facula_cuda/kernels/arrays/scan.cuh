/* Running sums, products, log-sums and extremes along lines, and linear recurrences.

   Note [Scans]
   ~~~~~~~~~~~~
   A task is a line or, if lines are few and long, a piece of a line. `group` threads of a block work on a task. In each
   round a thread folds ADJACENT adjacent elements, then the threads' states are scanned, and each thread continues from
   the state of all elements before its own. With several pieces, a first kernel stores the state of each piece, a
   second scans the states of each line, and a third starts each piece from the state before it. Group and pieces
   depend on layouts alone, so results have the same bits in every run. With one thread for a line, elements are
   processed in the CPU's order.

   `args` has a, o, and for extremes places, or for recurrences b before o; lines, length, group, pieces and piece (its
   length); along (steps of the arrays along a line), start (offsets of the first element of a line; elements run
   backwards if steps are negative), dims and nest (of lines); and the workspace, which has a state for each piece. */
#pragma once
#include "facula/common.cuh"
#include "facula/complex.h"
#include "elements/math/functions.h"

enum { ADJACENT = 4 };

/* Elements, with complex numbers computed in double precision. */
template <int code> struct scanned : element<code> {};
template <> struct scanned<COMPLEX64> {
    typedef complex64_t stored;
    typedef complex128_t number;
    static ALWAYS_INLINE number read(stored x) { return widened(x); }
    static ALWAYS_INLINE stored write(number x) { return narrowed(x); }
};
template <> struct scanned<COMPLEX128> {
    typedef complex128_t stored;
    typedef complex128_t number;
    static ALWAYS_INLINE number read(stored x) { return x; }
    static ALWAYS_INLINE stored write(number x) { return x; }
};
static ALWAYS_INLINE complex128_t operator*(complex128_t x, complex128_t y)
{
    return {x.real * y.real - x.imaginary * y.imaginary, x.real * y.imaginary + x.imaginary * y.real};
}

/* ---- States: of no element at first; `join` the state of later elements. */

/* N: what the CPU computes with, which may be wider than the element's number. */
template <int code, class N> struct running {
    typedef typename scanned<code>::stored stored;
    N value;
    static ALWAYS_INLINE N read(const char *a) { return (N)scanned<code>::read(*(const stored *)a); }
    template <class A> ALWAYS_INLINE void load(const A &, const char *a, int64_t) { value = read(a); }
    template <class A> ALWAYS_INLINE void store(const A &p, const int64_t *at, int64_t i) const
    {
        *(stored *)(p.o + at[1] + i * p.along[1]) = scanned<code>::write((typename scanned<code>::number)value);
    }
};
template <int code, class N> struct running_sum : running<code, N> {
    ALWAYS_INLINE void start() { this->value = N{0}; }
    ALWAYS_INLINE void join(const running_sum &later) { this->value = this->value + later.value; }
};
template <int code, class N> struct running_product : running<code, N> {
    ALWAYS_INLINE void start() { this->value = N{1}; }
    ALWAYS_INLINE void join(const running_product &later) { this->value = this->value * later.value; }
};
/* log(exp(a) + exp(b)); -infinity is the state of no element. */
template <int code, class N> struct running_log_sum : running<code, N> {
    ALWAYS_INLINE void start() { this->value = -INFINITY; }
    ALWAYS_INLINE void join(const running_log_sum &later)
    {
        const double a = this->value, b = later.value;
        const double high = a > b || a != a ? a : b, low = a > b || a != a ? b : a;
        this->value = low == -INFINITY || low != low ? (low != low ? low : high)
                      : high == low                  ? high + 0.693147180559945309417
                      : high == INFINITY             ? high
                                                     : high + log1p_float64(exp_float64(low - high));
    }
};
/* The extreme and its last place. A NaN remains. `sign` is 1 for the maximum, -1 for the minimum. */
template <int code, int sign> struct running_extreme {
    typedef typename scanned<code>::stored stored;
    stored held;
    int64_t place; /* -1: no element yet */
    ALWAYS_INLINE void start()
    {
        held = 0;
        place = -1;
    }
    ALWAYS_INLINE void join(const running_extreme &later)
    {
        const typename scanned<code>::number s = scanned<code>::read(held), x = scanned<code>::read(later.held);
        if (later.place >= 0 && (place < 0 || x != x || (s == s && (sign > 0 ? x >= s : x <= s))))
            *this = later;
    }
    template <class A> ALWAYS_INLINE void load(const A &, const char *a, int64_t i)
    {
        held = *(const stored *)a;
        place = i;
    }
    template <class A> ALWAYS_INLINE void store(const A &p, const int64_t *at, int64_t i) const
    {
        *(stored *)(p.o + at[1] + i * p.along[1]) = held;
        *(int64_t *)(p.places + at[2] + i * p.along[2]) = place;
    }
};

/* ---- The kernels */

/* The state of this thread's elements becomes that of all elements before them in its group. All threads of the block
   take part. */
template <class S> static ALWAYS_INLINE void scan_group(S &own, int group, S *shared)
{
    const int lane = (int)threadIdx.x & (group - 1);
    shared[threadIdx.x] = own;
    __syncthreads();
#pragma unroll 1
    for (int by = 1; by < group; by *= 2) {
        S joined = shared[threadIdx.x];
        if (lane >= by) {
            joined = shared[threadIdx.x - by];
            joined.join(shared[threadIdx.x]);
        }
        __syncthreads(); /* all have read */
        shared[threadIdx.x] = joined;
        __syncthreads();
    }
    own.start();
    if (lane)
        own = shared[threadIdx.x - 1];
    __syncthreads(); /* before the group's last state replaces these */
}

/* Scans `count` elements of each group's task, at most `most`: `load(state, i)` sets the state of element i and
   `store(state, i)` gets that of all elements up to it, which `carried` begins with and ends with. */
template <class S, class L, class W>
static ALWAYS_INLINE void scan_elements(int64_t count, int64_t most, int group, S &carried, L load, W store)
{
    __shared__ S shared[256];
    const int lane = (int)threadIdx.x & (group - 1);
#pragma unroll 1
    for (int64_t base = 0; base < most; base += group * ADJACENT) {
        const int64_t first = base + lane * ADJACENT;
        S own, one;
        if (group > 1) { /* the same for all threads */
            own.start();
            for (int k = 0; k < ADJACENT; k++)
                if (first + k < count) {
                    load(one, first + k);
                    own.join(one);
                }
            scan_group(own, group, shared);
            carried.join(own);
        }
        for (int k = 0; k < ADJACENT; k++)
            if (first + k < count) {
                load(one, first + k);
                carried.join(one);
                store(carried, first + k);
            }
        if (group > 1) {
            shared[threadIdx.x] = carried;
            __syncthreads();
            carried = shared[(threadIdx.x & ~(group - 1)) + group - 1];
            __syncthreads(); /* before the next round */
        }
    }
}

enum { SCAN_WHOLE, SCAN_PIECES, SCAN_AGAIN };

/* Scans lines; or stores the states of their pieces; or scans the pieces from the states before them. */
template <class S, int step, class A> static ALWAYS_INLINE void scan_lines(const A &p)
{
    const int group = (int)p.group, together = (int)blockDim.x / group, mine = (int)threadIdx.x / group;
    const int64_t tasks = p.lines * p.pieces;
    S *states = (S *)p.workspace;
    for (int64_t base = (int64_t)blockIdx.x * together; base < tasks; base += (int64_t)gridDim.x * together) {
        const int64_t task = base + mine, line = step == SCAN_WHOLE ? task : task / p.pieces;
        const int64_t piece = step == SCAN_WHOLE ? 0 : task - line * p.pieces;
        const int64_t first = piece * p.piece, left = p.length - first;
        int64_t at[3] = {p.start[0], p.start[1], p.start[2]};
        locate<3>(p.nest, p.dims, line, at);
        S carried;
        carried.start();
        if (step == SCAN_AGAIN && task < tasks && piece)
            carried = states[task - 1];
        scan_elements(
            task < tasks ? (left < p.piece ? left : p.piece) : 0, p.piece, group, carried,
            [&](S &state, int64_t i) { state.load(p, p.a + at[0] + (first + i) * p.along[0], first + i); },
            [&](const S &state, int64_t i) {
                if (step != SCAN_PIECES)
                    state.store(p, at, first + i);
            });
        if (step == SCAN_PIECES && task < tasks && ((int)threadIdx.x & (group - 1)) == 0)
            states[task] = carried;
    }
}

/* Scans the states of the pieces of each line, with a warp. */
template <class S, class A> static ALWAYS_INLINE void scan_states(const A &p)
{
    const int together = (int)blockDim.x / WARP, mine = (int)threadIdx.x / WARP;
    for (int64_t base = (int64_t)blockIdx.x * together; base < p.lines; base += (int64_t)gridDim.x * together) {
        S *states = (S *)p.workspace + (base + mine) * p.pieces, carried;
        carried.start();
        scan_elements(
            base + mine < p.lines ? p.pieces : 0, p.pieces, WARP, carried,
            [&](S &state, int64_t i) { state = states[i]; }, [&](const S &state, int64_t i) { states[i] = state; });
    }
}

/* y[i] = b[i] + a[i] * y[i - 1] in the CPU's order, with a thread for each line. `late`: the step from an element of a
   to the one that belongs to b's, along a line. */
template <int code, class N, class A> static ALWAYS_INLINE void recur_lines(const A &p)
{
    typedef running<code, N> S;
    FOR_ELEMENTS(line, p.lines) {
        int64_t at[3] = {p.start[0], p.start[1], p.start[2]};
        locate<3>(p.nest, p.dims, line, at);
        N y = N{0};
        for (int64_t i = 0; i < p.length; i++) {
            const N term = S::read(p.b + at[1] + i * p.along[1]);
            y = i ? term + S::read(p.a + at[0] + i * p.along[0] - p.late) * y : term;
            *(typename S::stored *)(p.o + at[2] + i * p.along[2]) =
                scanned<code>::write((typename scanned<code>::number)y);
        }
    }
}
