/* Batch normalization of channels, and its gradients. x is contiguous: `batch`, `channels`, and `inner` elements of
   each.

   Sums are doubles, as the CPU's, but in another order: `splits` blocks add a part of a channel each, the parts in
   order. The workspace has `splits` pairs for each channel, then five numbers for each channel, of type T: middle,
   scale, shift, slope; and the mean as a double. */
#pragma once
#include "facula/common.cuh"

enum { SUM_PLAIN, SUM_SQUARES, SUM_SLOPES };
enum { COLUMNS = 32 }; /* channels of a block if `inner` is 1 */

template <class A> static ALWAYS_INLINE double *channel_sums(const A &p) { return (double *)p.workspace; }
template <class A> static ALWAYS_INLINE double *channel_means(const A &p)
{
    return (double *)p.workspace + 2 * p.splits * p.channels;
}
template <class T, class A> static ALWAYS_INLINE T *channel_factors(const A &p)
{
    return (T *)((double *)p.workspace + (2 * p.splits + 1) * p.channels);
}

template <int kind, class T> static ALWAYS_INLINE void add_element(T x, T g, double mean, double &sum, double &other)
{
    if (kind == SUM_PLAIN) {
        sum += (double)x;
    } else if (kind == SUM_SQUARES) {
        const double off = (double)x - mean;
        sum += off * off;
    } else {
        sum += (double)g;
        other += (double)g * ((double)x - mean);
    }
}

/* The mean that elements are compared with, of a channel. */
template <int kind, class T, class A> static ALWAYS_INLINE double mean_of(const A &p, int64_t channel)
{
    if constexpr (kind == SUM_PLAIN)
        return 0;
    else if constexpr (kind == SUM_SQUARES)
        return channel_means(p)[channel];
    else
        return (double)((const T *)p.kept_mean)[channel];
}

/* A part of the sums of channels: of one channel for each block, or of COLUMNS neighbours if `inner` is 1. */
template <int kind, class T, class A> static ALWAYS_INLINE void sum_channels(const A &p)
{
    const T *x = (const T *)p.x, *g = x;
    if constexpr (kind == SUM_SLOPES)
        g = (const T *)p.g;
    if (p.inner != 1) {
        for (int64_t task = blockIdx.x; task < p.channels * p.splits; task += gridDim.x) {
            const int64_t channel = task / p.splits, split = task % p.splits, count = p.batch * p.inner;
            const int64_t from = count / p.splits * split;
            const int64_t end = split + 1 == p.splits ? count : from + count / p.splits;
            const double mean = mean_of<kind, T>(p, channel);
            double sum = 0, other = 0;
            for (int64_t i = from + threadIdx.x; i < end; i += blockDim.x) {
                const int64_t at = (i / p.inner * p.channels + channel) * p.inner + i % p.inner;
                add_element<kind>(x[at], g[at], mean, sum, other);
            }
            sum_block(sum, other);
            if (threadIdx.x == 0) {
                channel_sums(p)[2 * task] = sum;
                channel_sums(p)[2 * task + 1] = other;
            }
        }
        return;
    }
    double *part = shared_sums();
    const int64_t tiles = (p.channels + COLUMNS - 1) / COLUMNS;
    const int column = threadIdx.x % COLUMNS, line = threadIdx.x / COLUMNS, lines = blockDim.x / COLUMNS; /* 2 lines */
    for (int64_t task = blockIdx.x; task < tiles * p.splits; task += gridDim.x) {
        const int64_t channel = task / p.splits * COLUMNS + column, split = task % p.splits;
        const int64_t from = p.batch / p.splits * split;
        const int64_t end = split + 1 == p.splits ? p.batch : from + p.batch / p.splits;
        double sum = 0, other = 0;
        if (channel < p.channels) {
            const double mean = mean_of<kind, T>(p, channel);
            for (int64_t row = from + line; row < end; row += lines) {
                const int64_t at = row * p.channels + channel;
                add_element<kind>(x[at], g[at], mean, sum, other);
            }
        }
        part[2 * threadIdx.x] = sum;
        part[2 * threadIdx.x + 1] = other;
        __syncthreads();
        if (line == 0 && channel < p.channels) {
            for (int k = 1; k < lines; k++) {
                sum += part[2 * (k * COLUMNS + column)];
                other += part[2 * (k * COLUMNS + column) + 1];
            }
            channel_sums(p)[2 * (channel * p.splits + split)] = sum;
            channel_sums(p)[2 * (channel * p.splits + split) + 1] = other;
        }
        __syncthreads(); /* before the next sums replace these */
    }
}

template <class A> static ALWAYS_INLINE void join_sums(const A &p, int64_t channel, double &sum, double &other)
{
    sum = other = 0;
    for (int64_t split = 0; split < p.splits; split++) {
        sum += channel_sums(p)[2 * (channel * p.splits + split)];
        other += channel_sums(p)[2 * (channel * p.splits + split) + 1];
    }
}

template <class A> static ALWAYS_INLINE void find_means(const A &p)
{
    FOR_ELEMENTS(channel, p.channels) {
        double sum, unused;
        join_sums(p, channel, sum, unused);
        channel_means(p)[channel] = sum / (double)(p.batch * p.inner);
    }
}

template <class T> static ALWAYS_INLINE T number_or(const char *numbers, int64_t channel, T otherwise)
{
    return numbers ? ((const T *)numbers)[channel] : otherwise;
}

/* The factors of the batch's statistics, and the running ones with the unbiased variance. */
template <class T, bool counted, class A> static ALWAYS_INLINE void training_factors(const A &p)
{
    const double n = (double)(p.batch * p.inner);
    T *factors = channel_factors<T>(p);
    double momentum;
    if constexpr (counted)
        momentum = 1.0 / ((double)*(const int64_t *)p.count + 1);
    else
        momentum = p.momentum;
    FOR_ELEMENTS(channel, p.channels) {
        double sum, unused;
        join_sums(p, channel, sum, unused);
        const double mean = channel_means(p)[channel], inverse = 1 / sqrt(sum / n + p.epsilon);
        const T middle = (T)mean, scale = (T)(inverse * (double)number_or<T>(p.weight, channel, 1));
        factors[4 * channel] = middle;
        factors[4 * channel + 1] = scale;
        /* Add the rounding error of the mean, which may be large compared with small deviations. */
        factors[4 * channel + 2] =
            (T)((double)number_or<T>(p.bias, channel, 0) + ((double)middle - mean) * (double)scale);
        ((T *)p.kept_mean)[channel] = middle;
        ((T *)p.kept_inverse)[channel] = (T)inverse;
        if (p.mean) {
            T *running = (T *)p.mean + channel;
            *running = (T)((1 - momentum) * (double)*running + momentum * mean);
        }
        if (p.variance) {
            T *running = (T *)p.variance + channel;
            *running = (T)((1 - momentum) * (double)*running + momentum * (sum / (n - 1)));
        }
    }
}

template <class T, class A> static ALWAYS_INLINE void given_factors(const A &p)
{
    T *factors = (T *)p.workspace;
    FOR_ELEMENTS(channel, p.channels) {
        const double inverse = 1 / sqrt((double)((const T *)p.variance)[channel] + p.epsilon);
        factors[4 * channel] = ((const T *)p.mean)[channel];
        factors[4 * channel + 1] = (T)(inverse * (double)number_or<T>(p.weight, channel, 1));
        factors[4 * channel + 2] = number_or<T>(p.bias, channel, 0);
    }
}

/* Let y = (x - mean) * inverse. The gradients are sum(g) for the bias, sum(g y) for the weight, and weight * inverse
   * (g - mean(g) - y * mean(g y)) for x. */
template <class T, class A> static ALWAYS_INLINE void gradient_factors(const A &p)
{
    const double n = (double)(p.batch * p.inner);
    T *factors = channel_factors<T>(p);
    FOR_ELEMENTS(channel, p.channels) {
        double sum, dot;
        join_sums(p, channel, sum, dot);
        const double inverse = (double)((const T *)p.kept_inverse)[channel];
        const double along = inverse * (double)number_or<T>(p.weight, channel, 1);
        ((T *)p.bias_gradient)[channel] = (T)sum;
        /* Without elements the deviation is undefined and the saved value is NaN. */
        ((T *)p.weight_gradient)[channel] = n > 0 ? (T)(dot * inverse) : 0;
        factors[4 * channel] = ((const T *)p.kept_mean)[channel];
        factors[4 * channel + 1] = (T)(-along * dot * inverse * inverse / n);
        factors[4 * channel + 2] = (T)(-along * sum / n);
        factors[4 * channel + 3] = (T)along;
    }
}

/* o = (x - mean) * scale + shift, plus g * slope in gradients. */
template <class T, bool with_g, class A> static ALWAYS_INLINE void write_channels(const A &p, const T *factors)
{
    const T *x = (const T *)p.x;
    T *o = (T *)p.o;
    FOR_ELEMENTS(i, p.batch * p.channels * p.inner) {
        const T *by = factors + 4 * (i / p.inner % p.channels);
        T value = (x[i] - by[0]) * by[1] + by[2];
        if constexpr (with_g)
            value = value + ((const T *)p.g)[i] * by[3];
        o[i] = value;
    }
}
