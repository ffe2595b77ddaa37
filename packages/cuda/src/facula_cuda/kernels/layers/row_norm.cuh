/* Layer, group and root-mean-square normalization of rows, and their gradients: the arithmetic of facula_cpu's
   normalization/layer_norm.inc in its order, so that the results are the same bits.

   `args` has x, weight, bias, o, mean, inverse, epsilon, or for gradients g, x, mean, inverse, weight, o,
   weight_gradient, bias_gradient; and rows, groups, runs, inner. Row r belongs to group r % groups, and has `runs`
   runs of `inner` elements. Each run of a group has its own weight. */
#pragma once
#include "facula/common.cuh"

/* The sums of x - middle and of its squares. */
template <class E>
static ALWAYS_INLINE void deviations(const typename E::stored *x, int64_t n, typename E::number middle, double &sum,
                                     double &squares)
{
    typedef typename E::number N;
    sum_row<32, false, N>(n, [=](int64_t i, N &a, N &b) { a = E::read(x[i]) - middle, b = a * a; }, sum, squares);
}

template <class E, bool centred, class A> static ALWAYS_INLINE void normalise_rows(const A &p)
{
    typedef typename E::stored S;
    typedef typename E::number N;
    const int64_t n = p.runs * p.inner;
    const S *weight = (const S *)p.weight, *bias = (const S *)p.bias;
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const S *x = (const S *)p.x + row * n;
        S *o = (S *)p.o + row * n;
        N middle = 0;
        if (centred) { /* an estimate of the mean */
            const int64_t few = n < 32 ? n : 32;
            for (int64_t i = 0; i < few; i++)
                middle += E::read(x[i]);
            middle /= (N)few;
        }
        double sum, squares;
        deviations<E>(x, n, middle, sum, squares);
        double off = centred ? sum / (double)n : 0, variance = squares / (double)n - off * off;
        if (squares / (double)n > 16 * variance) { /* the same in all threads */
            middle = (N)((double)middle + off);
            deviations<E>(x, n, middle, sum, squares);
            off = sum / (double)n;
            variance = squares / (double)n - off * off;
            variance = variance < 0 ? 0 : variance; /* NaN remains */
        }
        const double inverse = 1 / sqrt(variance + p.epsilon);
        if (threadIdx.x == 0) {
            ((N *)p.inverse)[row] = (N)inverse;
            if (centred)
                ((N *)p.mean)[row] = (N)((double)middle + off);
        }
        const N scale = (N)inverse, shift = (N)(-off * inverse);
        const int64_t place = row % p.groups * p.runs;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            const N away = E::read(x[i]) - middle;
            N value;
            if (p.inner == 1) {
                value = away * scale + shift;
                if (weight)
                    value = value * E::read(weight[place + i]);
                if (bias)
                    value = value + E::read(bias[place + i]);
            } else {
                const int64_t run = place + i / p.inner;
                const N by = weight ? E::read(weight[run]) : 1, plus = bias ? E::read(bias[run]) : 0;
                value = away * (scale * by) + (shift * by + plus);
            }
            o[i] = E::write(value);
        }
    }
}

/* The gradients of x; with `inner` > 1 and a weight, also each run's sums, in the workspace: g (x - mean), then g. */
template <class E, bool centred, class A> static ALWAYS_INLINE void differentiate_rows(const A &p)
{
    typedef typename E::stored S;
    typedef typename E::number N;
    const int64_t n = p.runs * p.inner;
    const S *weight = (const S *)p.weight;
    const bool by_run = weight && p.inner != 1;
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const S *x = (const S *)p.x + row * n, *g = (const S *)p.g + row * n;
        S *o = (S *)p.o + row * n;
        const int64_t place = row % p.groups * p.runs;
        const N inverse = ((const N *)p.inverse)[row], middle = centred ? ((const N *)p.mean)[row] : 0;
        double sum = 0, dot = 0;
        if (by_run) {
            double *kept = (double *)p.workspace + 2 * row * p.runs;
            for (int64_t run = 0; run < p.runs; run++) {
                const S *xs = x + run * p.inner, *gs = g + run * p.inner;
                double own_sum, own_dot;
                sum_row<32, false, N>(p.inner, [=](int64_t i, N &a, N &b) {
                    a = E::read(gs[i]), b = a * (E::read(xs[i]) - middle); }, own_sum, own_dot);
                const double by = (double)E::read(weight[place + run]);
                sum += own_sum * by;
                dot += own_dot * by;
                if (threadIdx.x == 0) {
                    kept[2 * run] = own_dot;
                    kept[2 * run + 1] = own_sum;
                }
            }
        } else {
            sum_row<32, false, N>(n, [=](int64_t i, N &a, N &b) {
                a = weight ? E::read(g[i]) * E::read(weight[place + i]) : E::read(g[i]);
                b = a * (E::read(x[i]) - middle);
            }, sum, dot);
            if (!weight) { /* as the CPU, which adds to 0, times a weight of 1 */
                sum = 0 + sum * 1;
                dot = 0 + dot * 1;
            }
        }
        const double wide = (double)inverse;
        const N scale = (N)(-dot * wide * wide * wide / (double)n), shift = centred ? (N)(-wide * sum / (double)n) : 0;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
            const N off = (E::read(x[i]) - middle) * scale + shift, from = E::read(g[i]);
            N along = from * inverse;
            if (by_run)
                along = from * (inverse * E::read(weight[place + i / p.inner]));
            else if (weight)
                along = along * E::read(weight[place + i]);
            o[i] = E::write(along + off);
        }
    }
}

/* The length of a row from its sum of squares, or the sum in double precision if that is infinite. */
template <class N> static ALWAYS_INLINE double length_of(const N *x, int64_t n, double squares)
{
    double sum;
    if (!(squares < (double)INFINITY)) /* the same in all threads */
        sum_row<32, false, double>(n, [=](int64_t i, double &a, double &b) { a = 0, b = (double)x[i] * (double)x[i]; },
                                   sum, squares);
    return sqrt(squares);
}

/* Rows divided by their lengths, or by epsilon if that is greater. The inverses of the divisors of short rows are
   negative. */
template <class E, class A> static ALWAYS_INLINE void divide_rows(const A &p)
{
    typedef typename E::number N;
    const int64_t n = p.runs;
    const N least = (N)p.epsilon;
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const N *x = (const N *)p.x + row * n;
        double sum, squares;
        deviations<E>(x, n, 0, sum, squares);
        N length = (N)length_of(x, n, squares);
        const bool is_short = length < least;
        length = is_short ? least : length; /* NaN remains */
        if (threadIdx.x == 0)
            ((N *)p.inverse)[row] = (N)(is_short ? -1 : 1) / length;
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            ((N *)p.o)[row * n + i] = x[i] / length;
    }
}

/* Their gradients, with the results of divide_rows in x. */
template <class E, class A> static ALWAYS_INLINE void differentiate_quotients(const A &p)
{
    typedef typename E::number N;
    const int64_t n = p.runs;
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const N *y = (const N *)p.x + row * n, *g = (const N *)p.g + row * n;
        double sum, dot;
        sum_row<32, false, N>(n, [=](int64_t i, N &a, N &b) { a = g[i], b = a * y[i]; }, sum, dot);
        const N inverse = ((const N *)p.inverse)[row];
        const bool is_short = inverse < 0;
        const N slope = is_short ? -inverse : inverse, scale = is_short ? 0 : (N)(-dot * (double)inverse);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            ((N *)p.o)[row * n + i] = g[i] * slope + (y[i] * scale + 0);
    }
}

/* Cosines of the angles between rows: the arithmetic of facula_cpu's normalization/row_cosines.inc. */
template <class E, class A> static ALWAYS_INLINE void compare_rows(const A &p)
{
    typedef typename E::number N;
    const int64_t n = p.runs;
    const double least = (double)(N)p.epsilon;
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const N *x = (const N *)p.x + row * n, *y = (const N *)p.y + row * n;
        double squares, others, products, zero;
        sum_row<32, false, N>(n, [=](int64_t i, N &a, N &b) { a = x[i] * x[i], b = y[i] * y[i]; }, squares, others);
        sum_row<32, false, N>(n, [=](int64_t i, N &a, N &b) { a = x[i] * y[i], b = 0; }, products, zero);
        double length = length_of(x, n, squares), other = length_of(y, n, others);
        const bool is_short = length < least, is_other_short = other < least;
        const bool exact = fabs(products) < (double)INFINITY && squares < (double)INFINITY && others < (double)INFINITY &&
                           (!is_short || squares == 0) && (!is_other_short || others == 0);
        length = is_short ? least : length; /* NaN remains */
        other = is_other_short ? least : other;
        if (!exact) /* the same in all threads */
            sum_row<32, false, double>(n, [=](int64_t i, double &a, double &b) {
                a = ((double)x[i] / length) * ((double)y[i] / other), b = 0; }, products, zero);
        if (threadIdx.x == 0) {
            ((N *)p.o)[row] = (N)(exact ? products / length / other : products);
            ((N *)p.inverse)[row] = (N)((is_short ? -1 : 1) / length);
            ((N *)p.other)[row] = (N)((is_other_short ? -1 : 1) / other);
        }
    }
}

/* Their gradients for x. */
template <class E, class A> static ALWAYS_INLINE void differentiate_cosines(const A &p)
{
    typedef typename E::number N;
    const int64_t n = p.runs;
    for (int64_t row = blockIdx.x; row < p.rows; row += gridDim.x) {
        const N *x = (const N *)p.x + row * n, *y = (const N *)p.y + row * n;
        const double inverse = (double)((const N *)p.inverse)[row], share = (double)((const N *)p.g)[row] * fabs(inverse);
        const N slope = (N)(share * fabs((double)((const N *)p.other)[row]));
        const N scale = (N)(inverse < 0 ? 0 : -share * (double)((const N *)p.cosine)[row] * inverse);
        for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
            ((N *)p.o)[row * n + i] = y[i] * slope + (x[i] * scale + 0);
    }
}

/* The sums of one task of rows for one weight and its bias, as doubles, in the workspace: `tasks` times two for each
   weight. Rows are added in order; the CPU widens sums after 32 rows of each group. */
template <class E, bool centred, class A> static ALWAYS_INLINE void sum_columns(const A &p)
{
    typedef typename E::stored S;
    typedef typename E::number N;
    const int64_t channels = p.groups * p.runs, window = 32 * p.groups;
    double *totals = (double *)p.workspace + (p.inner != 1 ? 2 * p.rows * p.runs : 0);
    FOR_ELEMENTS(place, p.tasks * channels) {
        const int64_t task = place / channels, channel = place % channels;
        const int64_t group = channel / p.runs, run = channel % p.runs;
        const int64_t first = task * p.each, end = first + p.each < p.rows ? first + p.each : p.rows;
        double of_weight = 0, of_bias = 0;
        /* The first row of the task that belongs to the group. */
        int64_t row = first + (group - first % p.groups + p.groups) % p.groups;
        if (p.inner != 1) {
            for (; row < end; row += p.groups) {
                const double *kept = (const double *)p.workspace + 2 * (row * p.runs + run);
                of_weight += kept[0] * (double)((const N *)p.inverse)[row];
                of_bias += kept[1];
            }
        } else {
            const S *x = (const S *)p.x, *g = (const S *)p.g;
            while (row < end) {
                const int64_t last = row - (row - first) % window + window;
                N some = 0, others = 0;
                for (; row < end && row < last; row += p.groups) {
                    const N from = E::read(g[row * p.runs + run]), middle = centred ? ((const N *)p.mean)[row] : 0;
                    some += from * ((const N *)p.inverse)[row] * (E::read(x[row * p.runs + run]) - middle);
                    others += from;
                }
                of_weight += (double)some;
                of_bias += (double)others;
            }
        }
        totals[2 * place] = of_weight;
        totals[2 * place + 1] = of_bias;
    }
}

/* The sums of all tasks, in order. */
template <class E, class A> static ALWAYS_INLINE void finish_columns(const A &p)
{
    typedef typename E::stored S;
    typedef typename E::number N;
    const int64_t channels = p.groups * p.runs;
    const double *totals = (const double *)p.workspace + (p.inner != 1 ? 2 * p.rows * p.runs : 0);
    FOR_ELEMENTS(channel, channels) {
        double of_weight = 0, of_bias = 0;
        for (int64_t task = 0; task < p.tasks; task++) {
            of_weight += totals[2 * (task * channels + channel)];
            of_bias += totals[2 * (task * channels + channel) + 1];
        }
        ((S *)p.weight_gradient)[channel] = E::write((N)of_weight);
        if (p.bias_gradient)
            ((S *)p.bias_gradient)[channel] = E::write((N)of_bias);
    }
}
