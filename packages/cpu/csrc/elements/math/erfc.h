/* The complementary error function, and the same times exp(x^2), for float32 and float64. Polynomials as in Note
   [Own polynomials]; float32 is computed as float64, with shorter ones. Squares are computed with additional bits,
   because exp magnifies their rounding errors. */
#pragma once
#include "elements/math/error.h"

#ifndef ROOT_HALF
#define ROOT_HALF 0x1.6a09e667f3bcdp-1
#endif

/* exp(x^2) erfc(x) for x from 0 to 10.6, to 2^-34. */
static ALWAYS_INLINE double scaled_erfc_near(double x)
{
    static const double q[] = {/* exp(x^2) erfc(x) / t in t - 19/32, up to 10: 2^-34 */
                               0x1.db261fc8a90e4p-2, 0x1.9249bfc7a2fc8p-1, 0x1.e9e98678929cdp-1, 0x1.8e0fdd8c1db6bp-1,
                               0x1.3d14e2c292449p-2, -0x1.84c13f7576ed7p-4, -0x1.3fd1af0828452p-3,
                               0x1.6c3c7dbe5d6a8p-8, 0x1.34e3962163ef6p-4, -0x1.2674e2970b5e8p-9,
                               -0x1.495f654921233p-5, 0x1.1ded7abf2488cp-8, 0x1.1c3e090c9a666p-6};
    const double t = 1.0 / (1.0 + 0.375 * x);
    return t * polynomial64(t - 0.59375, q, 12);
}

/* The same for x >= 0. */
static ALWAYS_INLINE double scaled_erfc_wide(double x, int is_float32)
{
    static const double s[] = {/* x exp(x^2) erfc(x) in 1 / x^2, from 10 on: 2^-61 */
                               0x1.20dd750429b6dp-1, -0x1.20dd750429b35p-2, 0x1.b14c2f8619ae6p-2,
                               -0x1.0ecf9d8eb6d47p+0, 0x1.d9eb2e4ad86bep+1, -0x1.0a8efb34caa66p+4,
                               0x1.6da21d7b61a7dp+6, -0x1.1e127cd314ac8p+9, 0x1.84b3baf9bd93bp+11};
    static const double short_s[] = {/* the same: 2^-37 */
                               0x1.20dd75042372ap-1, -0x1.20dd740f1e430p-2, 0x1.b1492d70444fcp-2,
                               -0x1.0dfa6842a53d5p+0, 0x1.a8fc7347d5922p+1};
    const double inverse = 1.0 / x, z = inverse * inverse;
    const double near = is_float32 ? scaled_erfc_near(x) : scaled_erfc_float64(0.296875 * x);
    return x < 10.0 ? near : inverse * (is_float32 ? polynomial64(z, short_s, 4) : polynomial64(z, s, 8));
}

/* factor exp(sign x^2) for x from 0 to 27.3, or 38.6 with half the sign. The upper half of x has an exact square. */
static ALWAYS_INLINE double times_exp_of_square(double factor, double sign, double x)
{
    const double upper = double_of_bits(bits_of_double(x) & 0xfffffffff8000000u);
    double shifted, r = reduce_exp64(sign * upper * upper, &shifted);
    return scaled64(MULTIPLY_ADD64(factor, small_expm1_64(r + sign * (x - upper) * (x + upper)), factor), shifted);
}

static ALWAYS_INLINE double erfc_float64(double x)
{
    const double size = __builtin_fabs(x), bounded = size > 27.3 ? 27.3 : size; /* NaN passes */
    const double tail = times_exp_of_square(scaled_erfc_wide(bounded, 0), -1.0, bounded);
    return size < 0.5 ? 1.0 - erf_float64(x) : x < 0.0 ? 2.0 - tail : tail;
}

static ALWAYS_INLINE double erfcx_wide(double x, int is_float32)
{
    const double size = __builtin_fabs(x), bounded = size > 27.0 ? 27.0 : size;
    const double scaled = scaled_erfc_wide(size, is_float32), power = times_exp_of_square(1.0, 1.0, bounded);
    return size < 0.5 ? power * (1.0 - erf_float64(x)) : x < 0.0 ? 2.0 * power - scaled : scaled;
}

/* The normal distribution's probability of less than x, and its logarithm. */
static ALWAYS_INLINE double ndtr_wide(double x, int is_float32)
{
    const double size = __builtin_fabs(x), bounded = size > 38.6 ? 38.6 : size;
    const double tail = times_exp_of_square(0.5 * scaled_erfc_wide(ROOT_HALF * bounded, is_float32), -0.5, bounded);
    return size < 0.7 ? 0.5 + 0.5 * erf_float64(ROOT_HALF * x) : x < 0.0 ? tail : 1.0 - tail;
}

static ALWAYS_INLINE double log_ndtr_wide(double x, int is_float32)
{
    const double far = log_float64(0.5 * scaled_erfc_wide(ROOT_HALF * __builtin_fabs(x), is_float32)) - 0.5 * x * x;
    return x < -1.0 ? far : log1p_float64(-ndtr_wide(-x, is_float32));
}

/* A float32 has an exact square, and float64 has digits to spare for 1 - erf(x). */
static ALWAYS_INLINE float erfc_float32(float x)
{
    static const double q[] = {/* (exp(r) - 1 - r) / r^2: 2^-33 of the power, as in power.h */
                               0x1.00000045d2f5dp-1, 0x1.5555557459f9dp-3, 0x1.55546fbc24e32p-5, 0x1.1110ab11707d8p-7,
                               0x1.6da824c0273bep-10, 0x1.a17eaca7ad323p-13};
    const double size = __builtin_fabsf(x), bounded = size > 10.6 ? 10.6 : size; /* NaN passes */
    double shifted, r = reduce_exp64(-bounded * bounded, &shifted);
    const double power = 1.0 + MULTIPLY_ADD64(r * r, polynomial64(r, q, 5), r);
    const double scale = double_of_bits((bits_of_double(shifted) + 1023) << 52);
    const double tail = scaled_erfc_near(bounded) * power * scale;
    return (float)(x < 0.0f ? 2.0 - tail : tail);
}
static ALWAYS_INLINE double erfcx_float64(double x) { return erfcx_wide(x, 0); }
static ALWAYS_INLINE float erfcx_float32(float x) { return (float)erfcx_wide(x, 1); }
