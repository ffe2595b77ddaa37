/* gelu and its approximation by tanh, with their derivatives, for float32 and float64. They are accurate to the last
   bits for every x: far below 0, where 1 + erf(x / sqrt(2)) would cancel, the result is a product.

   gelu(x) = x Q(-x) with the normal distribution's tail Q(z) = exp(-z^2 / 2) q(z), q(z) = exp(z^2 / 2) erfc(z /
   sqrt(2)) / 2. z q(z) is a polynomial of 1 / (1 + c z), but not near 0: there z Q(z) is z / 2 - z^2 p(z^2). The
   approximation is x / (1 + exp(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3). Squares and u are computed with extra
   precision, because exp amplifies their rounding errors. */
#pragma once
#include "elements/math/error.h"
#include "elements/math/pairs.h"

#define INVERSE_ROOT_2PI 0x1.9884533d43651p-2
#define ROOT_HALF 0x1.6a09e667f3bcdp-1
/* 2 u = x (GELU_LINEAR + GELU_CUBIC x^2). */
#define GELU_LINEAR 0x1.9884533d43651p+0
#define GELU_LINEAR_LOW -0x1.cbc0d30ebfd15p-54
#define GELU_CUBIC 0x1.2444f2a4d8b4bp-4
#define GELU_CUBIC_LOW -0x1.6c843a29d1c70p-61

/* The error of the quotient t = 1 / (2 - y), relative to t. */
static ALWAYS_INLINE float quotient_rest(float t, float y)
{
#ifdef __FMA__
    return __builtin_fmaf(t, y, __builtin_fmaf(t, -2.0f, 1.0f));
#else
    return (float)(1.0 - (double)t * (2.0 - (double)y));
#endif
}

/* a b + c, rounded to float32 once (without fused multiply-add, after rounding to float64): two roundings would lose
   too much. */
static ALWAYS_INLINE float fused(float a, float b, float c)
{
#ifdef __FMA__
    return __builtin_fmaf(a, b, c);
#else
    return (float)((double)a * (double)b + (double)c);
#endif
}

/* 2^64 y exp(-z^2 / 2) for z from 0 to 15. The upper half of z has an exact square. */
static ALWAYS_INLINE float times_normal_float32(float y, float z)
{
    const float rounding = ROUNDING + 127 + 64; /* as in logistic_float32: 2^(n + 64) is a number for every n here */
#ifdef __FMA__
    const float half = -0.5f * z, x = half * z, low = __builtin_fmaf(half, z, -x);
#else
    const float upper = float_of_bits(bits_of_float(z) & 0xfffff000), x = -0.5f * upper * upper;
    const float low = -0.5f * (z - upper) * (z + upper);
#endif
    const float shifted = MULTIPLY_ADD(x, 0x1.715476p+0f, rounding), whole = shifted - rounding;
    const float r = MULTIPLY_ADD(whole, -LN2_LOW, MULTIPLY_ADD(whole, -LN2_HIGH, x)) + low;
    return fused(y, small_expm1(r), y) * float_of_bits(bits_of_float(shifted) << 23);
}

/* The same for z up to 39. */
static ALWAYS_INLINE double times_normal_float64(double y, double z)
{
    const double rounding = ROUNDING64 + 1023 + 128;
    const double upper = double_of_bits(bits_of_double(z) & 0xfffffffff8000000u), x = -0.5 * upper * upper;
    const double low = -0.5 * (z - upper) * (z + upper);
    const double shifted = MULTIPLY_ADD64(x, 0x1.71547652b82fep+0, rounding), whole = shifted - rounding;
    const double r = MULTIPLY_ADD64(whole, -LN2_LOW64, MULTIPLY_ADD64(whole, -LN2_HIGH64, x)) + low;
    return MULTIPLY_ADD64(y, small_expm1_64(r), y) * double_of_bits(bits_of_double(shifted) << 52) * 0x1p-128;
}

/* Within 1.995 units in the last place for every x, with fused multiply-add and without. */
static ALWAYS_INLINE float gelu_float32(float x)
{
    const float z = smaller_size(__builtin_fabsf(x), 15.0f), half = -0.5f * z, exponent = half * z;
    /* z Q(z) = z / 2 + exponent p(exponent), up to 0.625: 2^-25.7 of the result */
    float p = 0x1.1d37bap-6f;
    p = MULTIPLY_ADD(p, exponent, 0x1.45d6ecp-4f);
    p = MULTIPLY_ADD(p, exponent, 0x1.1054acp-2f);
    p = MULTIPLY_ADD(p, exponent, 0x1.98844cp-1f);
    const float small = fused(exponent, p, -half);

    const float t = 1.0f / (2.0f - half);
    const float v = MULTIPLY_ADD(quotient_rest(t, half), t, t - 0.3203125f); /* 1 / (2 + z / 2) - 41/128 to more bits */
    /* 2^-64 z q(z) in v, from 0.5 to 15: 2^-26 */
    float q = -0x1.66d1fap-60f;
    q = MULTIPLY_ADD(q, v, 0x1.3e24c2p-59f);
    q = MULTIPLY_ADD(q, v, 0x1.5905c6p-59f);
    q = MULTIPLY_ADD(q, v, -0x1.df0988p-62f);
    q = MULTIPLY_ADD(q, v, -0x1.0f0c1ep-59f);
    q = MULTIPLY_ADD(q, v, -0x1.b0c478p-60f);
    q = MULTIPLY_ADD(q, v, -0x1.8df8d8p-61f);
    q = fused(q, v, -0x1.d9b120p-63f);
    q = fused(q, v, -0x1.542132p-65f);
    q = fused(q, v, 0x1.61cd46p-66f);

    /* exp(-z^2 / 2) = 2^n exp(r), where the product with the upper part of ln 2 is exact, and -z^2 / 2 is not rounded. */
    const float rounding = ROUNDING + 127 + 64; /* as in logistic_float32 */
    const float shifted = MULTIPLY_ADD(exponent, 0x1.715476p+0f, rounding), whole = shifted - rounding;
#ifdef __FMA__
    const float r = MULTIPLY_ADD(whole, -LN2_LOW, __builtin_fmaf(half, z, whole * -LN2_HIGH));
#else
    const float r = (float)(-0.5 * z * z - whole * 0x1.62e42fefa39efp-1);
#endif
    float e = 0x1.6a22d4p-10f; /* exp(r) - 1, as small_expm1, but to more bits */
    e = MULTIPLY_ADD(e, r, 0x1.123ab6p-7f);
    e = MULTIPLY_ADD(e, r, 0x1.5558f6p-5f);
    e = MULTIPLY_ADD(e, r, 0x1.555490p-3f);
    e = fused(e, r, 0.5f);
    e = fused(r * r, e, r);
    const float scale = float_of_bits(bits_of_float(shifted) << 23), large = fused(q, e, q) * scale;
    return (-0.0f > x ? -0.0f : x) - (z < 0.625f ? small : large);
}

static ALWAYS_INLINE double gelu_float64(double x)
{
    static const double p[] = {/* (Q(-z) - 1/2) / z in z^2, up to 0.5: 2^-58 */
                               0x1.9884533d43651p-2, -0x1.1058377e2ceafp-4, 0x1.46d0429761568p-7, -0x1.37403f6429521p-10,
                               0x1.e42b06452beb9p-14, -0x1.3ce72b6656d1fp-17, 0x1.650605df6b79fp-21,
                               -0x1.4e6a592ac59ebp-25};
    static const double q[] = {/* z q(z) in 1 / (1 + z / 4) - 41/64, from 0.5 to 39: 2^-57 */
                               0x1.61cd463304ca4p-2, -0x1.5421381bbdc4dp-2, -0x1.d9b109f4a2920p-1, -0x1.8df7f351459a0p+0,
                               -0x1.b0c9098630fd0p+0, -0x1.0f357d41444dcp+0, -0x1.d8abcfdf66322p-4, 0x1.65a584484511bp-2,
                               0x1.33a469f04b653p-3, -0x1.138d1ce445ef5p-3, -0x1.43312f5b9d66ap-4, 0x1.2dad4972393c1p-4,
                               0x1.06240bf741945p-5, -0x1.9043746c65a2fp-5, -0x1.1d5eeab3c79e6p-8, 0x1.fafadb25ffddfp-6,
                               -0x1.583aeb797fbbep-7, -0x1.79a33ec5fe19ep-7, 0x1.5a5d4c303732dp-6, -0x1.a66154433ab89p-8,
                               -0x1.8e81e26302ad7p-5, -0x1.2e9c4ec6f99efp-5, -0x1.1b573fa8eb0d9p-7};
    const double size = __builtin_fabs(x), z = size > 39.0 ? 39.0 : size, square = z * z;
    const double y = 0.25 * z, t = 1.0 / (1.0 + y);
    const struct pair product = exact_product(t, y);
    const double v = MULTIPLY_ADD64(1.0 - t - product.high - product.low, t, t - 0.640625);
    const double large = (x <= 0.0 ? -0.0 : x) - times_normal_float64(polynomial64(v, q, 22), z);
    return z < 0.5 ? __builtin_copysign(MULTIPLY_ADD64(square, polynomial64(square, p, 7), 0.5 * x), x) : large;
}

/* The derivative: Q(-x) + x exp(-x^2 / 2) / sqrt(2 pi); that of -x is 1 minus that of x. */
static ALWAYS_INLINE float gelu_slope_float32(float x)
{
    const float size = __builtin_fabsf(x), z = size > 15.0f ? 15.0f : size;
    const float tail = scaled_erfc_float32(z, (float)(0.375 * ROOT_HALF), 0x1p-65f);
    const float below = times_normal_float32(MULTIPLY_ADD(z, (float)(-INVERSE_ROOT_2PI * 0x1p-64), tail), z);
    return x > 0.0f ? 1.0f - below : below;
}

static ALWAYS_INLINE double gelu_slope_float64(double x)
{
    const double size = __builtin_fabs(x), z = size > 39.0 ? 39.0 : size;
    const double tail = 0.5 * scaled_erfc_float64(0.296875 * ROOT_HALF * z);
    const double below = times_normal_float64(MULTIPLY_ADD64(z, -INVERSE_ROOT_2PI, tail), z);
    return x > 0.0 ? 1.0 - below : below;
}

/* Beyond these x the result is x, or 0. */
static ALWAYS_INLINE float clamp_gelu_float32(float x)
{
    const float clamped = x > 8.0f ? 8.0f : x; /* NaN passes */
    return clamped < -10.9f ? -10.9f : clamped;
}

static ALWAYS_INLINE double clamp_gelu_float64(double x)
{
    const double clamped = x > 16.0 ? 16.0 : x;
    return clamped < -21.57 ? -21.57 : clamped;
}

static ALWAYS_INLINE float gelu_tanh_float32(float x)
{
    const float bounded = clamp_gelu_float32(x);
    const double wide = bounded, twice = wide * (GELU_LINEAR + GELU_CUBIC * (wide * wide));
    const float high = (float)twice;
    const float result = logistic_float32(bounded, high, (float)(twice - high)) * 0x1p-32f;
    return x > 8.0f ? x : result;
}

/* 2 u of x from -24 to 24. */
static ALWAYS_INLINE struct pair twice_gelu_argument(double x)
{
    const struct pair cubic = {GELU_CUBIC, GELU_CUBIC_LOW};
    const struct pair scaled = pair_product(exact_product(x, x), cubic);
    struct pair factor = exact_sum_of(GELU_LINEAR, scaled.high);
    factor.low += GELU_LINEAR_LOW + scaled.low;
    struct pair twice = exact_product(x, factor.high);
    twice.low += x * factor.low;
    return twice;
}

static ALWAYS_INLINE double gelu_tanh_float64(double x)
{
    const double bounded = clamp_gelu_float64(x);
    const struct pair twice = twice_gelu_argument(bounded);
    const double result = logistic_float64(bounded, twice.high, twice.low) * 0x1p-64;
    return x > 16.0 ? x : result;
}

/* s (1 + x (1 - s) d/dx 2 u) with s = 1 / (1 + exp(-2 u)). */
static ALWAYS_INLINE float gelu_tanh_slope_float32(float x)
{
    const float bounded = clamp_gelu_float32(x), square = bounded * bounded;
    const double wide = bounded, twice = wide * (GELU_LINEAR + GELU_CUBIC * (wide * wide));
    const float high = (float)twice, rounding = ROUNDING + 127 - 32;
    /* As logistic_float32; 1 - s, which x magnifies, from the same exponential e = 2^-32 exp(-2 u). */
    const float shifted = MULTIPLY_ADD(high, -0x1.715476p+0f, rounding), whole = shifted - rounding;
    const float r = MULTIPLY_ADD(whole, -LN2_LOW, MULTIPLY_ADD(whole, -LN2_HIGH, -high)) - (float)(twice - high);
    const float scale = float_of_bits(bits_of_float(shifted) << 23), p = small_expm1(r);
    const float t = 1.0f / (scale + MULTIPLY_ADD(scale, p, 0x1p-32f)), s = t * 0x1p-32f;
    const float rest = MULTIPLY_ADD(scale, p, scale) * t;
    const float inner = bounded * MULTIPLY_ADD(square, (float)(3 * GELU_CUBIC), (float)GELU_LINEAR);
    return s * MULTIPLY_ADD(inner, rest, 1.0f);
}

static ALWAYS_INLINE double gelu_tanh_slope_float64(double x)
{
    const double bounded = clamp_gelu_float64(x), square = bounded * bounded;
    const struct pair twice = twice_gelu_argument(bounded);
    const double s = logistic_float64(0x1p-64, twice.high, twice.low);
    const double rest = logistic_float64(0x1p-64, clamp_logistic64(-twice.high), -twice.low);
    const double inner = bounded * MULTIPLY_ADD64(square, 3 * GELU_CUBIC, GELU_LINEAR);
    return s * MULTIPLY_ADD64(inner, rest, 1.0);
}
