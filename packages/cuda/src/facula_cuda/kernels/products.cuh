/* Products of matrices with batch dimensions, of any strides: o = a @ b, plus a bias for each column. The reference
   that libraries are compared with; it needs none of them.

   A block of 256 threads computes tiles of 64 x 64 elements, each thread 4 x 4. Slices of 16 columns of a and 16 rows
   of b pass through shared memory. An element is summed in the order of k: results depend on no stream or grid. */
#pragma once
#include "facula/typed.cuh"

enum { TILE = 64, SLICE = 16, EACH = 4 };

template <int D> struct product { /* as _planners/products.py packs it */
    int64_t m, n, k, tiles_m, tiles_n, tiles;
    int64_t a_row, a_col, b_row, b_col, o_row, o_col, bias; /* steps in bytes */
    int64_t a_by_row, b_by_row;  /* whether neighbouring threads read along rows */
    dimensions<3, D> batches;
};
template <int D> struct product_args {
    int64_t n;
    const char *a, *b;
    char *o;
    product<D> p;
};
template <int D> struct product_bias_args {
    int64_t n;
    const char *a, *b, *bias;
    char *o;
    product<D> p;
};

/* Sums: of integers modulo their size, of half types in float32. */
template <class N> struct total {
    typedef N sum;
    static ALWAYS_INLINE N add(N sum, N a, N b) { return (N)(sum + (N)(a * b)); }
};
template <> struct total<int32_t> {
    typedef uint32_t sum;
    static ALWAYS_INLINE sum add(sum so_far, int32_t a, int32_t b) { return so_far + (uint32_t)a * (uint32_t)b; }
};
template <> struct total<int64_t> {
    typedef uint64_t sum;
    static ALWAYS_INLINE sum add(sum so_far, int64_t a, int64_t b) { return so_far + (uint64_t)a * (uint64_t)b; }
};
template <> struct total<float> {
    typedef float sum;
    static ALWAYS_INLINE float add(float sum, float a, float b) { return fmaf(a, b, sum); }
};
template <> struct total<double> {
    typedef double sum;
    static ALWAYS_INLINE double add(double sum, double a, double b) { return fma(a, b, sum); }
};
template <class R> struct total<complex_number<R>> {
    typedef complex_number<R> sum;
    static ALWAYS_INLINE sum add(sum so_far, sum a, sum b)
    {
        return {fma_of(-a.imaginary, b.imaginary, fma_of(a.real, b.real, so_far.real)),
                fma_of(a.imaginary, b.real, fma_of(a.real, b.imaginary, so_far.imaginary))};
    }
    static ALWAYS_INLINE float fma_of(float a, float b, float c) { return fmaf(a, b, c); }
    static ALWAYS_INLINE double fma_of(double a, double b, double c) { return fma(a, b, c); }
};
struct any_pair {
    typedef uint8_t sum;
    static ALWAYS_INLINE uint8_t add(uint8_t sum, uint8_t a, uint8_t b) { return sum | (a & b); }
};
template <int code> struct total_of {
    typedef total<typename element<code>::number> type;
};
template <> struct total_of<BOOL> {
    typedef any_pair type;
};

/* Read one slice of a matrix, with 0 outside: shared[depth][place]. */
template <int code>
static ALWAYS_INLINE void read_slice(typename element<code>::number (&shared)[SLICE][TILE + 1], const char *from,
                                     int64_t step, int64_t deeper, int64_t places, int64_t depth, int64_t along_depth)
{
    typedef typename element<code>::stored stored;
    for (int e = (int)threadIdx.x; e < TILE * SLICE; e += (int)blockDim.x) {
        const int place = along_depth ? e / SLICE : e % TILE, d = along_depth ? e % SLICE : e / TILE;
        shared[d][place] = place < places && d < depth
                               ? element<code>::read(*(const stored *)(from + place * step + d * deeper))
                               : typename element<code>::number{};
    }
}

template <int code, class P>
static ALWAYS_INLINE void multiply(const P &p, const char *a, const char *b, const char *bias, char *o)
{
    typedef typename element<code>::number number;
    typedef typename element<code>::stored stored;
    typedef typename total_of<code>::type add;
    __shared__ number left[SLICE][TILE + 1], right[SLICE][TILE + 1];
    const int row = (int)threadIdx.x / (TILE / EACH) * EACH, column = (int)threadIdx.x % (TILE / EACH) * EACH;
    for (int64_t tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const int64_t n0 = tile % p.tiles_n * TILE, rest = tile / p.tiles_n, m0 = rest % p.tiles_m * TILE;
        int64_t at[3] = {0, 0, 0};
        p.batches.move(rest / p.tiles_m, at);
        const char *const tile_a = a + at[0] + m0 * p.a_row, *const tile_b = b + at[1] + n0 * p.b_col;
        typename add::sum sums[EACH][EACH] = {};
#pragma unroll 1
        for (int64_t k0 = 0; k0 < p.k; k0 += SLICE) {
            read_slice<code>(left, tile_a + k0 * p.a_col, p.a_row, p.a_col, p.m - m0, p.k - k0, p.a_by_row);
            read_slice<code>(right, tile_b + k0 * p.b_row, p.b_col, p.b_row, p.n - n0, p.k - k0, !p.b_by_row);
            __syncthreads();
            for (int d = 0; d < SLICE; d++)
                for (int i = 0; i < EACH; i++)
                    for (int j = 0; j < EACH; j++)
                        sums[i][j] = add::add(sums[i][j], left[d][row + i], right[d][column + j]);
            __syncthreads(); /* before the next slice overwrites this one */
        }
        char *const tile_o = o + at[2];
        for (int i = 0; i < EACH; i++)
            for (int j = 0; j < EACH; j++) {
                const int64_t y = m0 + row + i, x = n0 + column + j;
                if (y >= p.m || x >= p.n)
                    continue;
                number result = (number)sums[i][j];
                if (bias)
                    result = (number)(result + element<code>::read(*(const stored *)(bias + x * p.bias)));
                *(stored *)(tile_o + y * p.o_row + x * p.o_col) = element<code>::write(result);
            }
    }
}

/* `room` is the maximum number of batch dimensions. */
#define PRODUCT(NAME, room, code) \
    SYNC_KERNEL(NAME, product_args<room>) { multiply<code>(p.p, p.a, p.b, nullptr, p.o); }
#define PRODUCT_AND_BIAS(NAME, room, code) \
    SYNC_KERNEL(NAME, product_bias_args<room>) { multiply<code>(p.p, p.a, p.b, p.bias, p.o); }
