/* Scaled dot product attention of batches of any strides, and its gradient, without storing all scores.

   Note [Attention on a device]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   As on the CPU: see Note [Attention] in its attention.inc. A block computes a tile of 64 queries and 64 columns of the
   values; wider values take several blocks, each with the scores. The gradient recomputes the probabilities from the
   logarithms of the rows' sums: a kernel by queries has the gradient of q, one by keys those of k and v. So all sums
   have a fixed order. Halves are computed in float32.

   `args` has q, k, v, mask, out, lse, or for the gradient g, q, k, v, mask, out, lse, dq, dk, dv and a workspace for the
   products of rows of g and out; scale, share, seed and offset; and batches, length, keys, width, value_width, causal,
   the steps of rows in bytes, mask_col, and the dimensions of batches: extent, and steps of all arrays. */
#pragma once
#include "facula/tiles.cuh" /* first: words that the others need */
#include "elements/math/functions.h"
#include "elements/philox.h"

/* What a block shares: slices of the operands of scores, then probabilities and a slice of their other operand. */
template <int code> struct attention_memory {
    union {
        slice<code> left;
        typename element<code>::number tile[TILE][TILE + 1];
    };
    slice<code> right;
};

/* Add the products of the rows of the tile and the columns of b to this thread's sums. */
template <int code>
static ALWAYS_INLINE void multiply_tile(tile_sums<code> &sums, attention_memory<code> &shared, const operand &b,
                                        int64_t depth)
{
    const int row = first_row(), column = first_column();
#pragma unroll 1
    for (int64_t first = 0; first < depth && first < TILE; first += SLICE) {
        read_part<code>(shared.right, b, first, depth);
        __syncthreads();
        for (int d = 0; d < SLICE; d++)
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sums[i][j] = total_of<code>::type::add(sums[i][j], shared.tile[row + i][first + d],
                                                           shared.right[d][column + j]);
        __syncthreads(); /* before the next slice, or the next tile, overwrites this one */
    }
}

/* The operands of one batch. */
template <int code, int mask_code, class A> struct attending {
    typedef typename element<code>::stored S;
    typedef typename element<code>::number N;
    const A &p;
    enum array { Q, K, V, MASK, G, OUT, DQ, DK, DV, ARRAYS };
    int64_t batch, at[ARRAYS];
    ALWAYS_INLINE attending(const A &p, unsigned batch) : p(p), batch(batch), at{}
    {
        for (int d = 0; d < p.dims; d++) {
            const int64_t *dim = p.nest + (1 + ARRAYS) * d;
            const unsigned rest = batch / (unsigned)dim[0];
            for (int k = 0; k < ARRAYS; k++)
                at[k] += (batch - rest * (unsigned)dim[0]) * dim[1 + k];
            batch = rest;
        }
    }
    /* Rows of a matrix from `row` on, to be multiplied along their columns; and columns from `column` on, along rows. */
    ALWAYS_INLINE operand rows(const char *from, int64_t row, int64_t step, int64_t count) const
    {
        return {from + row * step, step, sizeof(S), count - row, true};
    }
    ALWAYS_INLINE operand columns(const char *from, int64_t row, int64_t step, int64_t column, int64_t count) const
    {
        return {from + row * step + column * (int64_t)sizeof(S), sizeof(S), step, count - column, false};
    }
    ALWAYS_INLINE const char *q() const { return p.q + at[Q]; }
    ALWAYS_INLINE const char *k() const { return p.k + at[K]; }
    ALWAYS_INLINE const char *v() const { return p.v + at[V]; }
    ALWAYS_INLINE const char *g() const { return p.g + at[G]; }
    ALWAYS_INLINE char *out() const { return p.out + at[OUT]; }
    ALWAYS_INLINE char *dq() const { return p.dq + at[DQ]; }
    ALWAYS_INLINE char *dk() const { return p.dk + at[DK]; }
    ALWAYS_INLINE char *dv() const { return p.dv + at[DV]; }

    /* The score of a query and a key, from their product. */
    ALWAYS_INLINE N masked(N product, int64_t i, int64_t j) const
    {
        if (i >= p.length || j >= p.keys || (p.causal && j > i))
            return (N)-INFINITY;
        const N score = product * (N)p.scale;
        if (!p.mask)
            return score;
        const N found = (N)element<mask_code>::read(*(const typename element<mask_code>::stored *)(
            p.mask + at[MASK] + i * p.mask_row + j * p.mask_col));
        return mask_code == BOOL ? found != 0 ? score : (N)-INFINITY : score + found;
    }
    /* The factor of dropout, from the words of the last element's block of Philox. */
    ALWAYS_INLINE N factor(int64_t i, int64_t j, int64_t &block, uint32_t *words) const
    {
        if (!(p.share > 0))
            return 1;
        const int64_t element = (batch * p.length + i) * p.keys + j;
        if (element / 4 != block)
            philox_words(block = element / 4, 1, (uint64_t)p.seed, (uint64_t)p.offset, words);
        const double bound = p.share * 0x1p32;
        const uint32_t least = bound < 0x1p32 - 1 ? (uint32_t)bound : 0xffffffffu;
        return words[element % 4] >= least && p.share < 1 ? (N)(1 / (1 - p.share)) : 0;
    }
    /* Store a tile's sums in rows of `width` elements, `step` bytes apart. */
    ALWAYS_INLINE void store(char *to, int64_t step, int64_t row, int64_t count, int64_t column, int64_t width,
                             const N (&sums)[EACH][EACH], N factor) const
    {
        for (int r = 0; r < EACH; r++)
            for (int c = 0; c < EACH; c++) {
                const int64_t y = row + first_row() + r, x = column + first_column() + c;
                if (y < count && x < width)
                    ((S *)(to + y * step))[x] = element<code>::write(sums[r][c] * factor);
            }
    }
};

/* A function of the 16 threads that have a row of a tile. */
template <class N, class F> static ALWAYS_INLINE N join_row(N x, F join)
{
    for (int by = TILE / EACH / 2; by; by /= 2)
        x = join(x, __shfl_xor_sync(EVERY_LANE, x, by));
    return x;
}

/* The task of a block among batches, tiles of `count` rows, and tiles of the widest result's columns. The planner
   declines more tasks than 32 bits count, whose division is quick and needs no call. */
struct attention_task {
    unsigned batch;
    int64_t row, column;
    ALWAYS_INLINE attention_task(unsigned number, int64_t count, int64_t width)
    {
        const unsigned across = width > TILE ? (unsigned)((width + TILE - 1) / TILE) : 1;
        const unsigned down = (unsigned)((count + TILE - 1) / TILE), rest = number / across;
        column = (int64_t)(number - rest * across) * TILE;
        batch = rest / down;
        row = (int64_t)(rest - batch * down) * TILE;
    }
};

template <int code, int mask_code, class A> static ALWAYS_INLINE void attend(const A &p)
{
    typedef typename element<code>::number N;
    __shared__ attention_memory<code> shared;
    for (unsigned number = blockIdx.x; number < p.tasks; number += gridDim.x) {
        const attention_task task(number, p.length, p.value_width);
        const attending<code, mask_code, A> of(p, task.batch);
        const int64_t end = p.causal && task.row + TILE < p.keys ? task.row + TILE : p.keys;
        N sums[EACH][EACH] = {}, most[EACH], total[EACH] = {};
        for (int r = 0; r < EACH; r++)
            most[r] = (N)-INFINITY;
#pragma unroll 1
        for (int64_t first = 0; first < end; first += TILE) {
            N scores[EACH][EACH] = {};
            multiply_slices<code>(scores, shared.left, shared.right, of.rows(of.q(), task.row, p.q_row, p.length),
                                  of.rows(of.k(), first, p.k_row, p.keys), p.width);
            for (int r = 0; r < EACH; r++) {
                const int64_t i = task.row + first_row() + r, j = first + first_column();
                N greatest = most[r];
                for (int c = 0; c < EACH; c++) {
                    scores[r][c] = of.masked(scores[r][c], i, j + c);
                    greatest = scores[r][c] > greatest ? scores[r][c] : greatest;
                }
                greatest = join_row(greatest, [](N a, N b) { return b > a ? b : a; });
                const N base = greatest == (N)-INFINITY ? 0 : greatest, shrink = real_exp(most[r] - base);
                most[r] = greatest;
                N sum = 0;
                int64_t block = -1;
                uint32_t words[4];
                for (int c = 0; c < EACH; c++) {
                    const N probability = real_exp(scores[r][c] - base), factor = of.factor(i, j + c, block, words);
                    sum += probability;
                    sums[r][c] *= shrink;
                    shared.tile[first_row() + r][first_column() + c] = factor != 0 ? probability * factor : 0;
                }
                total[r] = total[r] * shrink + join_row(sum, [](N a, N b) { return a + b; });
            }
            multiply_tile<code>(sums, shared, of.columns(of.v(), first, p.v_row, task.column, p.value_width),
                                p.keys - first);
        }
        for (int r = 0; r < EACH; r++) {
            const int64_t i = task.row + first_row() + r;
            const N inverse = total[r] == 0 ? 0 : 1 / total[r];
            for (int c = 0; c < EACH; c++)
                sums[r][c] *= inverse;
            if (task.column == 0 && first_column() == 0 && i < p.length)
                ((N *)p.lse)[task.batch * p.length + i] = total[r] == 0 ? (N)INFINITY : most[r] + real_log(total[r]);
        }
        of.store(of.out(), p.out_row, task.row, p.length, task.column, p.value_width, sums, 1);
    }
}

/* The products of the rows of g and out, one by each warp. */
template <int code, int mask_code, class A> static ALWAYS_INLINE void attention_inner(const A &p)
{
    typedef typename element<code>::stored S;
    typedef typename element<code>::number N;
    for (int64_t row = first_element() / WARP; row < p.batches * p.length; row += element_stride() / WARP) {
        const unsigned batch = (unsigned)(row / p.length);
        const attending<code, mask_code, A> of(p, batch);
        const S *g = (const S *)(of.g() + (row - batch * p.length) * p.g_row);
        const S *out = (const S *)(of.out() + (row - batch * p.length) * p.out_row);
        N sum = 0;
        for (int64_t i = threadIdx.x % WARP; i < p.value_width; i += WARP)
            sum += element<code>::read(out[i]) * element<code>::read(g[i]);
        for (int by = WARP / 2; by; by /= 2)
            sum += __shfl_down_sync(EVERY_LANE, sum, by);
        if (threadIdx.x % WARP == 0)
            ((N *)p.workspace)[row] = sum;
    }
}

/* Set this thread's probabilities, after dropout, and the gradients of its scores. Rows of the tile are queries or, with
   `by_keys`, keys. */
template <int code, int mask_code, bool by_keys, class A, class N>
static ALWAYS_INLINE void differentiate_tile(const attending<code, mask_code, A> &of, attention_memory<code> &shared,
                                             int64_t row, int64_t column, N (&kept)[EACH][EACH], N (&slopes)[EACH][EACH])
{
    const A &p = of.p;
    const int64_t i0 = by_keys ? column : row, j0 = by_keys ? row : column;
    const operand q = of.rows(of.q(), i0, p.q_row, p.length), k = of.rows(of.k(), j0, p.k_row, p.keys);
    const operand g = of.rows(of.g(), i0, p.g_row, p.length), v = of.rows(of.v(), j0, p.v_row, p.keys);
    multiply_slices<code>(kept, shared.left, shared.right, by_keys ? k : q, by_keys ? q : k, p.width);
    multiply_slices<code>(slopes, shared.left, shared.right, by_keys ? v : g, by_keys ? g : v, p.value_width);
    for (int a = 0; a < EACH; a++) {
        const int64_t i = i0 + (by_keys ? first_column() : first_row()) + a;
        const int64_t at = of.batch * p.length + i;
        const N lse = i < p.length ? ((const N *)p.lse)[at] : 0, inner = i < p.length ? ((const N *)p.workspace)[at] : 0;
        int64_t block = -1;
        uint32_t words[4];
        for (int b = 0; b < EACH; b++) {
            const int64_t j = j0 + (by_keys ? first_row() : first_column()) + b;
            N &probability = kept[by_keys ? b : a][by_keys ? a : b], &slope = slopes[by_keys ? b : a][by_keys ? a : b];
            const N all = real_exp(of.masked(probability, i, j) - lse), factor = of.factor(i, j, block, words);
            slope = all * ((factor != 0 ? slope * factor : 0) - inner);
            probability = factor != 0 ? all * factor : 0;
        }
    }
}

template <int code, class N>
static ALWAYS_INLINE void share_tile(attention_memory<code> &shared, const N (&numbers)[EACH][EACH])
{
    for (int r = 0; r < EACH; r++)
        for (int c = 0; c < EACH; c++)
            shared.tile[first_row() + r][first_column() + c] = numbers[r][c];
}

template <int code, int mask_code, class A> static ALWAYS_INLINE void attend_back_to_queries(const A &p)
{
    typedef typename element<code>::number N;
    __shared__ attention_memory<code> shared;
    for (unsigned number = blockIdx.x; number < p.query_tasks; number += gridDim.x) {
        const attention_task task(number, p.length, p.width);
        const attending<code, mask_code, A> of(p, task.batch);
        const int64_t end = p.causal && task.row + TILE < p.keys ? task.row + TILE : p.keys;
        N sums[EACH][EACH] = {};
#pragma unroll 1
        for (int64_t first = 0; first < end; first += TILE) {
            N kept[EACH][EACH] = {}, slopes[EACH][EACH] = {};
            differentiate_tile<code, mask_code, false>(of, shared, task.row, first, kept, slopes);
            share_tile<code>(shared, slopes);
            multiply_tile<code>(sums, shared, of.columns(of.k(), first, p.k_row, task.column, p.width), p.keys - first);
        }
        of.store(of.dq(), p.dq_row, task.row, p.length, task.column, p.width, sums, (N)p.scale);
    }
}

template <int code, int mask_code, class A> static ALWAYS_INLINE void attend_back_to_keys(const A &p)
{
    typedef typename element<code>::number N;
    __shared__ attention_memory<code> shared;
    for (unsigned number = blockIdx.x; number < p.key_tasks; number += gridDim.x) {
        const attention_task task(number, p.keys, p.width > p.value_width ? p.width : p.value_width);
        const attending<code, mask_code, A> of(p, task.batch);
        N of_k[EACH][EACH] = {}, of_v[EACH][EACH] = {};
#pragma unroll 1
        for (int64_t first = p.causal ? task.row : 0; first < p.length; first += TILE) {
            N kept[EACH][EACH] = {}, slopes[EACH][EACH] = {};
            differentiate_tile<code, mask_code, true>(of, shared, task.row, first, kept, slopes);
            share_tile<code>(shared, kept);
            multiply_tile<code>(of_v, shared, of.columns(of.g(), first, p.g_row, task.column, p.value_width),
                                p.length - first);
            share_tile<code>(shared, slopes);
            multiply_tile<code>(of_k, shared, of.columns(of.q(), first, p.q_row, task.column, p.width), p.length - first);
        }
        of.store(of.dk(), p.dk_row, task.row, p.keys, task.column, p.width, of_k, (N)p.scale);
        of.store(of.dv(), p.dv_row, task.row, p.keys, task.column, p.value_width, of_v, 1);
    }
}
