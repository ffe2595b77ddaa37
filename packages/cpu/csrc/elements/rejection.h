/* Draws of gamma, Poisson and binomial distributions.

   Note [Draws by rejection]
   ~~~~~~~~~~~~~~~~~~~~~~~~~
   The number of random words per draw is not known in advance. So each element has a separate stream: block j of
   element i is Philox's block i + j 2^40 of the draw's offset, and an element still depends only on seed, offset and
   its number (Note [Random numbers] in random.c). Numbers are computed in double for every type. Parameters are read
   once, and invalid ones yield NaN: every loop terminates. */
#pragma once
#include <float.h>
#include <math.h>

#include "elements/philox.h"

struct stream {
    uint64_t seed, offset, element, blocks;
    uint32_t words[4];
    int left;     /* of the words */
    int has_pair; /* whether the second number of a normal pair is kept */
    double pair;
};

/* A number in (0, 1), of 53 bits. */
static double uniform(struct stream *stream)
{
    if (!stream->left) {
        philox_words((int64_t)(stream->element + (stream->blocks++ << 40)), 1, stream->seed, stream->offset, stream->words);
        stream->left = 4;
    }
    stream->left -= 2;
    const uint64_t words = stream->words[stream->left] | (uint64_t)stream->words[stream->left + 1] << 32;
    return ((double)(int64_t)(words >> 12) + 0.5) * 0x1p-52;
}

/* G. Marsaglia, T. A. Bray: A convenient method for generating normal variables. SIAM Review 6, 1964. */
static double normal(struct stream *stream)
{
    if (stream->has_pair) {
        stream->has_pair = 0;
        return stream->pair;
    }
    double x, y, square;
    do {
        x = 2 * uniform(stream) - 1;
        y = 2 * uniform(stream) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double scale = sqrt(-2 * log(square) / square);
    stream->pair = y * scale;
    stream->has_pair = 1;
    return x * scale;
}

/* G. Marsaglia, W. W. Tsang: A simple method for generating gamma variables. ACM TOMS 26, 2000. Below a shape of 1 a
   draw is one of shape + 1, times exp(*log_factor). */
static double gamma_draw(double shape, struct stream *stream, double *log_factor)
{
    *log_factor = 0;
    if (!(shape > 0))
        return shape == 0 ? 0 : NAN;
    if (shape > DBL_MAX)
        return shape;
    if (shape < 1) {
        *log_factor = log(uniform(stream)) / shape;
        shape += 1;
    }
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = normal(stream), root = 1 + c * x, v = root * root * root;
        if (root <= 0)
            continue;
        const double u = uniform(stream);
        if (u < 1 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + d * (1 - v + log(v)))
            return d * v;
    }
}

/* log(k!) - (k + 1/2) log(k + 1) + (k + 1) - log(2 pi) / 2 */
static double stirling_rest(double k)
{
    static const double table[10] = {0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509,
                                     0.01664469118982119, 0.01387612882307075, 0.01189670994589177, 0.01041126526197209,
                                     0.009255462182712733, 0.008330563433362871};
    if (k < 10)
        return table[(int)k];
    const double next = k + 1, square = next * next;
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / next;
}

/* The logarithm of the probability of k at a rate of 10 or more; by differences, since the terms are far larger. */
static double log_poisson(double k, double rate)
{
    const double next = k + 1, away = next - rate;
    return away - (k + 0.5) * log1p(away / rate) - 0.5 * log(rate) - 0.9189385332046727 - stirling_rest(k);
}

/* By its inverse below 10; above, W. Hoermann: The transformed rejection method for generating Poisson random
   variables, 1993 (PTRS). */
static double poisson_draw(double rate, struct stream *stream)
{
    if (!(rate > 0))
        return rate == 0 ? 0 : NAN;
    if (rate > 0x1p100) /* the deviation is less than a number's last bit */
        return rate;
    if (rate < 10) {
        double chance = exp(-rate), rest = uniform(stream) - chance, k = 0;
        while (rest > 0 && chance > 0) {
            k += 1;
            chance *= rate / k;
            rest -= chance;
        }
        return k;
    }
    const double root = sqrt(rate), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
    const double scale = 1.1239 + 1.1328 / (b - 3.4), sure = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
        const double u = uniform(stream) - 0.5, v = uniform(stream), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + rate + 0.43);
        if (us >= 0.07 && v <= sure)
            return k;
        if (k < 0 || (us < 0.013 && v > us))
            continue;
        if (log(v * scale / (a / (us * us) + b)) <= log_poisson(k, rate))
            return k;
    }
}

/* W. Hoermann: The generation of binomial random variates, 1993 (BTRS); by the inverse for small expected values. p is
   at most 0.5. */
static double binomial_below(double count, double p, struct stream *stream)
{
    const double q = 1 - p, expected = count * p, odds = p / q;
    if (expected < 10) {
        double chance = exp(count * log1p(-p)), rest = uniform(stream) - chance, k = 0;
        while (rest > 0 && k < count && chance > 0) {
            chance *= (count - k) / (k + 1) * odds;
            k += 1;
            rest -= chance;
        }
        return k;
    }
    const double deviation = sqrt(expected * q), b = 1.15 + 2.53 * deviation, a = -0.0873 + 0.0248 * b + 0.01 * p;
    const double sure = 0.92 - 4.2 / b, alpha = (2.83 + 5.1 / b) * deviation, m = floor((count + 1) * p);
    const double rests = stirling_rest(m) + stirling_rest(count - m);
    for (;;) {
        const double u = uniform(stream) - 0.5, v = uniform(stream), us = 0.5 - fabs(u);
        const double k = floor((2 * a / us + b) * u + expected + 0.5);
        if (us >= 0.07 && v <= sure)
            return k;
        if (k < 0 || k > count)
            continue;
        const double most = (m + 0.5) * log((m + 1) / (odds * (count - m + 1))) +
                            (count + 1) * log((count - m + 1) / (count - k + 1)) +
                            (k + 0.5) * log(odds * (count - k + 1) / (k + 1)) + rests - stirling_rest(k) -
                            stirling_rest(count - k);
        if (log(v * alpha / (a / (us * us) + b)) <= most)
            return k;
    }
}

static double binomial_draw(double count, double p, struct stream *stream)
{
    if (!(count >= 0) || !(p >= 0 && p <= 1) || count > 0x1p52)
        return NAN;
    count = floor(count);
    const double drawn = binomial_below(count, p > 0.5 ? 1 - p : p, stream);
    return p > 0.5 ? count - drawn : drawn;
}

/* A gamma draw is never 0, as callers take its logarithm. */
static ALWAYS_INLINE double gamma_of(double shape, double other, struct stream *stream, double least)
{
    double log_factor, value = gamma_draw(shape, stream, &log_factor);
    (void)other;
    if (log_factor)
        value *= exp(log_factor);
    return value < least ? least : value;
}

static ALWAYS_INLINE double log_gamma_of(double shape, double other, struct stream *stream, double least)
{
    double log_factor, value = gamma_draw(shape, stream, &log_factor);
    (void)other, (void)least;
    return log(value) + log_factor;
}

static ALWAYS_INLINE double poisson_of(double rate, double other, struct stream *stream, double least)
{
    (void)other, (void)least;
    return poisson_draw(rate, stream);
}

static ALWAYS_INLINE double binomial_of(double count, double p, struct stream *stream, double least)
{
    (void)least;
    return binomial_draw(count, p, stream);
}
