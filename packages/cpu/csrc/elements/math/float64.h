/* exp, log, tanh and related functions for float64; see Note [Own polynomials] in float32.h, whose methods these
   follow. */
#pragma once
#include <stdint.h>
#include <string.h>

#include "elements/dtypes.h"

#ifdef __FMA__
#define MULTIPLY_ADD64(a, b, c) __builtin_fma(a, b, c)
#else
#define MULTIPLY_ADD64(a, b, c) ((a) * (b) + (c))
#endif

/* ln 2 in two parts; the first has 33 bits, so its product with an exponent is exact. */
#define LN2_HIGH64 0x1.62e42fefap-1
#define LN2_LOW64 0x1.cf79abc9e3b3ap-40
#define ROUNDING64 0x1.8p52

static ALWAYS_INLINE double double_of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ALWAYS_INLINE uint64_t bits_of_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* p[0] + p[1] x + ..., of degree 3 or more. Odd and even powers are separate, by Horner's rule in x^2: two short chains
   of dependent operations instead of one long chain, for which processors would wait. The last step is Horner's, so
   that the result is rounded once; the compiler unrolls it. */
static ALWAYS_INLINE double polynomial64(double x, const double *p, int degree)
{
    const double square = x * x;
    double upper = p[degree], lower = p[degree - 1];
#pragma GCC unroll 32
    for (int i = degree - 2; i > 1; i -= 2) {
        upper = MULTIPLY_ADD64(upper, square, p[i]);
        lower = MULTIPLY_ADD64(lower, square, p[i - 1]);
    }
    /* `lower` ends with p[1] or p[2]; `upper`, one power above, with p[2] or p[3] */
    double value = MULTIPLY_ADD64(upper, x, lower);
    if (degree % 2 == 1)
        value = MULTIPLY_ADD64(value, x, p[1]);
    return MULTIPLY_ADD64(value, x, p[0]);
}

/* 2^n for -1022 <= n <= 1023, n in the low bits of a number to which ROUNDING64 was added. */
static ALWAYS_INLINE double power_of_two64(uint64_t n)
{
    return double_of_bits((n + 1023) << 52);
}

/* x = n ln 2 + r with |r| <= ln 2 / 2; returns r, and n + ROUNDING64. */
static ALWAYS_INLINE double reduce_exp64(double x, double *shifted)
{
    *shifted = MULTIPLY_ADD64(x, 0x1.71547652b82fep+0, ROUNDING64);
    double whole = *shifted - ROUNDING64;
    return MULTIPLY_ADD64(whole, -LN2_LOW64, MULTIPLY_ADD64(whole, -LN2_HIGH64, x));
}

/* exp(r) - 1 = r + r^2 q(r) for |r| <= ln 2 / 2. */
static ALWAYS_INLINE double small_expm1_64(double r)
{
    static const double q[] = {/* (exp(r) - 1 - r) / r^2 */
                               0x1.0000000000000p-1,  0x1.5555555555557p-3,  0x1.5555555555558p-5,
                               0x1.11111111100d9p-7,  0x1.6c16c16c151fap-10, 0x1.a01a01abe954ap-13,
                               0x1.a01a01acfb91cp-16, 0x1.71de022d65984p-19, 0x1.27e4cccc40f22p-22,
                               0x1.af4df21e35c61p-26, 0x1.1f8b4efabe461p-29};
    return MULTIPLY_ADD64(r * r, polynomial64(r, q, 10), r);
}

/* y 2^n for -1074 - 1 <= n <= 1024, in two steps, as 2^1024 and 2^-1075 are not representable: halves of n + 2048,
   which is positive. */
static ALWAYS_INLINE double scaled64(double y, double shifted)
{
    uint64_t n = bits_of_double(shifted) - bits_of_double(ROUNDING64) + 2048, half = n >> 1;
    return y * power_of_two64(half - 1024) * power_of_two64(n - half - 1024);
}

static ALWAYS_INLINE double exp_float64(double x)
{
    double clamped = x > 710.0 ? 710.0 : x; /* NaN passes */
    clamped = clamped < -746.0 ? -746.0 : clamped;
    double shifted, r = reduce_exp64(clamped, &shifted);
    return scaled64(1.0 + small_expm1_64(r), shifted);
}

/* exp(x + low) for x from -746 to 710 and a low that is almost rounded away in x + low. */
static ALWAYS_INLINE double exp_of_parts64(double x, double low)
{
    double shifted, r = reduce_exp64(x, &shifted);
    return scaled64(1.0 + small_expm1_64(r + low), shifted);
}

static ALWAYS_INLINE double expm1_float64(double x)
{
    double clamped = x > 710.0 ? 710.0 : x;
    clamped = clamped < -60.0 ? -60.0 : clamped;
    double shifted, y = small_expm1_64(reduce_exp64(clamped, &shifted));
    double scale = power_of_two64(bits_of_double(shifted) - bits_of_double(ROUNDING64) - 1); /* half of it */
    double result = 2.0 * MULTIPLY_ADD64(scale, y, scale - 0.5);
    return __builtin_fabs(x) < 0x1p-53 ? x : result;
}

/* The biased exponent e + 1023 for which x / 2^e is between the roots of 1/2 and 2; x > 0. */
static ALWAYS_INLINE uint64_t biased_exponent64(double x)
{
    return (bits_of_double(x) + (0x3ff0000000000000u - 0x3fe6a09e667f3bcdu)) >> 52;
}

static ALWAYS_INLINE double exponent64(uint64_t biased)
{
    return double_of_bits(0x4330000000000000u | biased) - (0x1p52 + 1023); /* a conversion that vectorizes on all
                                                                              levels */
}

/* log(2^e (1 + m)) for 1 + m between the roots of 1/2 and 2. With s = m / (2 + m) it is e ln 2 + 2 atanh(s), arranged
   so that m itself, which is exact, carries the result (FreeBSD's e_log.c explains the arrangement). */
static ALWAYS_INLINE double log_of_parts64(double e, double m)
{
    static const double p[] = {/* (2 atanh(s) - 2 s) / s^3 in s^2 */
                               0x1.5555555555555p-1, 0x1.9999999999a3cp-2, 0x1.24924924762f0p-2,
                               0x1.c71c72025afc4p-3, 0x1.745cf89f07e90p-3, 0x1.3b1c49f22c8f1p-3,
                               0x1.0fbc8322894b3p-3, 0x1.0c189819b40ffp-3};
    double s = m / (2.0 + m), z = s * s, half_square = 0.5 * m * m;
    double rest = MULTIPLY_ADD64(s, MULTIPLY_ADD64(z, polynomial64(z, p, 7), half_square), e * LN2_LOW64);
    return MULTIPLY_ADD64(e, LN2_HIGH64, m - (half_square - rest));
}

static ALWAYS_INLINE double log_float64(double x)
{
    int subnormal = x < 0x1p-1022;
    double normal = subnormal ? x * 0x1p54 : x;
    uint64_t biased = biased_exponent64(normal);
    double m = double_of_bits(bits_of_double(normal) - ((biased - 1023) << 52)) - 1.0;
    double result = log_of_parts64(exponent64(biased) - (subnormal ? 54.0 : 0.0), m);
    result = x == 0.0 ? -__builtin_inf() : result;
    result = x < 0.0 ? __builtin_nan("") : result;
    return x < __builtin_inf() ? result : x;
}

static ALWAYS_INLINE double log1p_float64(double x)
{
    uint64_t biased = biased_exponent64(1.0 + x);
    double scale = double_of_bits((2048 - biased) << 52); /* 2^(2-e) */
    double m = MULTIPLY_ADD64(0.25 * x, scale, MULTIPLY_ADD64(0.25, scale, -1.0));
    double result = log_of_parts64(exponent64(biased), m);
    result = x == -1.0 ? -__builtin_inf() : result;
    result = x < -1.0 ? __builtin_nan("") : result;
    result = __builtin_fabs(x) < 0x1p-53 ? x : result;
    return x < __builtin_inf() ? result : x;
}

/* log1p(u) for u from 0 to 1, or NaN. */
static ALWAYS_INLINE double log1p_unit_float64(double u)
{
    const int large = u > 0x1.a827999fcef34p-2;
    return log_of_parts64(large ? 1.0 : 0.0, large ? MULTIPLY_ADD64(0.5, u, -0.5) : u);
}

/* log(1 + exp(-|x|)) */
static ALWAYS_INLINE double log1p_exp_float64(double x)
{
    return log1p_unit_float64(exp_float64(-__builtin_fabs(x)));
}

static ALWAYS_INLINE double tanh_float64(double x)
{
    static const double q[] = {/* (tanh(x) - x) / x^3 in x^2 */
                               -0x1.5555555555555p-2,  0x1.11111111110aap-3,  -0x1.ba1ba1ba0f40fp-5,
                               0x1.664f487e18769p-6,   -0x1.226e3475e6b77p-7, 0x1.d6d39b38c2ed5p-9,
                               -0x1.7d9f734fa26d8p-10, 0x1.352709e2fe53ep-11, -0x1.f244a660ae051p-13,
                               0x1.84485a676a17ap-14,  -0x1.05be9cb5a838ep-15, 0x1.b3340378c5b34p-18};
    double size = __builtin_fabs(x), square = x * x;
    double small = MULTIPLY_ADD64(x * square, polynomial64(square, q, 11), x);
    double large = 1.0 - 2.0 / (exp_float64(2.0 * size) + 1.0);
    return __builtin_copysign(size < 0.625 ? small : large, x);
}

/* 2^64 over / (1 + exp(-(x + low))) for x from -753 to 650; see logistic_float32. */
static ALWAYS_INLINE double logistic_float64(double over, double x, double low)
{
    const double rounding = ROUNDING64 + 1023 - 64;
    double shifted = MULTIPLY_ADD64(x, -0x1.71547652b82fep+0, rounding), whole = shifted - rounding;
    double r = MULTIPLY_ADD64(whole, -LN2_LOW64, MULTIPLY_ADD64(whole, -LN2_HIGH64, -x));
    double scale = double_of_bits(bits_of_double(shifted) << 52);
    return over / (scale + MULTIPLY_ADD64(scale, small_expm1_64(r - low), 0x1p-64));
}

static ALWAYS_INLINE double clamp_logistic64(double x)
{
    double clamped = x > 650.0 ? 650.0 : x;
    return clamped < -753.0 ? -753.0 : clamped;
}

static ALWAYS_INLINE double sigmoid_float64(double x)
{
    return logistic_float64(0x1p-64, clamp_logistic64(x), 0.0);
}

static ALWAYS_INLINE double silu_float64(double x)
{
    double clamped = clamp_logistic64(x), result = logistic_float64(clamped, clamped, 0.0) * 0x1p-64;
    return x > 650.0 ? x : result;
}

static ALWAYS_INLINE double silu_slope_float64(double x)
{
    double clamped = clamp_logistic64(x), s = logistic_float64(0x1p-64, clamped, 0.0);
    return s * MULTIPLY_ADD64(clamped, 1.0 - s, 1.0);
}

/* Like exp_not_positive: results below 2^-1021 are 0. */
static ALWAYS_INLINE double exp_not_positive64(double x)
{
    double shifted, y = 1.0 + small_expm1_64(reduce_exp64(x, &shifted));
    double scaled = double_of_bits(bits_of_double(y) + (bits_of_double(shifted) << 52));
    return x >= -707.0 ? scaled : 0.0 > x ? 0.0 : x; /* NaN stays NaN */
}
