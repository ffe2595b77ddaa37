/* exp, log, tanh and related functions for float32: branch-free, so that loops over them vectorize.

   Note [Own polynomials]
   ~~~~~~~~~~~~~~~~~~~~~~
   Errors are below 2 units in the last place, most below 1 (tests/test_accuracy.py measures them); infinities, NaN,
   signed zeros and subnormal numbers are handled correctly. The polynomials are minimax fits (Remez exchange) of the
   functions in their comments, on the interval that remains after the reduction. Fused multiply-add is used where the
   processor supports it, so the baseline may differ from the higher levels in the last bit. AVX2 and AVX-512 agree, and
   within a level an element's result never depends on its position or on the number of threads. Method: Cody and Waite,
   Software Manual for the Elementary Functions, 1980. */
#pragma once
#include "elements/half.h"

#ifdef __FMA__
#define MULTIPLY_ADD(a, b, c) __builtin_fmaf(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#endif

/* ln 2 in two parts; the first has 9 bits, so its product with an exponent is exact. */
#define LN2_HIGH 0x1.63p-1f
#define LN2_LOW -0x1.bd0106p-13f
/* Adding this rounds to a whole number, which is then in the low bits. Unlike a conversion, it is defined for NaN. */
#define ROUNDING 0x1.8p23f

/* exp(r) - 1 = r + r^2 q(r) for |r| <= ln 2 / 2. */
static ALWAYS_INLINE float small_expm1(float r)
{
    /* (exp(r) - 1 - r) / r^2 */
    float q = 0x1.6a22d4p-10f;
    q = MULTIPLY_ADD(q, r, 0x1.123ab6p-7f);
    q = MULTIPLY_ADD(q, r, 0x1.5558f6p-5f);
    q = MULTIPLY_ADD(q, r, 0x1.555490p-3f);
    q = MULTIPLY_ADD(q, r, 0x1.fffffcp-2f);
    return MULTIPLY_ADD(r * r, q, r);
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; returns exp(r) - 1. */
static ALWAYS_INLINE float reduced_expm1(float x, int32_t *n)
{
    float shifted = MULTIPLY_ADD(x, 0x1.715476p+0f, ROUNDING), whole = shifted - ROUNDING;
    *n = (int32_t)(bits_of_float(shifted) - bits_of_float(ROUNDING));
    return small_expm1(MULTIPLY_ADD(whole, -LN2_LOW, MULTIPLY_ADD(whole, -LN2_HIGH, x)));
}

/* The smaller of two nonnegative numbers, by their bits: one instruction, and no branch by which the compiler could
   split the loop. Negative numbers count as larger, the more so the further they are from 0; a NaN exceeds every number
   of its sign. */
static ALWAYS_INLINE float smaller_size(float x, float y)
{
    const uint32_t a = bits_of_float(x), b = bits_of_float(y);
    return float_of_bits(a < b ? a : b);
}

/* 2^n for -126 <= n <= 127. */
static ALWAYS_INLINE float power_of_two(int32_t n)
{
    return float_of_bits((uint32_t)(n + 127) << 23);
}

static ALWAYS_INLINE float exp_float32(float x)
{
    float clamped = x > 89.0f ? 89.0f : x; /* NaN passes */
    clamped = clamped < -104.0f ? -104.0f : clamped;
    int32_t n;
    float y = 1.0f + reduced_expm1(clamped, &n);
    int32_t half = n >> 1; /* in two steps, as 2^128 and 2^-150 are not representable */
    return y * power_of_two(half) * power_of_two(n - half);
}

/* exp for x <= 0 in fewer steps: results below 2^-125 are 0. The bias of the exponent is added to the rounded argument,
   so that a shift yields 2^n; beyond the bound it does not, but the result is not used there. */
static ALWAYS_INLINE float exp_not_positive(float x)
{
    const float rounding = ROUNDING + 127;
    float shifted = MULTIPLY_ADD(x, 0x1.715476p+0f, rounding), whole = shifted - rounding;
    float y = small_expm1(MULTIPLY_ADD(whole, -LN2_LOW, MULTIPLY_ADD(whole, -LN2_HIGH, x)));
    float scale = float_of_bits(bits_of_float(shifted) << 23), scaled = MULTIPLY_ADD(scale, y, scale);
    return x < -86.0f ? 0.0f : scaled; /* NaN stays NaN */
}

static ALWAYS_INLINE float expm1_float32(float x)
{
    float clamped = x > 89.0f ? 89.0f : x;
    clamped = clamped < -30.0f ? -30.0f : clamped;
    int32_t n;
    float y = reduced_expm1(clamped, &n), scale = power_of_two(n - 1); /* half of it: 2^128 is not representable */
    float result = 2.0f * MULTIPLY_ADD(scale, y, scale - 0.5f);
    return __builtin_fabsf(x) < 0x1p-24f ? x : result; /* the scale would cost subnormal numbers bits */
}

/* log(2^e (1 + m)) for 1 + m between the roots of 1/2 and 2. */
static ALWAYS_INLINE float log_of_parts(float e, float m)
{
    /* (log(1 + m) - m + m^2 / 2) / m^3 */
    float q = 0x1.1c8fb0p-4f;
    q = MULTIPLY_ADD(q, m, -0x1.e5fbd6p-4f);
    q = MULTIPLY_ADD(q, m, 0x1.e72ceap-4f);
    q = MULTIPLY_ADD(q, m, -0x1.fae056p-4f);
    q = MULTIPLY_ADD(q, m, 0x1.232594p-3f);
    q = MULTIPLY_ADD(q, m, -0x1.5564aap-3f);
    q = MULTIPLY_ADD(q, m, 0x1.99a54ep-3f);
    q = MULTIPLY_ADD(q, m, -0x1.ffffe8p-3f);
    q = MULTIPLY_ADD(q, m, 0x1.555548p-2f);
    float square = m * m, rest = MULTIPLY_ADD(q * m, square, e * LN2_LOW);
    rest = MULTIPLY_ADD(square, -0.5f, rest);
    return MULTIPLY_ADD(e, LN2_HIGH, m + rest);
}

/* The e for which x / 2^e is between the roots of 1/2 and 2, as the bits to subtract from those of x. */
static ALWAYS_INLINE int32_t exponent_bits(float x)
{
    return (int32_t)((bits_of_float(x) - 0x3f3504f3) & 0xff800000);
}

static ALWAYS_INLINE float log_float32(float x)
{
    int subnormal = x < 0x1p-126f;
    float normal = subnormal ? x * 0x1p23f : x;
    int32_t bits = exponent_bits(normal);
    float m = float_of_bits(bits_of_float(normal) - (uint32_t)bits) - 1.0f;
    float e = (float)bits * 0x1p-23f - (subnormal ? 23.0f : 0.0f);
    float result = log_of_parts(e, m);
    result = x == 0.0f ? -__builtin_inff() : result;
    result = x < 0.0f ? __builtin_nanf("") : result;
    return x < __builtin_inff() ? result : x; /* +inf and NaN are their own logarithms */
}

static ALWAYS_INLINE float log1p_float32(float x)
{
    int32_t bits = exponent_bits(1.0f + x);
    /* 1 + x = 2^e (1 + m); m directly from x, as 1 + x has lost bits. The scale is 2^(2-e): 2^-128 may be too small. */
    float scale = float_of_bits(0x40800000 - (uint32_t)bits);
    float m = MULTIPLY_ADD(0.25f * x, scale, MULTIPLY_ADD(0.25f, scale, -1.0f));
    float result = log_of_parts((float)bits * 0x1p-23f, m);
    result = x == -1.0f ? -__builtin_inff() : result;
    result = x < -1.0f ? __builtin_nanf("") : result;
    result = __builtin_fabsf(x) < 0x1p-24f ? x : result; /* the scale would cost subnormal numbers bits */
    return x < __builtin_inff() ? result : x;
}

/* log(1 + exp(-|x|)). Both steps in one polynomial each: u = exp(-|x|) is at most 1, and 2^(n + 64) is representable for
   every n here, as in logistic_float32. */
static ALWAYS_INLINE float log1p_exp_float32(float x)
{
    const float rounding = ROUNDING + 127 + 64, size = __builtin_fabsf(x), z = size > 110.0f ? 110.0f : size;
    const float shifted = MULTIPLY_ADD(z, -0x1.715476p+0f, rounding), whole = shifted - rounding;
    const float y = small_expm1(MULTIPLY_ADD(whole, -LN2_LOW, MULTIPLY_ADD(whole, -LN2_HIGH, -z)));
    const float scale = float_of_bits(bits_of_float(shifted) << 23), u = MULTIPLY_ADD(scale, y, scale) * 0x1p-64f;
    /* (log(1 + u) - u) / u^2 from 0 to 1: 2^-30 of the logarithm */
    float q = 0x1.0fb488p-9f;
    q = MULTIPLY_ADD(q, u, -0x1.bead18p-7f);
    q = MULTIPLY_ADD(q, u, 0x1.57e946p-5f);
    q = MULTIPLY_ADD(q, u, -0x1.544576p-4f);
    q = MULTIPLY_ADD(q, u, 0x1.fea73ep-4f);
    q = MULTIPLY_ADD(q, u, -0x1.4a542cp-3f);
    q = MULTIPLY_ADD(q, u, 0x1.978278p-3f);
    q = MULTIPLY_ADD(q, u, -0x1.ffc422p-3f);
    q = MULTIPLY_ADD(q, u, 0x1.5553a6p-2f);
    q = MULTIPLY_ADD(q, u, -0x1.fffff8p-2f);
#ifdef __FMA__
    return __builtin_fmaf(u * u, q, u);
#else
    return (float)((double)u * (double)u * (double)q + (double)u); /* three roundings would lose too much */
#endif
}

static ALWAYS_INLINE float tanh_float32(float x)
{
    float size = __builtin_fabsf(x), square = x * x;
    /* (tanh(x) - x) / x^3 in x^2 */
    float q = 0x1.15056ep-9f;
    q = MULTIPLY_ADD(q, square, -0x1.0b164ap-7f);
    q = MULTIPLY_ADD(q, square, 0x1.636becp-6f);
    q = MULTIPLY_ADD(q, square, -0x1.b9ed80p-5f);
    q = MULTIPLY_ADD(q, square, 0x1.11106ep-3f);
    q = MULTIPLY_ADD(q, square, -0x1.555554p-2f);
    float small = MULTIPLY_ADD(x * square, q, x);
    float large = 1.0f - 2.0f / (exp_float32(2.0f * size) + 1.0f);
    return __builtin_copysignf(size < 0.625f ? small : large, x);
}

/* 2^32 over / (1 + exp(-(x + low))) for x from -110 to 64, and a low that is almost rounded away in x + low. exp(-x) =
   2^n (1 + p) may overflow where the result is not yet 0, but 2^(n - 32) is representable: adding its exponent's bias
   to the rounded argument yields it by a shift. 1 + 2^n is exact where it matters, so the divisor is rounded once. */
static ALWAYS_INLINE float logistic_float32(float over, float x, float low)
{
    const float rounding = ROUNDING + 127 - 32;
    float shifted = MULTIPLY_ADD(x, -0x1.715476p+0f, rounding), whole = shifted - rounding;
    float r = MULTIPLY_ADD(whole, -LN2_LOW, MULTIPLY_ADD(whole, -LN2_HIGH, -x));
    float scale = float_of_bits(bits_of_float(shifted) << 23);
    return over / (scale + MULTIPLY_ADD(scale, small_expm1(r - low), 0x1p-32f));
}

/* Within the arguments of logistic_float32; NaN passes. */
static ALWAYS_INLINE float clamp_logistic(float x)
{
    float clamped = x > 64.0f ? 64.0f : x;
    return clamped < -110.0f ? -110.0f : clamped;
}

static ALWAYS_INLINE float sigmoid_float32(float x)
{
    return logistic_float32(0x1p-32f, clamp_logistic(x), 0.0f);
}

/* x / (1 + exp(-x)). One instruction limits negative x, since their bits grow with their size. */
static ALWAYS_INLINE float silu_float32(float x)
{
    const float limited = smaller_size(x, -110.0f), result = logistic_float32(limited, limited, 0.0f) * 0x1p-32f;
    return x <= 64.0f ? result : x; /* NaN, too */
}

/* Its derivative s (1 + x (1 - s)), s = 1 / (1 + exp(-x)). */
static ALWAYS_INLINE float silu_slope_float32(float x)
{
    float clamped = clamp_logistic(x), s = logistic_float32(0x1p-32f, clamped, 0.0f);
    return s * MULTIPLY_ADD(clamped, 1.0f - s, 1.0f);
}
