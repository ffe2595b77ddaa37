/* Convolutions of float or double, of images or volumes, and their derivatives, as products of matrices.

   Note [Implicit patches]
   ~~~~~~~~~~~~~~~~~~~~~~~
   Each of the three operators is, for each group, a product o (m, n) = by (m, k) @ patches (k, n) whose right matrix is
   not stored: an element of it is an element of `from`, found by adding the points of its row and its column, or 0 if
   the sum is in the padding.

       operator       by, from           m         n              k
       conv2d         weights, images    filters   output pixels  taps: channels x weights of a channel
       conv2d_input   weights, gradient  channels  input pixels   filters x weights that reach these pixels
       conv2d_weight  gradient, images   filters   taps           output pixels

   Pixels are those of all images. With a stride, only some of the weights reach an input pixel: the same for all pixels
   with one remainder modulo the strides, a phase. So the input's gradient is one product for each phase.

   A block of 256 threads computes tiles of ROWS * EACH_M x (256 / ROWS) * EACH_N elements. Slices of SLICE columns of
   `by` and rows of patches pass through shared memory, and so do their points. `k` may be split between blocks, which
   write to the workspace and are added in order. Results depend on shapes only. Indices fit in 32 bits: see the planner.

   `args` has, each with three numbers, `in` and `out` (the images' and the results' sizes), `kernel`, `stride`,
   `padding`, `dilation`; for phases their number, `lengths` (of the first ones), `step` (between the weights of a phase),
   `inverse` and `divisor`; images, groups, channels and filters of a group, columns (n of the product), tiles, tiles_m,
   tiles_n, splits, k_each (of a split), plane (the elements of a plane, or volume, of results). */
#pragma once
#include "facula/common.cuh"
#include "facula/products.cuh"

enum { CONVOLVE, INPUT_GRADIENT, WEIGHT_GRADIENT };

/* A part of a position: the offset in elements, and the coordinates, whose sums are compared with sizes. */
struct point {
    int64_t offset;
    int32_t place[3];
};
static ALWAYS_INLINE point nowhere()
{
    enum { FAR = -(1 << 30) };
    return point{0, {FAR, FAR, FAR}};
}

/* Sets the coordinates of a number in an array of three dimensions, and returns what remains. */
static ALWAYS_INLINE int64_t coordinates(uint32_t number, const int64_t *size, int32_t *at)
{
    for (int d = 2; d >= 0; d--) {
        const uint32_t rest = number / (uint32_t)size[d];
        at[d] = (int32_t)(number - rest * (uint32_t)size[d]);
        number = rest;
    }
    return number;
}
static ALWAYS_INLINE int64_t offset_of(const int32_t *at, const int64_t *size)
{
    return (at[0] * size[1] + at[1]) * size[2] + at[2];
}
static ALWAYS_INLINE int64_t volume(const int64_t *size) { return size[0] * size[1] * size[2]; }

/* The product of one group, for the input's gradient also of one phase. */
template <int what, class A> struct group_product {
    const A &p;
    int64_t group, k;
    int32_t remainder[3], weight[3], base[3]; /* of the phase: the first weight, and what it reads for the first pixel */
    int64_t weights[3];                       /* the number of weights of the phase */

    ALWAYS_INLINE group_product(const A &p_, int64_t number) : p(p_)
    {
        if constexpr (what == CONVOLVE)
            k = p.channels * volume(p.kernel);
        if constexpr (what == WEIGHT_GRADIENT)
            k = p.images * p.plane;
        group = number;
        if constexpr (what == INPUT_GRADIENT) {
            group = coordinates((uint32_t)number, p.phases, remainder);
            k = p.filters;
            for (int d = 0; d < 3; d++) { /* weights with place * dilation = remainder + padding, modulo the stride */
                const int32_t reach = remainder[d] + (int32_t)p.padding[d], divisor = (int32_t)p.divisor[d];
                const int32_t quotient = reach / divisor, step = (int32_t)p.step[d];
                weight[d] = (int32_t)((uint64_t)(uint32_t)quotient * (uint64_t)p.inverse[d] % (uint32_t)step);
                const bool none = quotient * divisor != reach || weight[d] >= p.kernel[d];
                weights[d] = none ? 0 : ((int32_t)p.kernel[d] - weight[d] + step - 1) / step;
                base[d] = (reach - weight[d] * (int32_t)p.dilation[d]) / (int32_t)p.stride[d];
                k *= weights[d];
            }
        }
    }

    ALWAYS_INLINE int64_t m() const { return what == INPUT_GRADIENT ? p.channels : p.filters; }
    ALWAYS_INLINE const int64_t *sizes() const { return what == INPUT_GRADIENT ? p.out : p.in; }

    /* The offset of this group's matrices, and the steps of their rows. */
    ALWAYS_INLINE int64_t by_start() const
    {
        return group * p.filters * (what == WEIGHT_GRADIENT ? p.plane : p.channels * volume(p.kernel));
    }
    ALWAYS_INLINE int64_t by_step() const
    {
        return what == CONVOLVE ? k : what == INPUT_GRADIENT ? volume(p.kernel) : p.plane;
    }
    ALWAYS_INLINE int64_t from_start() const
    {
        return group * (what == INPUT_GRADIENT ? p.filters : p.channels) * volume(sizes());
    }
    ALWAYS_INLINE int64_t target_start() const { return group * m() * target_step(); }
    ALWAYS_INLINE int64_t target_step() const
    {
        return what == CONVOLVE ? p.plane : what == INPUT_GRADIENT ? volume(p.in) : p.columns;
    }

    /* The offset of a pixel of the results, in the first filter. */
    ALWAYS_INLINE int64_t at_pixel(int64_t number) const
    {
        const int64_t image = (uint32_t)number / (uint32_t)p.plane;
        return image * p.groups * p.filters * p.plane + (number - image * p.plane);
    }
    /* A pixel of the results, as the patch under it. */
    ALWAYS_INLINE point patch(int64_t number) const
    {
        point found;
        const int64_t image = coordinates((uint32_t)number, p.out, found.place);
        for (int d = 0; d < 3; d++)
            found.place[d] = found.place[d] * (int32_t)p.stride[d] - (int32_t)p.padding[d];
        found.offset = image * p.groups * p.channels * volume(p.in) + offset_of(found.place, p.in);
        return found;
    }
    /* A weight of a filter, as the element of a patch that it multiplies. */
    ALWAYS_INLINE point tap(int64_t number) const
    {
        point found;
        const int64_t channel = coordinates((uint32_t)number, p.kernel, found.place);
        for (int d = 0; d < 3; d++)
            found.place[d] *= (int32_t)p.dilation[d];
        found.offset = channel * volume(p.in) + offset_of(found.place, p.in);
        return found;
    }

    /* A column of the right matrix. Its results are at `target`, unless that is negative. */
    ALWAYS_INLINE point column(int64_t number, int64_t &target) const
    {
        if constexpr (what == WEIGHT_GRADIENT) {
            target = number;
            return tap(number);
        } else if constexpr (what == CONVOLVE) {
            target = at_pixel(number);
            return patch(number);
        } else {
            point found;
            int32_t at[3];
            const int64_t image = coordinates((uint32_t)number, p.lengths, at);
            bool inside = true;
            for (int d = 0; d < 3; d++) {
                found.place[d] = base[d] + at[d];
                at[d] = remainder[d] + at[d] * (int32_t)p.stride[d];
                inside &= at[d] < p.in[d];
            }
            target = inside ? image * p.groups * p.channels * volume(p.in) + offset_of(at, p.in) : -1;
            found.offset = image * p.groups * p.filters * p.plane + offset_of(found.place, p.out);
            return found;
        }
    }

    /* A row of the right matrix, and the offset of the column of `by` that belongs to it. */
    ALWAYS_INLINE point row(int64_t number, int64_t &column_of_by) const
    {
        if constexpr (what == CONVOLVE) {
            column_of_by = number;
            return tap(number);
        } else if constexpr (what == WEIGHT_GRADIENT) {
            column_of_by = at_pixel(number);
            return patch(number);
        } else {
            point found;
            int32_t at[3];
            const int64_t filter = coordinates((uint32_t)number, weights, at);
            for (int d = 0; d < 3; d++) {
                found.place[d] = -at[d] * (int32_t)(p.dilation[d] / p.divisor[d]);
                at[d] = weight[d] + at[d] * (int32_t)p.step[d];
            }
            column_of_by = filter * p.channels * volume(p.kernel) + offset_of(at, p.kernel);
            found.offset = filter * p.plane + offset_of(found.place, p.out);
            return found;
        }
    }
};

template <class T> static ALWAYS_INLINE T element_at(const T *from, const point &a, const point &b, const int64_t *size)
{
    bool inside = true;
    for (int d = 0; d < 3; d++)
        inside &= (uint32_t)(a.place[d] + b.place[d]) < (uint32_t)size[d];
    return inside ? from[a.offset + b.offset] : T(0);
}

template <int what, class T, int ROWS, int EACH_M, int EACH_N, class A> static ALWAYS_INLINE void convolve(const A &p)
{
    enum { THREADS = 256, ACROSS = THREADS / ROWS, TILE_M = ROWS * EACH_M, TILE_N = ACROSS * EACH_N };
    __shared__ T left[SLICE][TILE_M + 1], right[SLICE][TILE_N + 1];
    __shared__ point columns[TILE_N], rows[SLICE];
    __shared__ int64_t columns_of_by[SLICE];
    const int thread = (int)threadIdx.x, first_row = thread / ACROSS * EACH_M, first_column = thread % ACROSS;
    for (int64_t tile = blockIdx.x; tile < p.tiles; tile += gridDim.x) {
        const int64_t tile_m = tile / p.tiles_n, rest = tile_m / p.tiles_m, product = rest / p.splits;
        const int64_t split = rest - product * p.splits;
        const int64_t n0 = (tile - tile_m * p.tiles_n) * TILE_N, m0 = (tile_m - rest * p.tiles_m) * TILE_M;
        const group_product<what, A> g(p, product);
        const T *const by = (const T *)p.by + g.by_start() + m0 * g.by_step();
        const T *const from = (const T *)p.from + g.from_start();
        const int64_t begin = split * p.k_each, end = begin + p.k_each < g.k ? begin + p.k_each : g.k;
        int64_t target;
        for (int e = thread; e < TILE_N; e += THREADS)
            columns[e] = n0 + e < p.columns ? g.column(n0 + e, target) : nowhere();
        T sums[EACH_M][EACH_N] = {};
#pragma unroll 1
        for (int64_t k0 = begin; k0 < end; k0 += SLICE) {
            if (thread < SLICE)
                rows[thread] = k0 + thread < end ? g.row(k0 + thread, columns_of_by[thread]) : nowhere();
            __syncthreads(); /* also before the next slice overwrites the last one */
            for (int e = thread; e < TILE_M * SLICE; e += THREADS) {
                const int d = e % SLICE, m = e / SLICE;
                left[d][m] = m0 + m < g.m() && k0 + d < end ? by[m * g.by_step() + columns_of_by[d]] : T(0);
            }
            for (int e = thread; e < TILE_N * SLICE; e += THREADS) {
                const int d = what == WEIGHT_GRADIENT ? e % SLICE : e / TILE_N;
                const int n = what == WEIGHT_GRADIENT ? e / SLICE : e % TILE_N;
                right[d][n] = element_at(from, rows[d], columns[n], g.sizes());
            }
            __syncthreads();
            for (int d = 0; d < SLICE; d++)
                for (int i = 0; i < EACH_M; i++)
                    for (int j = 0; j < EACH_N; j++)
                        sums[i][j] = total<T>::add(sums[i][j], left[d][first_row + i],
                                                   right[d][first_column + j * ACROSS]);
        }
        T *const o = (p.splits > 1 ? (T *)p.workspace + split * p.n : (T *)p.o) + g.target_start();
        for (int j = 0; j < EACH_N; j++) {
            const int64_t n = n0 + first_column + j * ACROSS;
            if (n >= p.columns)
                continue;
            g.column(n, target);
            for (int i = 0; i < EACH_M; i++) {
                const int64_t m = m0 + first_row + i;
                if (m >= g.m() || target < 0)
                    continue;
                T result = sums[i][j];
                if (p.splits == 1 && p.bias)
                    result += ((const T *)p.bias)[g.group * g.m() + m];
                o[m * g.target_step() + target] = result;
            }
        }
    }
}

/* Adds the parts of a result whose k was split. */
template <class T, class A> static ALWAYS_INLINE void join_splits(const A &p)
{
    FOR_ELEMENTS(i, p.n) {
        T sum = 0;
        for (int64_t split = 0; split < p.splits; split++)
            sum += ((const T *)p.workspace)[split * p.n + i];
        if (p.bias)
            sum += ((const T *)p.bias)[i / p.plane % (p.groups * p.filters)];
        ((T *)p.o)[i] = sum;
    }
}
