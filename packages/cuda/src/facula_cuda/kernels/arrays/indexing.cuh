/* Taking, putting, gathering and scattering by index.

   Note [Deterministic scattering]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   Several values may have one target. The last one wins, or all are combined in their order, as on the CPU: the
   results have the CPU's bits, in every run. For assignment, a first kernel marks for each target the last position of
   its values, by atomic operations on integers, whose order does not matter. To combine values, the indices are sorted
   stably (see sort.cuh), so that those of a target follow one another in their order. Then the thread or the warp at
   the first of them does all the work of its target. Many values for few targets take longest.

   Positions are uint32_t: planners decline more. With marks, the workspace has for each target its last position plus 1
   (0: none), and then, unless values are assigned, its first position. */
#pragma once
#include "facula/sort.cuh"

enum { COMBINE_SET, COMBINE_SUM, COMBINE_PRODUCT, COMBINE_MAX, COMBINE_MIN, COMBINE_OR };

template <class N> struct pair_of {
    N real, imaginary;
};

/* How elements of a dtype combine: integers wrap, halves compute in float32, booleans are combined by "or" and
   "and". */
template <int CODE> struct combined;
#define COMBINED(code, T, N, READ, WRITE)                                                          \
    template <> struct combined<code> {                                                            \
        typedef T type;                                                                            \
        template <int how> static ALWAYS_INLINE T of(T old, T more)                                \
        {                                                                                          \
            const N x = READ(old), y = READ(more);                                                 \
            return how == COMBINE_SUM       ? WRITE((N)(x + y))                                    \
                   : how == COMBINE_PRODUCT ? WRITE((N)(x * y))                                    \
                   : how == COMBINE_MAX     ? WRITE(y > x || y != y ? y : x)                       \
                                            : WRITE(y < x || y != y ? y : x);                      \
        }                                                                                          \
    };
#define PLAIN_VALUE(x) (x)
/* Sums and products wrap in unsigned arithmetic; comparisons need the type's own. */
#define COMBINED_INTEGER(code, T, U)                                                               \
    template <> struct combined<code> {                                                            \
        typedef T type;                                                                            \
        template <int how> static ALWAYS_INLINE T of(T x, T y)                                     \
        {                                                                                          \
            return how == COMBINE_SUM       ? (T)((U)x + (U)y)                                     \
                   : how == COMBINE_PRODUCT ? (T)((U)x * (U)y)                                     \
                   : how == COMBINE_MAX     ? (y > x ? y : x)                                      \
                                            : (y < x ? y : x);                                     \
        }                                                                                          \
    };
#define COMBINED_COMPLEX(code, N)                                                                  \
    template <> struct combined<code> {                                                            \
        typedef pair_of<N> type;                                                                   \
        template <int how> static ALWAYS_INLINE type of(type x, type y)                            \
        {                                                                                          \
            if (how == COMBINE_PRODUCT)                                                            \
                return type{x.real * y.real - x.imaginary * y.imaginary,                           \
                            x.real * y.imaginary + x.imaginary * y.real};                          \
            return type{x.real + y.real, x.imaginary + y.imaginary};                               \
        }                                                                                          \
    };
template <> struct combined<BOOL> {
    typedef uint8_t type;
    template <int how> static ALWAYS_INLINE uint8_t of(uint8_t x, uint8_t y)
    {
        return how == COMBINE_OR ? x | y : how == COMBINE_SUM || how == COMBINE_MAX ? x || y : x && y;
    }
};
COMBINED_INTEGER(UINT8, uint8_t, uint32_t)
COMBINED_INTEGER(INT8, int8_t, uint32_t)
COMBINED_INTEGER(INT16, int16_t, uint32_t)
COMBINED_INTEGER(INT32, int32_t, uint32_t)
COMBINED_INTEGER(INT64, int64_t, uint64_t)
COMBINED(FLOAT16, uint16_t, float, float_of_float16, float16_of_float)
COMBINED(BFLOAT16, uint16_t, float, float_of_bfloat16, bfloat16_of_float)
COMBINED(FLOAT32, float, float, PLAIN_VALUE, PLAIN_VALUE)
COMBINED(FLOAT64, double, double, PLAIN_VALUE, PLAIN_VALUE)
COMBINED_COMPLEX(COMPLEX64, float)
COMBINED_COMPLEX(COMPLEX128, double)

/* --------------------------------------------------------------------------------------------- marks of targets */
template <class A> static ALWAYS_INLINE uint32_t *last_marks(const A &p) { return (uint32_t *)p.workspace; }
template <class A> static ALWAYS_INLINE uint32_t *first_marks(const A &p) { return last_marks(p) + p.targets; }

/* Removes all marks, and initializes the array's `fresh` elements: zeros, or those of `start`. */
template <int how, class S, class A> static ALWAYS_INLINE void begin_targets(const A &p, char *array, const char *start)
{
    FOR_ELEMENTS(i, p.targets) {
        last_marks(p)[i] = 0;
        if (how != COMBINE_SET)
            first_marks(p)[i] = 0xffffffffu;
    }
    FOR_ELEMENTS(i, p.fresh) ((S *)array)[i] = start ? ((const S *)start)[i] : S();
}

template <int how, class A> static ALWAYS_INLINE void mark_target(const A &p, int64_t target, int64_t position)
{
    atomicMax(last_marks(p) + target, (uint32_t)position + 1);
    if (how != COMBINE_SET)
        atomicMin(first_marks(p) + target, (uint32_t)position);
}

/* The end of the pairs with the key of the first one. */
template <class P> static ALWAYS_INLINE int64_t run_end(const P *pairs, int64_t first, int64_t length)
{
    const typename P::type key = pairs[first].key();
    int64_t most = 1;
    while (first + most < length && pairs[first + most].key() == key)
        most *= 2;
    most = first + most < length ? most : length - first;
    return first + lower_bound(pairs + first, most, (typename P::type)(key + 1));
}

/* Whether a pair is the first one of a target. The key of what has no target is `size`. */
template <class P> static ALWAYS_INLINE bool is_first(const P *pairs, int64_t i, int64_t size)
{
    return (int64_t)pairs[i].key() != size && (!i || pairs[i - 1].key() != pairs[i].key());
}

/* ---------------------------------------------------------------------------- an index for slices of the array
   `args` has array, index, values; size and step of the indexed dimension, lowest (the least index), skip (an index
   whose values are skipped), count (of indices), spread (of positions that errors name), outer and inner (elements of
   the dimensions before and after), and the nests of these three: extents, steps of the array (for the index: of the index) and steps of the values. */

/* The index with this number, from 0; -1 if it is out of range. Adds the values' offset. */
template <class A> static ALWAYS_INLINE int64_t slice_of(const A &p, int64_t number, int64_t &values)
{
    int64_t at[2] = {0, 0};
    locate<2>(p.nest + 3 * p.outer_dims, p.index_dims, number, at);
    values += at[1];
    const int64_t given = *(const int64_t *)(p.index + at[0]);
    if (given < p.lowest || given >= p.size) {
        report(p.record, p.lowest < 0 ? STATUS_INDEX : STATUS_POSITION, given, number * p.spread, p.size, 0);
        return -1;
    }
    return given < 0 ? given + p.size : given;
}

/* Adds the offsets in the array and in the values of one element of a slice. */
template <class A> static ALWAYS_INLINE void locate_in_slice(const A &p, int64_t outer, int64_t inner, int64_t *at)
{
    locate<2>(p.nest, p.outer_dims, outer, at);
    locate<2>(p.nest + 3 * (p.outer_dims + p.index_dims), p.inner_dims, inner, at);
}

template <class S, class A> static ALWAYS_INLINE void take_slices(const A &p)
{
    const int64_t each = p.count * p.inner, total = p.outer * each;
    int64_t unused = 0;
    if (!total)
        FOR_ELEMENTS(number, p.count) slice_of(p, number, unused);
    FOR_ELEMENTS(i, total) {
        const int64_t outer = quotient(i, each), rest = i - outer * each, number = quotient(rest, p.inner);
        int64_t at[2] = {0, 0};
        const int64_t slice = slice_of(p, number, at[1]);
        if (slice < 0)
            continue;
        locate_in_slice(p, outer, rest - number * p.inner, at);
        *(S *)(p.values + at[1]) = *(const S *)(p.array + at[0] + slice * p.step);
    }
}

template <class A> static ALWAYS_INLINE void mark_slices(const A &p)
{
    int64_t unused = 0;
    FOR_ELEMENTS(number, p.count) {
        const int64_t slice = slice_of(p, number, unused);
        if (slice >= 0 && slice != p.skip)
            mark_target<COMBINE_SET>(p, slice, number);
    }
}

template <class S, class A> static ALWAYS_INLINE void assign_slices(const A &p)
{
    const int64_t each = p.count * p.inner;
    FOR_ELEMENTS(i, p.outer * each) {
        const int64_t outer = quotient(i, each), rest = i - outer * each, number = quotient(rest, p.inner);
        int64_t at[2] = {0, 0};
        const int64_t slice = slice_of(p, number, at[1]);
        if (slice < 0 || last_marks(p)[slice] != number + 1)
            continue;
        locate_in_slice(p, outer, rest - number * p.inner, at);
        *(S *)(p.array + at[0] + slice * p.step) = *(const S *)(p.values + at[1]);
    }
}

template <class P> struct slice_keys {
    typedef P pair;
    template <class A> static ALWAYS_INLINE P load(const A &p, int64_t, int64_t i)
    {
        int64_t unused = 0;
        const int64_t slice = slice_of(p, i, unused);
        return P::of((typename P::type)(slice < 0 || slice == p.skip ? p.size : slice), i);
    }
};

/* A warp for each target and PART elements of its slice. */
template <int how, int CODE, class P, class A> static ALWAYS_INLINE void combine_slices(const A &p)
{
    typedef typename combined<CODE>::type S;
    enum { PART = 256 };
    const int64_t elements = p.outer * p.inner, parts = elements / PART + (elements % PART != 0);
    const int lane = threadIdx.x % WARP;
    const P *pairs = pairs_of<P>(p, (int)p.passes, 0);
    for (int64_t task = first_element() / WARP; task < p.count * parts; task += element_stride() / WARP) {
        const int64_t first = quotient(task, parts), part = task - first * parts;
        if (!is_first(pairs, first, p.size))
            continue;
        const int64_t end = run_end(pairs, first, p.count), stop = (part + 1) * PART;
        for (int64_t e = part * PART + lane; e < stop && e < elements; e += WARP) {
            int64_t at[2] = {(int64_t)pairs[first].key() * p.step, 0};
            const int64_t outer = quotient(e, p.inner);
            locate_in_slice(p, outer, e - outer * p.inner, at);
            S *into = (S *)(p.array + at[0]), value = *into;
#pragma unroll 4
            for (int64_t k = first; k < end; k++) {
                int64_t of_index[2] = {0, at[1]};
                locate<2>(p.nest + 3 * p.outer_dims, p.index_dims, pairs[k].place(), of_index);
                value = combined<CODE>::template of<how>(value, *(const S *)(p.values + of_index[1]));
            }
            *into = value;
        }
    }
}

/* -------------------------------------------------------------------------------- an index for every element
   Lines along the indexed dimension: `lines` of `length` indices. `args` has size and step of the array's dimension,
   index_step and value_step along it, dims and nest of the lines: extents, steps of the array, of the index and of
   the values; by_line: whether neighbours in memory are those of a line; and status: of an index out of range. */
struct line_place {
    int64_t line, position;
    int64_t at[3]; /* offsets: of the line in the array, and of the element in the index and in the values */
};

template <class A> static ALWAYS_INLINE line_place place_in(const A &p, int64_t line, int64_t position)
{
    line_place place = {line, position, {0, position * p.index_step, position * p.value_step}};
    locate<3>(p.nest, p.dims, line, place.at);
    return place;
}

template <class A> static ALWAYS_INLINE line_place place_of(const A &p, int64_t number)
{
    const int64_t width = p.by_line ? p.length : p.lines, row = quotient(number, width), column = number - row * width;
    return p.by_line ? place_in(p, row, column) : place_in(p, column, row);
}

/* The index of an element; -1 if it is out of range. */
template <class A> static ALWAYS_INLINE int64_t index_of(const A &p, const line_place &place)
{
    const int64_t given = *(const int64_t *)(p.index + place.at[1]);
    if (given >= 0 && given < p.size)
        return given;
    int64_t position = place.position, rest = place.line; /* in the index, row-major */
    if (p.record) {
        const int64_t before = rest / p.lines_after;
        position = (before * p.length + place.position) * p.lines_after + rest % p.lines_after;
        report(p.record, p.status, given, position, p.size, 0);
    }
    return -1;
}

template <class S, class A> static ALWAYS_INLINE void gather_elements(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.length) {
        const line_place place = place_of(p, i);
        const int64_t index = index_of(p, place);
        if (index >= 0)
            *(S *)(p.values + place.at[2]) = *(const S *)(p.array + place.at[0] + index * p.step);
    }
}

template <class A> static ALWAYS_INLINE void mark_elements(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.length) {
        const line_place place = place_of(p, i);
        const int64_t index = index_of(p, place);
        if (index >= 0)
            mark_target<COMBINE_SET>(p, place.line * p.size + index, place.position);
    }
}

template <class S, class A> static ALWAYS_INLINE void assign_elements(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.length) {
        const line_place place = place_of(p, i);
        const int64_t index = index_of(p, place);
        if (index >= 0 && last_marks(p)[place.line * p.size + index] == place.position + 1)
            *(S *)(p.array + place.at[0] + index * p.step) = *(const S *)(p.values + place.at[2]);
    }
}

template <class P> struct index_keys {
    typedef P pair;
    template <class A> static ALWAYS_INLINE P load(const A &p, int64_t line, int64_t i)
    {
        const int64_t index = index_of(p, place_in(p, line, i));
        return P::of((typename P::type)(index < 0 ? p.size : index), i);
    }
};

/* A thread for each target. */
template <int how, int CODE, class P, class A> static ALWAYS_INLINE void combine_elements(const A &p)
{
    typedef typename combined<CODE>::type S;
    FOR_ELEMENTS(i, p.lines * p.length) {
        const int64_t line = quotient(i, p.length), first = i - line * p.length;
        const P *pairs = pairs_of<P>(p, (int)p.passes, line);
        if (!is_first(pairs, first, p.size))
            continue;
        const int64_t end = run_end(pairs, first, p.length);
        const line_place place = place_in(p, line, 0);
        S *into = (S *)(p.array + place.at[0] + (int64_t)pairs[first].key() * p.step), value = *into;
#pragma unroll 4
        for (int64_t k = first; k < end; k++)
            value = combined<CODE>::template of<how>(
                value, *(const S *)(p.values + place.at[2] + pairs[k].place() * p.value_step));
        *into = value;
    }
}
