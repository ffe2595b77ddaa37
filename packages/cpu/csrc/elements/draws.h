/* Values of distributions from random words: an element of 32 bits uses one word, of 64 bits two. Normal numbers are
   computed in pairs from the words of both. */
#pragma once
#include <math.h>

#include "elements/math/functions.h"

/* Evenly from [low, high); `bits` is the type's precision, so that no value rounds to 1. If low + u (high - low) rounds
   to high, the result is low. */
static ALWAYS_INLINE float uniform_of(uint32_t word, int bits, float low, float high)
{
    float unit = (float)(int32_t)(word >> (32 - bits)) * power_of_two(-bits), value = low + unit * (high - low);
    return value < high ? value : low;
}

static ALWAYS_INLINE double uniform_of_two(uint64_t words, double low, double high)
{
    double value = low + (double)(int64_t)(words >> 11) * 0x1p-53 * (high - low);
    return value < high ? value : low;
}

/* Two independent normal numbers. G. E. P. Box, M. E. Muller: A note on the generation of random normal deviates,
   1958. */
static ALWAYS_INLINE void normal_of(uint32_t first, uint32_t second, float *one, float *other)
{
    float unit = MULTIPLY_ADD((float)first, 0x1p-32f, 0x1p-33f); /* in (0, 1] */
    float radius = sqrtf(-2.0f * log_float32(unit));
    /* The angle in quarter turns, and the remainder: |rest| <= 1/4 half turn. */
    uint32_t quarter = (second + 0x20000000u) >> 30;
    float rest = (float)(int32_t)(second - (quarter << 30)) * 0x1p-31f, square = rest * rest;
    float sine = -0x1.2d9a64p-1f; /* sin(pi rest) / rest */
    sine = MULTIPLY_ADD(sine, square, 0x1.465ec0p+1f);
    sine = MULTIPLY_ADD(sine, square, -0x1.4abbbap+2f);
    sine = MULTIPLY_ADD(sine, square, 0x1.921fb6p+1f) * rest;
    float cosine = 0x1.d9c150p-3f; /* cos(pi rest) */
    cosine = MULTIPLY_ADD(cosine, square, -0x1.55c574p+0f);
    cosine = MULTIPLY_ADD(cosine, square, 0x1.03c1dcp+2f);
    cosine = MULTIPLY_ADD(cosine, square, -0x1.3bd3ccp+2f);
    cosine = MULTIPLY_ADD(cosine, square, 1.0f);
    float across = quarter & 1 ? -sine : cosine, up = quarter & 1 ? cosine : sine;
    *one = radius * (quarter & 2 ? -across : across);
    *other = radius * (quarter & 2 ? -up : up);
}

static ALWAYS_INLINE void normal_of_two(uint64_t first, uint64_t second, double *one, double *other)
{
    double unit = (double)(int64_t)((first >> 11) + 1) * 0x1p-53, angle = (double)(int64_t)(second >> 11) * 0x1p-52;
    double radius = sqrt(-2 * log(unit));
    *one = radius * cos(angle * 3.14159265358979323846);
    *other = radius * sin(angle * 3.14159265358979323846);
}

/* The upper half of a product of 128 bits. */
static ALWAYS_INLINE uint64_t high_product(uint64_t x, uint64_t y)
{
#ifdef __SIZEOF_INT128__
    return (uint64_t)((unsigned __int128)x * y >> 64);
#else
    const uint64_t x_high = x >> 32, x_low = (uint32_t)x, y_high = y >> 32, y_low = (uint32_t)y;
    const uint64_t cross = x_high * y_low, other = x_low * y_high;
    const uint64_t carry = ((x_low * y_low >> 32) + (uint32_t)cross + (uint32_t)other) >> 32;
    return x_high * y_high + (cross >> 32) + (other >> 32) + carry;
#endif
}

/* Evenly from [low, low + range); range 0 means 2^64. The bias is at most range / 2^64. */
static ALWAYS_INLINE int64_t integer_of(uint64_t words, int64_t low, uint64_t range)
{
    uint64_t scaled = range ? high_product(words, range) : words;
    return (int64_t)((uint64_t)low + scaled);
}

/* A Bernoulli draw is 1 for words below this bound. */
static ALWAYS_INLINE uint64_t bernoulli_bound(double probability)
{
    const double threshold = probability * 0x1p32;
    return threshold > 0 ? threshold < 0x1p32 ? (uint64_t)threshold : 1ull << 32 : 0;
}

static ALWAYS_INLINE uint64_t two_words(const uint32_t *words, int64_t i)
{
    return words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
}
