/* Powers of two, logarithms to the bases 2 and 10, and lengths of two sides, for float32 and float64. */
#pragma once
#include "elements/math/float32.h"
#include "elements/math/power.h"

static ALWAYS_INLINE double exp2_float64(double x)
{
    double clamped = x > 1025.0 ? 1025.0 : x; /* NaN passes */
    clamped = clamped < -1076.0 ? -1076.0 : clamped;
    const double shifted = clamped + ROUNDING64, fraction = clamped - (shifted - ROUNDING64);
    return scaled64(1.0 + small_expm1_64(fraction * 0x1.62e42fefa39efp-1), shifted);
}
static ALWAYS_INLINE float exp2_float32(float x)
{
    float clamped = x > 129.0f ? 129.0f : x;
    clamped = clamped < -151.0f ? -151.0f : clamped;
    const float shifted = clamped + ROUNDING, f = clamped - (shifted - ROUNDING);
    const int32_t n = (int32_t)(bits_of_float(shifted) - bits_of_float(ROUNDING)), half = n >> 1;
    /* (2^f - 1) / f, for |f| <= 1/2: 2^-26 */
    float q = 0x1.44138ap-13f;
    q = MULTIPLY_ADD(q, f, 0x1.5f0890p-10f);
    q = MULTIPLY_ADD(q, f, 0x1.3b2a54p-7f);
    q = MULTIPLY_ADD(q, f, 0x1.c6af6cp-5f);
    q = MULTIPLY_ADD(q, f, 0x1.ebfbe0p-3f);
    q = MULTIPLY_ADD(q, f, 0x1.62e430p-1f);
    return MULTIPLY_ADD(q, f, 1.0f) * power_of_two(half) * power_of_two(n - half); /* in two steps, as exp_float32 */
}

/* log(x), to 2^-37, of a float64 that is not subnormal. */
static ALWAYS_INLINE double wide_log(double wide)
{
    static const double p[] = {/* (2 atanh(s) - 2 s) / s^3 in s^2: as in power.h */
                               0x1.555554fd76770p-1, 0x1.999a7ad559ff6p-2, 0x1.2438c39eb9447p-2, 0x1.e2f98cbe29c87p-3};
    const uint64_t biased = biased_exponent64(wide);
    const double m = double_of_bits(bits_of_double(wide) - ((biased - 1023) << 52)) - 1.0;
    const double s = m / (2.0 + m), z = s * s, part = MULTIPLY_ADD64(s * z, polynomial64(z, p, 3), 2.0 * s);
    double result = MULTIPLY_ADD64(exponent64(biased), 0x1.62e42fefa39efp-1, part);
    result = wide == 0.0 ? -__builtin_inf() : result;
    result = wide < 0.0 ? __builtin_nan("") : result;
    return wide < __builtin_inf() ? result : wide;
}
/* log(x) to 2^-66 times a constant of two parts: exact where the result is a whole number. */
static ALWAYS_INLINE double scaled_log64(double x, double high, double low)
{
    const struct pair logarithm = log_pair(__builtin_fabs(x));
    const struct pair product = exact_product(logarithm.high, high);
    const double result = product.high + (product.low + (logarithm.high * low + logarithm.low * high));
    const int infinite = !(__builtin_fabs(logarithm.high) < __builtin_inf());
    return x < 0.0 ? __builtin_nan("") : infinite ? logarithm.high : result;
}
static ALWAYS_INLINE double log2_float64(double x)
{
    return scaled_log64(x, 0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56);
}
static ALWAYS_INLINE double log10_float64(double x)
{
    return scaled_log64(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57);
}
static ALWAYS_INLINE float log2_float32(float x) { return (float)(wide_log(x) * 0x1.71547652b82fep+0); }
static ALWAYS_INLINE float log10_float32(float x) { return (float)(wide_log(x) * 0x1.bcb7b1526e50ep-2); }

static ALWAYS_INLINE float hypot_float32(float x, float y)
{
    const double a = x, b = y, length = __builtin_sqrt(a * a + b * b);
    const int infinite = (__builtin_fabs(a) == __builtin_inf()) | (__builtin_fabs(b) == __builtin_inf());
    return infinite ? __builtin_inff() : (float)length;
}
static ALWAYS_INLINE double hypot_float64(double x, double y)
{
    const double a = __builtin_fabs(x), b = __builtin_fabs(y), larger = a > b ? a : b;
    const double scale = larger > 0x1p500 ? 0x1p-600 : larger < 0x1p-400 ? 0x1p600 : 1.0;
    const double back = larger > 0x1p500 ? 0x1p600 : larger < 0x1p-400 ? 0x1p-600 : 1.0;
    const double first = a * scale, second = b * scale;
    const double length = __builtin_sqrt(first * first + second * second) * back;
    return (a == __builtin_inf()) | (b == __builtin_inf()) ? __builtin_inf() : length;
}
