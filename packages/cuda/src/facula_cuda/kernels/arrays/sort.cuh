/* Sorting of lines by keys, and what is made of sorted lines.

   Note [Sorting on a device]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~
   An element becomes a pair of an unsigned key, whose order is that of the elements, and its place in the line. Pairs
   differ, so sorting them sorts elements stably. Lines of at most BLOCK_PAIRS elements are sorted by K. E. Batcher's
   bitonic network in shared memory, several in a block. Longer lines are sorted by digits of 8 bits, the least
   significant first. A pass over a digit has three launches: each tile of a line counts its digits, the counts of all
   tiles are added up for each digit, and each tile moves its pairs behind those of smaller digits and of earlier tiles.
   Within a tile, a warp ranks 32 neighbours at a time by votes on the bits of their digits, which keeps their order.
   All launches get the same arguments, so the number of the pass is in the workspace.

   A loader L has `load(p, line, i)`, which returns a pair; a writer W has `write(p, line, pairs, i)`, which gets the
   sorted line, for each i. `args` has lines, length, room (a power of two, for short lines), flip (1: descending),
   passes, tiles (of a line); the workspace, and the places in it of pairs (two arrays), counts and totals (of digits). */
#pragma once
#include "elements/sort_keys.h"
#include "facula/common.cuh"

enum { BLOCK_PAIRS = 1024, DIGITS = 256, SORT_WARPS = DIGITS / WARP, ROUNDS = 8, SORT_TILE = DIGITS * ROUNDS };

/* A key of at most 32 bits and a place, or a key of 64 bits. */
struct narrow_pair {
    typedef uint32_t type;
    uint64_t word;
    static ALWAYS_INLINE narrow_pair of(uint32_t key, int64_t place) { return {(uint64_t)key << 32 | (uint32_t)place}; }
    ALWAYS_INLINE uint32_t key() const { return (uint32_t)(word >> 32); }
    ALWAYS_INLINE int64_t place() const { return (uint32_t)word; }
    ALWAYS_INLINE bool operator<(const narrow_pair &other) const { return word < other.word; }
};
struct wide_pair {
    typedef uint64_t type;
    uint64_t high, low;
    static ALWAYS_INLINE wide_pair of(uint64_t key, int64_t place) { return {key, (uint64_t)place}; }
    ALWAYS_INLINE uint64_t key() const { return high; }
    ALWAYS_INLINE int64_t place() const { return (int64_t)low; }
    ALWAYS_INLINE bool operator<(const wide_pair &other) const
    {
        return high < other.high || (high == other.high && low < other.low);
    }
};

/* ---------------------------------------------------------------------------------------------------- short lines */
template <class L, class W, class A> static ALWAYS_INLINE void sort_short(const A &p)
{
    typedef typename L::pair P;
    __shared__ P pairs[BLOCK_PAIRS];
    const int size = (int)p.room, together = BLOCK_PAIRS / size;
    for (int64_t base = (int64_t)blockIdx.x * together; base < p.lines; base += (int64_t)gridDim.x * together) {
        for (int t = threadIdx.x; t < BLOCK_PAIRS; t += blockDim.x) {
            const int64_t line = base + t / size;
            const int i = t & (size - 1);
            pairs[t] = line < p.lines && i < p.length ? L::load(p, line, i)
                                                      : P::of((typename P::type)~(typename P::type)0, 0xffffffffu);
        }
        __syncthreads();
#pragma unroll 1
        for (int run = 2; run <= size; run *= 2)
#pragma unroll 1
            for (int by = run / 2; by; by /= 2) {
                for (int t = threadIdx.x; t < BLOCK_PAIRS / 2; t += blockDim.x) {
                    const int low = 2 * t - (t & (by - 1)), high = low + by;
                    const P a = pairs[low], b = pairs[high];
                    if ((b < a) == !(low & (size - 1) & run)) {
                        pairs[low] = b;
                        pairs[high] = a;
                    }
                }
                __syncthreads();
            }
        for (int t = threadIdx.x; t < BLOCK_PAIRS; t += blockDim.x) {
            const int64_t line = base + t / size;
            const int i = t & (size - 1);
            if (line < p.lines && i < p.length)
                W::write(p, line, pairs + (t - i), i);
        }
        __syncthreads(); /* before the next lines replace these */
    }
}

/* ----------------------------------------------------------------------------------------------------- long lines */
template <class A> static ALWAYS_INLINE int &sort_pass(const A &p) { return *(int *)p.workspace; }
template <class P, class A> static ALWAYS_INLINE P *pairs_of(const A &p, int pass, int64_t line)
{
    return (P *)(p.workspace + p.pairs) + (pass & 1 ? p.lines * p.length : 0) + line * p.length;
}
template <class A> static ALWAYS_INLINE uint32_t &digit_count(const A &p, int64_t line, int digit, int64_t tile)
{
    return ((uint32_t *)(p.workspace + p.counts))[(line * DIGITS + digit) * p.tiles + tile];
}
template <class A> static ALWAYS_INLINE uint32_t &digit_total(const A &p, int64_t line, int digit)
{
    return ((uint32_t *)(p.workspace + p.totals))[line * DIGITS + digit];
}
template <class P> static ALWAYS_INLINE int digit_of(const P &pair, int pass)
{
    return (int)(pair.key() >> 8 * pass) & (DIGITS - 1);
}

template <class L, class A> static ALWAYS_INLINE void sort_load(const A &p)
{
    if (first_element() == 0)
        sort_pass(p) = 0;
    FOR_ELEMENTS(i, p.lines * p.length) {
        const int64_t line = i / p.length;
        *(pairs_of<typename L::pair>(p, 0, 0) + i) = L::load(p, line, i - line * p.length);
    }
}

template <class P, class A> static ALWAYS_INLINE void sort_count(const A &p)
{
    __shared__ uint32_t found[DIGITS];
    const int pass = sort_pass(p);
    for (int64_t task = blockIdx.x; task < p.lines * p.tiles; task += gridDim.x) {
        const int64_t line = task / p.tiles, tile = task - line * p.tiles;
        const P *pairs = pairs_of<P>(p, pass, line);
        found[threadIdx.x] = 0;
        __syncthreads();
        for (int r = 0; r < ROUNDS; r++) {
            const int64_t i = tile * SORT_TILE + r * DIGITS + threadIdx.x;
            if (i < p.length)
                atomicAdd(found + digit_of(pairs[i], pass), 1u);
        }
        __syncthreads();
        digit_count(p, line, threadIdx.x, tile) = found[threadIdx.x];
    }
}

/* Replaces the counts of each digit by those of the tiles before, with a warp. Counts the pass. */
template <class A> static ALWAYS_INLINE void sort_scan(const A &p)
{
    const int lane = threadIdx.x % WARP;
    if (first_element() == 0)
        sort_pass(p)++;
    for (int64_t task = first_element() / WARP; task < p.lines * DIGITS; task += element_stride() / WARP) {
        uint32_t *counts = &digit_count(p, 0, 0, 0) + task * p.tiles, before = 0;
        for (int64_t base = 0; base < p.tiles; base += WARP) {
            const int64_t tile = base + lane;
            const uint32_t own = tile < p.tiles ? counts[tile] : 0;
            uint32_t sum = own;
            for (int by = 1; by < WARP; by *= 2) {
                const uint32_t left = __shfl_up_sync(EVERY_LANE, sum, by);
                sum += lane >= by ? left : 0;
            }
            if (tile < p.tiles)
                counts[tile] = before + sum - own;
            before += __shfl_sync(EVERY_LANE, sum, WARP - 1);
        }
        if (lane == 0)
            (&digit_total(p, 0, 0))[task] = before;
    }
}

template <class P, class A> static ALWAYS_INLINE void sort_move(const A &p)
{
    __shared__ uint32_t starts[SORT_WARPS][DIGITS]; /* of each warp's pairs with a digit */
    const int pass = sort_pass(p) - 1, lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    uint32_t *const own = starts[warp];
    for (int64_t task = blockIdx.x; task < p.lines * p.tiles; task += gridDim.x) {
        const int64_t line = task / p.tiles, tile = task - line * p.tiles;
        const P *from = pairs_of<P>(p, pass, line);
        P *to = pairs_of<P>(p, pass + 1, line);
        const int64_t first = tile * SORT_TILE + warp * ROUNDS * WARP + lane;
        uint32_t rank[ROUNDS];
        for (int digit = lane; digit < DIGITS; digit += WARP)
            own[digit] = 0;
        __syncwarp();
        for (int r = 0; r < ROUNDS && first - lane + r * WARP < p.length; r++) { /* the same for all lanes */
            const bool there = first + r * WARP < p.length;
            const int digit = there ? digit_of(from[first + r * WARP], pass) : 0;
            auto same = __ballot_sync(EVERY_LANE, there); /* the lanes with this digit */
            for (int bit = 1; bit < DIGITS; bit *= 2) {
                const auto set = __ballot_sync(EVERY_LANE, digit & bit);
                same &= digit & bit ? set : ~set;
            }
            const int before = COUNT_LANES(same & ~(EVERY_LANE << lane));
            rank[r] = own[digit] + before;
            __syncwarp();
            if (there && before == 0)
                own[digit] += COUNT_LANES(same);
            __syncwarp();
        }
        const int digit = threadIdx.x;
        int64_t all;
        uint32_t start = (uint32_t)scan_block(digit_total(p, line, digit), all) + digit_count(p, line, digit, tile);
        for (int w = 0; w < SORT_WARPS; w++) {
            const uint32_t count = starts[w][digit];
            starts[w][digit] = start;
            start += count;
        }
        __syncthreads();
        for (int r = 0; r < ROUNDS; r++)
            if (first + r * WARP < p.length) {
                const P pair = from[first + r * WARP];
                to[own[digit_of(pair, pass)] + rank[r]] = pair;
            }
        __syncwarp(); /* before the next tile's digits replace these */
    }
}

template <class P, class W, class A> static ALWAYS_INLINE void sort_write(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.length) {
        const int64_t line = i / p.length;
        W::write(p, line, (const P *)pairs_of<P>(p, (int)p.passes, line), i - line * p.length);
    }
}

/* --------------------------------------------------------------------------------------- elements of strided arrays
   `args` has a, values and places, their steps `along` a line, and dims and nest (of lines). */
template <int code, class U> static ALWAYS_INLINE U key_of(U x)
{
    constexpr U sign = (U)1 << (8 * sizeof(U) - 1);
    if constexpr (code == BOOL)
        return x != 0;
    else if constexpr (code >= INT8 && code <= INT64)
        return x ^ sign;
    else if constexpr (code == FLOAT16)
        return (U)key_of_float16(x);
    else if constexpr (code == BFLOAT16)
        return (U)key_of_bfloat16(x);
    else if constexpr (code == FLOAT32)
        return key_of_float32(x);
    else if constexpr (code == FLOAT64)
        return key_of_float64(x);
    else
        return x;
}

template <class A> struct line_at {
    int64_t at[3];
    ALWAYS_INLINE line_at(const A &p, int64_t line) : at{0, 0, 0} { locate<3>(p.nest, p.dims, line, at); }
};

template <int code, class U, class P> struct element_keys {
    typedef P pair;
    template <class A> static ALWAYS_INLINE P load(const A &p, int64_t line, int64_t i)
    {
        const U key = key_of<code>(*(const U *)(p.a + line_at<A>(p, line).at[0] + i * p.along[0]));
        return P::of(p.flip ? (U)~key : key, i);
    }
};

template <class U, class A>
static ALWAYS_INLINE void write_element(const A &p, int64_t line, int64_t place, int64_t i)
{
    const line_at<A> of(p, line);
    *(U *)(p.values + of.at[1] + i * p.along[1]) = *(const U *)(p.a + of.at[0] + place * p.along[0]);
    *(int64_t *)(p.places + of.at[2] + i * p.along[2]) = place;
}

/* The first elements in order; `kept`: how many. */
template <class U> struct write_sorted {
    template <class P, class A> static ALWAYS_INLINE void write(const A &p, int64_t line, const P *pairs, int64_t i)
    {
        if (i < p.kept)
            write_element<U>(p, line, pairs[i].place(), i);
    }
};

/* The number of pairs with smaller keys. */
template <class P> static ALWAYS_INLINE int64_t lower_bound(const P *pairs, int64_t length, typename P::type key)
{
    int64_t low = 0, high = length;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (pairs[middle].key() < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The element of one rank. option: k from 1 on; 0: the median, which is the first NaN if there is one; -1: the median
   of the elements that are not NaN. */
template <int code, class U> struct write_rank {
    template <class P, class A> static ALWAYS_INLINE void write(const A &p, int64_t line, const P *pairs, int64_t i)
    {
        if (i)
            return;
        int64_t k = p.option - 1, numbers = p.length;
        if (k < 0) {
            if (code >= FLOAT16 && code <= FLOAT64)
                numbers = lower_bound(pairs, p.length, (typename P::type)(U)~(U)0);
            k = numbers < p.length && (p.option == 0 || !numbers) ? numbers : (numbers - 1) / 2;
        }
        write_element<U>(p, line, pairs[k].place(), 0);
    }
};

/* Leaves the sorted pairs in the workspace, where those of long lines are. */
struct write_pair {
    template <class P, class A> static ALWAYS_INLINE void write(const A &p, int64_t line, const P *pairs, int64_t i)
    {
        pairs_of<P>(p, (int)p.passes, line)[i] = pairs[i];
    }
};

/* The longest run of equal elements so far, in a word for each line: its length, and then, so that the first of
   equally long runs wins, its last place in order, with all bits flipped. */
template <class A> static ALWAYS_INLINE unsigned long long *longest_of(const A &p, int64_t line)
{
    return (unsigned long long *)(p.workspace + p.longest) + line;
}
template <class A> static ALWAYS_INLINE void clear_longest(const A &p)
{
    FOR_ELEMENTS(line, p.lines) *longest_of(p, line) = 0;
}
struct count_run {
    template <class P, class A> static ALWAYS_INLINE void write(const A &p, int64_t line, const P *pairs, int64_t i)
    {
        if (i + 1 < p.length && pairs[i + 1].key() == pairs[i].key())
            return;
        const int64_t count = i + 1 - lower_bound(pairs, i + 1, pairs[i].key());
        atomicMax(longest_of(p, line), (unsigned long long)count << 32 | ~(uint32_t)i);
    }
};
/* The most frequent element, the smallest of equally frequent ones: its last place. */
template <class P, class U, class A> static ALWAYS_INLINE void write_modes(const A &p)
{
    FOR_ELEMENTS(line, p.length ? p.lines : 0)
        write_element<U>(p, line, pairs_of<P>(p, (int)p.passes, line)[~(uint32_t)*longest_of(p, line)].place(), 0);
}

/* -------------------------------------------------------------------------------------------------- sorted arrays
   Positions of values in sorted lines: before the first element that is not smaller or, with `right`, that is
   greater. NaN is placed at the end. `args` has a, values, o; lines, length, count (of values in a line), along, dims
   and nest. */
template <int code, class A> static ALWAYS_INLINE void search_lines(const A &p)
{
    typedef typename element<code>::stored stored;
    FOR_ELEMENTS(i, p.lines * p.count) {
        const int64_t line = i / p.count, number = i - line * p.count;
        const line_at<A> of(p, line);
        const auto x = element<code>::read(*(const stored *)(p.values + of.at[1] + number * p.along[1]));
        int64_t low = 0, high = p.length;
        while (low < high) {
            const int64_t middle = low + (high - low) / 2;
            const auto y = element<code>::read(*(const stored *)(p.a + of.at[0] + middle * p.along[0]));
            if (p.right ? y > x : y >= x)
                high = middle;
            else
                low = middle + 1;
        }
        *(int64_t *)(p.o + of.at[2] + number * p.along[2]) = low;
    }
}

/* Matrices of float32 that undo the row exchanges of elimination; pivots count from 1. `args` has pivots, o; lines,
   length (of pivots), rows, along, dims and nest; the workspace has the order of the rows of each matrix. */
template <class T, class A> static ALWAYS_INLINE void order_rows(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.rows * p.rows) ((float *)p.o)[i] = 0;
    FOR_ELEMENTS(line, p.lines) {
        int32_t *order = (int32_t *)p.workspace + line * p.rows;
        const line_at<A> of(p, line);
        for (int64_t row = 0; row < p.rows; row++)
            order[row] = (int32_t)row;
        for (int64_t k = 0; k < p.length; k++) {
            const int64_t other = (int64_t)*(const T *)(p.pivots + of.at[0] + k * p.along[0]) - 1;
            if (other < 0 || other >= p.rows) {
                report(p.record, STATUS_INDEX, other + 1, k, p.rows, 0);
                continue;
            }
            const int32_t held = order[k];
            order[k] = order[other];
            order[other] = held;
        }
    }
}
template <class A> static ALWAYS_INLINE void place_rows(const A &p)
{
    FOR_ELEMENTS(i, p.lines * p.rows) {
        const int64_t line = i / p.rows, row = ((const int32_t *)p.workspace)[i];
        ((float *)p.o)[(line * p.rows + row) * p.rows + i - line * p.rows] = 1;
    }
}
