/* Powers of two, logarithms to the bases 2 and 10, and lengths of two sides, for float32 and float64. */
#pragma once
#include "math_power.h"

static ALWAYS_INLINE double exp2_float64(double x)
{
    double clamped = x > 1025.0 ? 1025.0 : x; /* NaN passes */
    clamped = clamped < -1076.0 ? -1076.0 : clamped;
    const double shifted = clamped + ROUNDING64, fraction = clamped - (shifted - ROUNDING64);
    return scaled64(1.0 + small_expm1_64(fraction * 0x1.62e42fefa39efp-1), shifted);
}
static ALWAYS_INLINE float exp2_float32(float x)
{
    static const double q[] = {/* (exp(r) - 1 - r) / r^2: 2^-33 of the power */
                               0x1.00000045d2f5dp-1, 0x1.5555557459f9dp-3, 0x1.55546fbc24e32p-5, 0x1.1110ab11707d8p-7,
                               0x1.6da824c0273bep-10, 0x1.a17eaca7ad323p-13}; /* as in math_power.h */
    double clamped = x > 200.0f ? 200.0 : (double)x;
    clamped = clamped < -200.0 ? -200.0 : clamped;
    const double shifted = clamped + ROUNDING64, r = (clamped - (shifted - ROUNDING64)) * 0x1.62e42fefa39efp-1;
    const double power = 1.0 + MULTIPLY_ADD64(r * r, polynomial64(r, q, 5), r);
    return (float)(power * double_of_bits((bits_of_double(shifted) + 1023) << 52));
}

/* log(x), to 2^-37, of a float64 that is no subnormal number. */
static ALWAYS_INLINE double wide_log(double wide)
{
    static const double p[] = {/* (2 atanh(s) - 2 s) / s^3 in s^2: as in math_power.h */
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
