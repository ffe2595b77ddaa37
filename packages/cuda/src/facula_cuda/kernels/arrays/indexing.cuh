/* Taking, putting, gathering and scattering by index.

   Note [Deterministic scattering]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   Several values may have one target. The last one wins, or all are combined in their order, as on the CPU: the
   results have the same bits in every run. A first kernel marks for each target the first and the last position of
   its values, by atomic operations on integers, whose order does not matter. Then the thread or the warp at the
   first position does all the work of its target: it reads the indices up to the last position and combines their
   values. A target with one value costs nothing more; many targets with far positions cost most.

   Positions are uint32_t: planners decline more. The workspace has `targets` last positions plus 1 (0: none), and
   then, unless values are assigned, as many first positions. */
#pragma once
#include "facula/common.cuh"

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

/* ---------------------------------------------------------------------------- an index for slices of the array
   `args` has array, index, values; size and step of the indexed dimension, lowest (the least index), skip (an index
   whose values are skipped), count (of indices), outer and inner (elements of the dimensions before and after), and
   the nests of these three: extents, steps of the array (for the index: of the index) and steps of the values. */

/* The index with this number, from 0; -1 if it is out of range. Adds the values' offset. */
template <class A> static ALWAYS_INLINE int64_t slice_of(const A &p, int64_t number, int64_t &values)
{
    int64_t at[2] = {0, 0};
    locate<2>(p.nest + 3 * p.outer_dims, p.index_dims, number, at);
    values += at[1];
    const int64_t given = *(const int64_t *)(p.index + at[0]);
    if (given < p.lowest || given >= p.size) {
        report(p.record, p.lowest < 0 ? STATUS_INDEX : STATUS_POSITION, given, number, p.size, 0);
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

template <int how, class A> static ALWAYS_INLINE void mark_slices(const A &p)
{
    int64_t unused = 0;
    FOR_ELEMENTS(number, p.count) {
        const int64_t slice = slice_of(p, number, unused);
        if (slice >= 0 && slice != p.skip)
            mark_target<how>(p, slice, number);
    }
}

template <class S, class A> static ALWAYS_INLINE void put_slices(const A &p)
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

/* A warp for each first position and PART elements of its slice. */
template <int how, int CODE, class A> static ALWAYS_INLINE void combine_slices(const A &p)
{
    typedef typename combined<CODE>::type S;
    enum { PART = 256 };
    const int64_t elements = p.outer * p.inner, parts = elements / PART + (elements % PART != 0);
    const int lane = threadIdx.x % WARP;
    for (int64_t task = first_element() / WARP; task < p.count * parts; task += element_stride() / WARP) {
        const int64_t first = quotient(task, parts), part = task - first * parts;
        int64_t unused = 0;
        const int64_t slice = slice_of(p, first, unused);
        if (slice < 0 || slice == p.skip || first_marks(p)[slice] != first)
            continue; /* the same for all lanes */
        const int64_t end = last_marks(p)[slice], stop = elements < (part + 1) * PART ? elements : (part + 1) * PART;
        for (int64_t base = first; base < end; base += WARP) {
            const bool same = base + lane < end && slice_of(p, base + lane, unused) == slice;
            auto found = __ballot_sync(EVERY_LANE, same);
            for (; found; found &= found - 1) {
                int64_t values = 0;
                slice_of(p, base + FIRST_LANE(found) - 1, values);
                for (int64_t e = part * PART + lane; e < stop; e += WARP) {
                    int64_t at[2] = {slice * p.step, values};
                    const int64_t outer = quotient(e, p.inner);
                    locate_in_slice(p, outer, e - outer * p.inner, at);
                    S *into = (S *)(p.array + at[0]);
                    *into = combined<CODE>::template of<how>(*into, *(const S *)(p.values + at[1]));
                }
            }
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

template <class A> static ALWAYS_INLINE line_place place_of(const A &p, int64_t number)
{
    line_place place;
    const int64_t width = p.by_line ? p.length : p.lines, row = quotient(number, width), column = number - row * width;
    place.line = p.by_line ? row : column;
    place.position = p.by_line ? column : row;
    place.at[0] = place.at[1] = place.at[2] = 0;
    locate<3>(p.nest, p.dims, place.line, place.at);
    place.at[1] += place.position * p.index_step;
    place.at[2] += place.position * p.value_step;
    return place;
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

template <int how, class A> static ALWAYS_INLINE void mark_elements(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.length) {
        const line_place place = place_of(p, i);
        const int64_t index = index_of(p, place);
        if (index >= 0)
            mark_target<how>(p, place.line * p.size + index, place.position);
    }
}

template <class S, class A> static ALWAYS_INLINE void scatter_elements(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.length) {
        const line_place place = place_of(p, i);
        const int64_t index = index_of(p, place);
        if (index >= 0 && last_marks(p)[place.line * p.size + index] == place.position + 1)
            *(S *)(p.array + place.at[0] + index * p.step) = *(const S *)(p.values + place.at[2]);
    }
}

/* One thread for each first position. */
template <int how, int CODE, class A> static ALWAYS_INLINE void combine_elements(const A &p)
{
    typedef typename combined<CODE>::type S;
    FOR_ELEMENTS(i, p.lines * p.length) {
        const line_place place = place_of(p, i);
        const int64_t index = index_of(p, place), target = place.line * p.size + index;
        if (index < 0 || first_marks(p)[target] != place.position)
            continue;
        const int64_t count = last_marks(p)[target] - place.position;
        S *into = (S *)(p.array + place.at[0] + index * p.step), value = *into;
        for (int64_t k = 0; k < count; k++)
            if (*(const int64_t *)(p.index + place.at[1] + k * p.index_step) == index) {
                const S more = *(const S *)(p.values + place.at[2] + k * p.value_step);
                value = combined<CODE>::template of<how>(value, more);
            }
        *into = value;
    }
}

/* The same with a warp, for long lines. */
template <int how, int CODE, class A> static ALWAYS_INLINE void combine_long_lines(const A &p)
{
    typedef typename combined<CODE>::type S;
    const int lane = threadIdx.x % WARP;
    for (int64_t i = first_element() / WARP; i < p.lines * p.length; i += element_stride() / WARP) {
        const line_place place = place_of(p, i);
        const int64_t index = index_of(p, place), target = place.line * p.size + index;
        if (index < 0 || first_marks(p)[target] != place.position)
            continue; /* the same for all lanes */
        const int64_t count = last_marks(p)[target] - place.position;
        S *into = (S *)(p.array + place.at[0] + index * p.step), value = *into;
        for (int64_t base = 0; base < count; base += WARP) {
            const int64_t k = base + lane;
            const bool same = k < count && *(const int64_t *)(p.index + place.at[1] + k * p.index_step) == index;
            auto found = __ballot_sync(EVERY_LANE, same);
            for (; found; found &= found - 1) {
                const int64_t one = base + FIRST_LANE(found) - 1;
                const S more = *(const S *)(p.values + place.at[2] + one * p.value_step);
                value = combined<CODE>::template of<how>(value, more);
            }
        }
        if (lane == 0)
            *into = value;
    }
}
