/* Products of two matrices for kernels that compute with the result at once: each thread of a block has 4 x 4 sums of a
   tile of 64 x 64, as in products.cuh. */
#pragma once
#include "facula/common.cuh" /* first: words that the others need */
#include "facula/products.cuh"

/* The rows or columns of a matrix that a tile has: the first of them, the step to the next, the step to the next
   element of one of them, how many there are, and whether neighbouring threads read along them. Steps are in bytes. */
struct operand {
    const char *at;
    int64_t step, deeper, places;
    bool along_depth;
};

template <int code> using slice = typename element<code>::number[SLICE][TILE + 1];
template <int code> using tile_sums = typename element<code>::number[EACH][EACH];

template <int code> static ALWAYS_INLINE void read_part(slice<code> &shared, const operand &of, int64_t first, int64_t depth)
{
    read_slice<code>(shared, of.at + first * of.deeper, of.step, of.deeper, of.places, depth - first, of.along_depth);
}

/* The first of the four rows, and of the four columns, of a tile that this thread computes. */
static ALWAYS_INLINE int first_row() { return (int)threadIdx.x / (TILE / EACH) * EACH; }
static ALWAYS_INLINE int first_column() { return (int)threadIdx.x % (TILE / EACH) * EACH; }

/* Add the products of rows of a and columns of b, which have `depth` elements, to this thread's sums. */
template <int code>
static ALWAYS_INLINE void multiply_slices(tile_sums<code> &sums, slice<code> &left, slice<code> &right, const operand &a,
                                          const operand &b, int64_t depth)
{
    const int row = first_row(), column = first_column();
#pragma unroll 1
    for (int64_t first = 0; first < depth; first += SLICE) {
        read_part<code>(left, a, first, depth);
        read_part<code>(right, b, first, depth);
        __syncthreads();
        for (int d = 0; d < SLICE; d++)
            for (int i = 0; i < EACH; i++)
                for (int j = 0; j < EACH; j++)
                    sums[i][j] = total_of<code>::type::add(sums[i][j], left[d][row + i], right[d][column + j]);
        __syncthreads(); /* before the next slice overwrites this one */
    }
}
