/* Adafactor's step of one parameter (N. Shazeer, M. Stern: Adafactor, 2018): that of facula_cpu's adafactor.inc, with
   sums in another order, which depends on shapes alone.

   `args` has the addresses p, g, count, and of the running means `rows` and `columns` of a stack of matrices, or
   `moment` of a vector, which is a matrix of one row; the numbers of facula_cpu's adafactor_numbers.h; the stream's
   scratch memory; matrices, height, width; and the division of the work: a task is `piece` rows of one of the matrices,
   which has `pieces` of them. All kernels but that of columns have `blocks` blocks. */
#pragma once
#include "facula/common.cuh"

static ALWAYS_INLINE float root_of(float x) { return sqrtf(x); }
static ALWAYS_INLINE double root_of(double x) { return sqrt(x); }
template <class T> static ALWAYS_INLINE T toward(T before, double now, double share)
{
    return before + (T)share * ((T)now - before);
}

/* The number of the step, and the weight of its squares in the means. */
template <class A> static ALWAYS_INLINE double count_of(const A &p) { return *(const float *)p.count + 1; }
template <class A> static ALWAYS_INLINE double share_of(const A &p) { return pow(count_of(p), p.decay); }

/* The least mean of means. */
template <class T, class A> static ALWAYS_INLINE double smallest_of(const A &p)
{
    return p.smallest < 0 ? sizeof(T) == 4 ? 0x1p-23 : 0x1p-52 : p.smallest;
}

/* The sums of blocks: of squares of the parameter, then of squares of the step. */
template <class A> static ALWAYS_INLINE double *sums_of(const A &p, int which)
{
    return (double *)(p.scratch + 16) + which * p.blocks;
}
template <class A> static ALWAYS_INLINE void keep_sum(const A &p, int which, double sum)
{
    double none = 0;
    sum_block(sum, none);
    if (threadIdx.x == 0)
        sums_of(p, which)[blockIdx.x] = sum;
}

#define FOR_TASKS(matrix, first, end, p)                                                                           \
    for (int64_t task_ = blockIdx.x; task_ < p.matrices * p.pieces; task_ += gridDim.x)                            \
        for (int64_t matrix = task_ / p.pieces, first = (task_ - matrix * p.pieces) * p.piece, once_ = 1,          \
                     end = first + p.piece < p.height ? first + p.piece : p.height;                                \
             once_; once_ = 0)

/* The means of squares along rows, a warp for each. */
template <class T, class A> static ALWAYS_INLINE void find_row_means(const A &p)
{
    const int lane = threadIdx.x % WARP;
    const double share = share_of(p);
    double size = 0;
    FOR_TASKS(matrix, first, end, p)
    {
        for (int64_t row = matrix * p.height + first + threadIdx.x / WARP; row < matrix * p.height + end;
             row += blockDim.x / WARP) {
            double sum = 0;
            for (int64_t i = row * p.width + lane; i < (row + 1) * p.width; i += WARP) {
                const double g = ((const T *)p.g)[i], x = ((const T *)p.p)[i];
                sum += g * g;
                size += x * x;
            }
            for (int by = WARP / 2; by; by /= 2)
                sum += __shfl_down_sync(EVERY_LANE, sum, by);
            if (lane == 0)
                ((T *)p.rows)[row] = toward(((const T *)p.rows)[row], sum / (double)p.width, share);
        }
    }
    keep_sum(p, 0, size);
}

/* The means of squares along columns: a block adds 32 columns, each warp some of their elements. */
template <class T, class A> static ALWAYS_INLINE void find_column_means(const A &p)
{
    __shared__ double part[8][32];
    const int lane = threadIdx.x % 32, depth = threadIdx.x / 32;
    const double share = share_of(p);
    for (int64_t base = blockIdx.x * 32ll; base < p.matrices * p.width; base += gridDim.x * 32ll) {
        const int64_t column = base + lane, matrix = column / p.width;
        double sum = 0;
        if (column < p.matrices * p.width)
            for (int64_t row = matrix * p.height + depth; row < (matrix + 1) * p.height; row += 8) {
                const double g = ((const T *)p.g)[row * p.width + column - matrix * p.width];
                sum += g * g;
            }
        part[depth][lane] = sum;
        __syncthreads();
        if (depth == 0 && column < p.matrices * p.width) {
            for (int other = 1; other < 8; other++)
                sum += part[other][lane];
            ((T *)p.columns)[column] = toward(((const T *)p.columns)[column], sum / (double)p.height, share);
        }
        __syncthreads(); /* before the next sums replace these */
    }
}

template <class T, class A> static ALWAYS_INLINE void find_moments(const A &p)
{
    const T *g = (const T *)p.g;
    T *moment = (T *)p.moment;
    const double share = share_of(p);
    double size = 0;
    FOR_ELEMENTS(i, p.width)
    {
        const double x = ((const T *)p.p)[i];
        size += x * x;
        moment[i] = toward(moment[i], g[i] * g[i], share);
    }
    keep_sum(p, 0, size);
}

/* Calls use(i, step) for each element of this block, where step is the gradient divided by the root of its moment. */
template <class T, class A, class F> static ALWAYS_INLINE void for_matrix_steps(const A &p, F use)
{
    const double smallest = smallest_of<T>(p);
    const T least = (T)(smallest * smallest);
    FOR_TASKS(matrix, first, end, p)
    {
        const T *rows = (const T *)p.rows + matrix * p.height, *columns = (const T *)p.columns + matrix * p.width;
        const int64_t start = matrix * p.height * p.width;
        double sum = 0, none = 0;
        for (int64_t row = threadIdx.x; row < p.height; row += blockDim.x)
            sum += rows[row];
        sum_block(sum, none);
        const T mean = (T)(sum / (double)p.height), over = mean < (T)smallest ? (T)smallest : mean;
        for (int64_t i = first * p.width + threadIdx.x; i < end * p.width; i += blockDim.x) {
            const int64_t row = i / p.width;
            const T moment = rows[row] * columns[i - row * p.width] / over;
            use(start + i, ((const T *)p.g)[start + i] / root_of(moment < least ? least : moment));
        }
    }
}
template <class T, class A, class F> static ALWAYS_INLINE void for_vector_steps(const A &p, F use)
{
    const double smallest = smallest_of<T>(p);
    const T least = (T)(smallest * smallest);
    FOR_ELEMENTS(i, p.width)
    {
        const T moment = ((const T *)p.moment)[i];
        use(i, ((const T *)p.g)[i] / root_of(moment < least ? least : moment));
    }
}

template <class T, bool of_matrices, class A, class F> static ALWAYS_INLINE void for_steps(const A &p, F use)
{
    if constexpr (of_matrices)
        for_matrix_steps<T>(p, use);
    else
        for_vector_steps<T>(p, use);
}

template <class T, bool of_matrices, class A> static ALWAYS_INLINE void add_steps(const A &p)
{
    double sum = 0;
    for_steps<T, of_matrices>(p, [&](int64_t, T step) { sum += (double)step * step; });
    keep_sum(p, 1, sum);
}

/* Large steps are shortened. */
template <class T, bool of_matrices, class A> static ALWAYS_INLINE void take_steps(const A &p)
{
    const double elements = (double)(p.matrices * p.height * p.width), slowed = 1 / sqrt(count_of(p));
    double own = 0, steps = 0;
    for (int64_t block = threadIdx.x; block < p.blocks; block += blockDim.x) {
        own += sums_of(p, 0)[block];
        steps += sums_of(p, 1)[block];
    }
    sum_block(own, steps);
    const double size = sqrt(own / elements), long_by = sqrt(steps / elements) / p.most;
    const double pace = (p.rate < slowed ? p.rate : slowed) * (size > p.least ? size : p.least);
    const T rate = (T)(p.sign * pace / (long_by > 1 ? long_by : 1)), shrink = (T)p.shrink;
    T *x = (T *)p.p;
    for_steps<T, of_matrices>(p, [&](int64_t i, T step) { x[i] = shrink * x[i] - rate * step; });
}
