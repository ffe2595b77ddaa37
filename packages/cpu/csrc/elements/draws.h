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

/* The float64 of an integer up to 2^53, exactly. Before AVX-512, x86 converts no vectors of 64 bits, so both halves become
   the last bits of 2^52 + half. */
static ALWAYS_INLINE double whole_float64(uint64_t whole)
{
#if defined(__SSE2__) && !defined(__AVX512DQ__)
    const double upper = double_of_bits(whole >> 32 | 0x4330000000000000u) - 0x1p52;
    return upper * 0x1p32 + (double_of_bits((whole & 0xffffffffu) | 0x4330000000000000u) - 0x1p52);
#else
    return (double)(int64_t)whole;
#endif
}

static ALWAYS_INLINE double uniform_of_two(uint64_t words, double low, double high)
{
    double value = low + whole_float64(words >> 11) * 0x1p-53 * (high - low);
    return value < high ? value : low;
}

/* The logarithm of a number from 2^-126 to 1: log_float32 without its cases. */
static ALWAYS_INLINE float log_of_unit(float unit)
{
    const int32_t bits = exponent_bits(unit);
    return log_of_parts((float)bits * 0x1p-23f, float_of_bits(bits_of_float(unit) - (uint32_t)bits) - 1.0f);
}

/* Two independent normal numbers. G. E. P. Box, M. E. Muller: A note on the generation of random normal deviates,
   1958. */
static ALWAYS_INLINE void normal_of(uint32_t first, uint32_t second, float *one, float *other)
{
    float unit = MULTIPLY_ADD((float)first, 0x1p-32f, 0x1p-33f); /* in (0, 1] */
    float radius = sqrtf(-2.0f * log_of_unit(unit));
    /* The angle in quarter turns, and the remainder: |rest| <= 1/4 half turn. */
    uint32_t quarter = (second + 0x20000000u) & 0xc0000000u;
    float rest = (float)(int32_t)(second - quarter) * 0x1p-31f, square = rest * rest;
    float sine = -0x1.2d9a64p-1f; /* sin(pi rest) / rest */
    sine = MULTIPLY_ADD(sine, square, 0x1.465ec0p+1f);
    sine = MULTIPLY_ADD(sine, square, -0x1.4abbbap+2f);
    sine = MULTIPLY_ADD(sine, square, 0x1.921fb6p+1f) * rest;
    float cosine = 0x1.d9c150p-3f; /* cos(pi rest) */
    cosine = MULTIPLY_ADD(cosine, square, -0x1.55c574p+0f);
    cosine = MULTIPLY_ADD(cosine, square, 0x1.03c1dcp+2f);
    cosine = MULTIPLY_ADD(cosine, square, -0x1.3bd3ccp+2f);
    cosine = MULTIPLY_ADD(cosine, square, 1.0f);
    /* Odd quarters exchange them. The sine is negative in the last two quarters, the cosine in the two before. */
    float across = quarter & 0x40000000u ? sine : cosine, up = quarter & 0x40000000u ? cosine : sine;
    *one = radius * float_of_bits(bits_of_float(across) ^ ((quarter ^ quarter << 1) & 0x80000000u));
    *other = radius * float_of_bits(bits_of_float(up) ^ (quarter & 0x80000000u));
}

static ALWAYS_INLINE void normal_of_two(uint64_t first, uint64_t second, double *one, double *other)
{
    const double unit = whole_float64((first >> 11) + 1) * 0x1p-53, radius = sqrt(-2 * log_float64(unit));
    const double angle = whole_float64(second >> 11) * 0x1p-52 * 3.14159265358979323846;
    *one = radius * sine_float64(angle, 1);
    *other = radius * sine_float64(angle, 0);
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
