/* Cross entropy and the negative log likelihood of rows of classes, and their gradients: the arithmetic of
   facula_cpu's losses/cross_entropy.inc, in its order except for the weights' sums.

   `args` has g (gradients only), x, target, weight, o, the workspace, ignored, smoothing; and rows, classes, the
   steps of x and o between classes in bytes, mean, each (one loss for each row), group and tasks (rows that are
   added together), parts (of the weights' sum), dims and nest: steps of x, target, loss and gradient.

   The workspace: parts sums of the targets' weights, the sum of all weights, then the loss of each row. */
#pragma once
#include "facula/common.cuh"
#include "elements/math/functions.h"

enum { MAX_PARTS = 64, SHORT_ROW = 32 };

static ALWAYS_INLINE float exp_shifted(float x) { return exp_not_positive(x); }
static ALWAYS_INLINE double exp_shifted(double x) { return real_exp(x); }

template <class T, class A> static ALWAYS_INLINE double class_weight(const A &p, int64_t c)
{
    return p.weight ? (double)((const T *)p.weight)[c] : 1;
}

template <class A> static ALWAYS_INLINE int64_t target_at(const A &p, int64_t row, int64_t *at)
{
    at[0] = at[1] = at[2] = at[3] = 0;
    locate<4>(p.nest, p.dims, row, at);
    return *(const int64_t *)(p.target + at[1]);
}

/* Reports targets out of range, and adds the weights of the others. */
template <class T, class A> static ALWAYS_INLINE void check_classes(const A &p)
{
    double *sums = (double *)p.workspace, total = 0, all = 0;
    FOR_ELEMENTS(row, p.rows) {
        int64_t at[4];
        const int64_t target = target_at(p, row, at);
        if (target == p.ignored)
            continue;
        if (target < 0 || target >= p.classes)
            report(p.record, STATUS_TARGET, target, row, p.classes, p.ignored);
        else
            total += class_weight<T>(p, target);
    }
    if (p.smoothing && blockIdx.x == 0)
        for (int64_t c = threadIdx.x; c < p.classes; c += blockDim.x)
            all += class_weight<T>(p, c);
    sum_block(total, all);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = total;
        if (blockIdx.x == 0)
            sums[MAX_PARTS] = all;
    }
}

template <class A> static ALWAYS_INLINE double total_weight(const A &p)
{
    double total = 0;
    for (int64_t part = 0; part < p.parts; part++)
        total += ((const double *)p.workspace)[part];
    return total;
}

template <class A> static ALWAYS_INLINE double *row_losses(const A &p) { return (double *)p.workspace + MAX_PARTS + 1; }

template <class T, class A> static ALWAYS_INLINE T class_value(const A &p, int64_t at, int64_t c)
{
    return *(const T *)(p.x + at + c * p.x_step);
}

/* The greatest number of a row, without NaNs, in every thread. */
template <class T, class A> static ALWAYS_INLINE T greatest_of(const A &p, int64_t at)
{
    double *part = shared_sums();
    T most = -(T)INFINITY;
    for (int64_t c = threadIdx.x; c < p.classes; c += blockDim.x) {
        const T value = class_value<T>(p, at, c);
        most = value > most ? value : most;
    }
    for (int by = WARP / 2; by; by /= 2) {
        const T other = __shfl_down_sync(EVERY_LANE, most, by);
        most = other > most ? other : most;
    }
    if (threadIdx.x % WARP == 0)
        part[threadIdx.x / WARP] = (double)most;
    __syncthreads();
    most = (T)part[0];
    for (int w = 1; w < (int)blockDim.x / WARP; w++)
        most = (T)part[w] > most ? (T)part[w] : most;
    __syncthreads(); /* before sums replace these */
    return most;
}

template <class T, class A> static ALWAYS_INLINE double sum_of_exp(const A &p, int64_t at, T shift)
{
    double sum, unused;
    sum_row<16, true, T>(p.classes, [=](int64_t c, T &a, T &b) {
        a = exp_shifted(class_value<T>(p, at, c) - shift), b = 0; }, sum, unused);
    return sum;
}

/* The sum of w (x - shift) over the classes of a row. */
template <class T, class A> static ALWAYS_INLINE double weighted_sum(const A &p, int64_t at, T shift)
{
    double sum = 0, unused = 0;
    for (int64_t c = threadIdx.x; c < p.classes; c += blockDim.x)
        sum += class_weight<T>(p, c) * (double)(class_value<T>(p, at, c) - shift);
    sum_block(sum, unused);
    return sum;
}

template <class T, class A> static ALWAYS_INLINE void keep_loss(const A &p, int64_t row, int64_t at, double loss)
{
    if (p.each)
        *(T *)(p.o + at) = (T)loss;
    else
        row_losses(p)[row] = loss;
}

template <class A> static ALWAYS_INLINE bool is_class(const A &p, int64_t target)
{
    return target != p.ignored && target >= 0 && target < p.classes;
}

/* A short row's exponentials, added in the order of the classes as the CPU does. */
template <class T, class A> static ALWAYS_INLINE T short_sum(const A &p, int64_t at, T &most)
{
    T sum = 0;
    most = -(T)INFINITY;
    for (int64_t c = 0; c < p.classes; c++) {
        const T value = class_value<T>(p, at, c);
        most = value > most ? value : most;
    }
    for (int64_t c = 0; c < p.classes; c++)
        sum += exp_shifted(class_value<T>(p, at, c) - most);
    return sum;
}

template <class T, class A> static ALWAYS_INLINE void cross_entropy_losses(const A &p)
{
    int64_t at[4];
    if (p.classes <= SHORT_ROW && !p.smoothing) {
        FOR_ELEMENTS(row, p.rows) {
            const int64_t target = target_at(p, row, at);
            double loss = 0;
            if (is_class(p, target)) {
                T most;
                const T logarithm = real_log(short_sum<T>(p, at[0], most));
                const T own = class_value<T>(p, at[0], target) - most;
                loss = class_weight<T>(p, target) * ((double)logarithm - (double)own);
            }
            keep_loss<T>(p, row, at[2], loss);
        }
        return;
    }
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const int64_t target = target_at(p, row, at);
        double loss = 0;
        if (is_class(p, target)) { /* the same in all threads */
            const T shift = greatest_of<T>(p, at[0]);
            const double logarithm = (double)real_log((T)sum_of_exp(p, at[0], shift));
            loss = class_weight<T>(p, target) * (logarithm - (double)(class_value<T>(p, at[0], target) - shift));
            if (p.smoothing) {
                const double all = ((const double *)p.workspace)[MAX_PARTS] * logarithm - weighted_sum(p, at[0], shift);
                loss = (1 - p.smoothing) * loss + p.smoothing / (double)p.classes * all;
            }
        }
        if (threadIdx.x == 0)
            keep_loss<T>(p, row, at[2], loss);
    }
}

/* The same for x that are logarithms already. */
template <class T, class A> static ALWAYS_INLINE void nll_losses(const A &p)
{
    int64_t at[4];
    if (!p.smoothing) {
        FOR_ELEMENTS(row, p.rows) {
            const int64_t target = target_at(p, row, at);
            double loss = 0;
            if (is_class(p, target))
                loss = -1.0 * (class_weight<T>(p, target) * (double)class_value<T>(p, at[0], target)) - 0.0;
            keep_loss<T>(p, row, at[2], loss);
        }
        return;
    }
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const int64_t target = target_at(p, row, at);
        double loss = 0;
        if (is_class(p, target)) {
            const double own = class_weight<T>(p, target) * (double)class_value<T>(p, at[0], target);
            loss = (p.smoothing - 1) * own - p.smoothing / (double)p.classes * weighted_sum(p, at[0], (T)0);
        }
        if (threadIdx.x == 0)
            keep_loss<T>(p, row, at[2], loss);
    }
}

/* The sum or the mean of all losses, by one block with a thread for each task. */
template <class T, class A> static ALWAYS_INLINE void join_losses(const A &p)
{
    double *part = shared_sums(), sum = 0;
    const int64_t from = threadIdx.x * p.group, end = from + p.group < p.rows ? from + p.group : p.rows;
    for (int64_t row = from; row < end; row++)
        sum += row_losses(p)[row];
    part[threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int64_t task = 1; task < p.tasks; task++)
            sum += part[task];
        *(T *)p.o = (T)(p.mean ? sum / total_weight(p) : sum);
    }
}

template <class T, class A> static ALWAYS_INLINE double row_scale(const A &p, int64_t at)
{
    return (double)*(const T *)(p.g + at) / (p.mean ? total_weight(p) : 1);
}

template <class T, class A> static ALWAYS_INLINE void set_class(const A &p, int64_t at, int64_t c, T value)
{
    *(T *)(p.o + at + c * p.o_step) = value;
}

template <class T, class A> static ALWAYS_INLINE void cross_entropy_gradients(const A &p)
{
    int64_t at[4];
    if (p.classes <= SHORT_ROW && !p.smoothing) {
        FOR_ELEMENTS(row, p.rows) {
            const int64_t target = target_at(p, row, at);
            if (!is_class(p, target)) {
                for (int64_t c = 0; c < p.classes; c++)
                    set_class<T>(p, at[3], c, 0);
                continue;
            }
            T most;
            const T own = (T)(row_scale<T>(p, at[2]) * class_weight<T>(p, target));
            const T by = own / short_sum<T>(p, at[0], most);
            for (int64_t c = 0; c < p.classes; c++) {
                const T value = exp_shifted(class_value<T>(p, at[0], c) - most) * by;
                set_class<T>(p, at[3], c, c == target ? value - own : value);
            }
        }
        return;
    }
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const int64_t target = target_at(p, row, at);
        const bool counts = is_class(p, target);
        T shift = 0, by = 0, part = 0, own = 0;
        if (counts) {
            const double scale = row_scale<T>(p, at[2]);
            const double all = p.smoothing ? ((const double *)p.workspace)[MAX_PARTS] : 0;
            const double full = scale * (1 - p.smoothing) * class_weight<T>(p, target);
            const double share = scale * p.smoothing / (double)p.classes;
            shift = greatest_of<T>(p, at[0]);
            by = (T)((full + share * all) / sum_of_exp(p, at[0], shift));
            part = (T)share, own = (T)full;
        }
        for (int64_t c = threadIdx.x; c < p.classes; c += blockDim.x) {
            T value = 0;
            if (counts) {
                value = exp_shifted(class_value<T>(p, at[0], c) - shift) * by;
                if (part)
                    value -= part * (T)class_weight<T>(p, c);
                if (c == target)
                    value -= own;
            }
            set_class<T>(p, at[3], c, value);
        }
    }
}

template <class T, class A> static ALWAYS_INLINE void nll_gradients(const A &p)
{
    int64_t at[4];
    FOR_ELEMENTS(i, p.rows * p.classes) {
        const int64_t row = p.by_row ? i / p.classes : i % p.rows, c = p.by_row ? i % p.classes : i / p.rows;
        const int64_t target = target_at(p, row, at);
        T value = 0;
        if (is_class(p, target)) {
            const double scale = row_scale<T>(p, at[2]);
            const T share = p.smoothing ? (T)(-scale * p.smoothing / (double)p.classes) : 0; /* avoids inf * 0 */
            value = share ? share * (T)class_weight<T>(p, c) : 0;
            if (c == target)
                value -= (T)(scale * (1 - p.smoothing) * class_weight<T>(p, target));
        }
        set_class<T>(p, at[3], c, value);
    }
}
