/* pow for float32 and float64: exp(y log|x|), with the logarithm to twice the precision for float64, and the signs,
   zeros, infinities and NaNs of C's pow (ISO C, annex F.10.4.4). */
#pragma once
#include "elements/math/pairs.h"

/* log(x) for x >= 0, a relative error of about 2^-66. As log_of_parts64, with s = m / (2 + m), z = s^2:
   2 atanh(s) = 2 s + s z (2/3 + z q(z)). */
static ALWAYS_INLINE struct pair log_pair(double x)
{
    static const double q[] = {/* (2 atanh(s) - 2 s - 2/3 s^3) / s^5 in s^2: 2^-71 of the logarithm */
                               0x1.9999999999999p-2, 0x1.24924924927a4p-2, 0x1.c71c71c677a0cp-3, 0x1.745d17c340d5cp-3,
                               0x1.3b137e3f37613p-3, 0x1.111ce062af25cp-3, 0x1.dec33f2ea17f8p-4, 0x1.e6bf6ee950430p-4};
    const int subnormal = x < 0x1p-1022;
    const double normal = subnormal ? x * 0x1p54 : x;
    const uint64_t biased = biased_exponent64(normal);
    const double m = double_of_bits(bits_of_double(normal) - ((biased - 1023) << 52)) - 1.0;
    const double e = exponent64(biased) - (subnormal ? 54.0 : 0.0);

    const struct pair divisor = ordered_sum(2.0, m);
    const double inverse = 1.0 / divisor.high, quotient = m * inverse;
    const struct pair back = exact_product(quotient, divisor.high);
    const struct pair s = {quotient, ((m - back.high) - back.low - quotient * divisor.low) * inverse};
    const struct pair z = pair_product(s, s);
    const double series = z.high * polynomial64(z.high, q, 7);
    struct pair factor = ordered_sum(0x1.5555555555555p-1, series); /* 2/3 + z q(z) */
    factor.low += 0x1.5555555555555p-55;
    const struct pair rest = pair_product(pair_product(s, z), factor);
    struct pair part = ordered_sum(2.0 * s.high, rest.high);
    part.low += 2.0 * s.low + rest.low;
    struct pair sum = ordered_sum(e * LN2_HIGH64, part.high);
    sum.low += MULTIPLY_ADD64(e, LN2_LOW64, part.low);
    sum.high = x < __builtin_inf() ? sum.high : x; /* NaN too */
    sum.high = x == 0.0 ? -__builtin_inf() : sum.high;
    return sum;
}

/* exp of a pair. */
static ALWAYS_INLINE double exp_pair(struct pair x)
{
    const int within = (x.high >= -746.0) & (x.high <= 710.0);
    double clamped = x.high > 710.0 ? 710.0 : x.high;
    clamped = clamped < -746.0 ? -746.0 : clamped;
    return exp_of_parts64(clamped, within ? x.low : 0.0);
}

/* x^y from |x|^y: the sign and special values. `whole` and `odd` describe y. */
static ALWAYS_INLINE double power_of(double x, double y, int whole, int odd, double magnitude)
{
    const uint64_t sign = bits_of_double(x) & 0x8000000000000000u;
    const double result = double_of_bits(bits_of_double(magnitude) ^ (odd ? sign : 0));
    const double real = (x < 0.0) & (x > -__builtin_inf()) & !whole ? __builtin_nan("") : result;
    return (x == 1.0) | (y == 0.0) ? 1.0 : real;
}

static ALWAYS_INLINE double pow_float64(double x, double y)
{
    /* Beyond 2^75 any x but 1 gives 0 or infinity; the bound keeps the products finite. */
    double bounded = y > 0x1p75 ? 0x1p75 : y;
    bounded = bounded < -0x1p75 ? -0x1p75 : bounded;
    const struct pair logarithm = log_pair(__builtin_fabs(x));
    struct pair exponent = exact_product(bounded, logarithm.high);
    exponent.low += bounded * logarithm.low;
    const double size = __builtin_fabs(y), half = 0.5 * size; /* whole numbers, by rounding; all from 2^52 on */
    const int whole = (size >= 0x1p52) | (size + 0x1p52 - 0x1p52 == size);
    const int even = (half >= 0x1p52) | (half + 0x1p52 - 0x1p52 == half);
    return power_of(x, y, whole, whole & !even, exp_pair(exponent));
}

/* x^y to float32's precision, also beyond its range; the sign of x counts if y has 24 bits. */
static ALWAYS_INLINE double pow_to_float32(double wide, double exponent)
{
    static const double p[] = {/* (2 atanh(s) - 2 s) / s^3 in s^2: 2^-37 of the logarithm */
                               0x1.555554fd76770p-1, 0x1.999a7ad559ff6p-2, 0x1.2438c39eb9447p-2, 0x1.e2f98cbe29c87p-3};
    static const double q[] = {/* (exp(r) - 1 - r) / r^2: 2^-33 of the power */
                               0x1.00000045d2f5dp-1, 0x1.5555557459f9dp-3, 0x1.55546fbc24e32p-5, 0x1.1110ab11707d8p-7,
                               0x1.6da824c0273bep-10, 0x1.a17eaca7ad323p-13};
    const double size = __builtin_fabs(wide);
    const uint64_t biased = biased_exponent64(size);
    const double m = double_of_bits(bits_of_double(size) - ((biased - 1023) << 52)) - 1.0;
    const double s = m / (2.0 + m), z = s * s, part = MULTIPLY_ADD64(s * z, polynomial64(z, p, 3), 2.0 * s);
    double logarithm = MULTIPLY_ADD64(exponent64(biased), 0x1.62e42fefa39efp-1, part);
    logarithm = size < __builtin_inf() ? logarithm : size; /* NaN too */
    logarithm = size == 0.0 ? -__builtin_inf() : logarithm;
    double product = size == 1.0 ? 0.0 : exponent * logarithm;
    product = product > 200.0 ? 200.0 : product;
    product = product < -200.0 ? -200.0 : product;
    double shifted, r = reduce_exp64(product, &shifted);
    const double power = 1.0 + MULTIPLY_ADD64(r * r, polynomial64(r, q, 5), r);
    const double scaled = power * double_of_bits((bits_of_double(shifted) + 1023) << 52);
    const double many = __builtin_fabs(exponent), half = 0.5 * many; /* of 24 bits: adding 2^52 leaves whole ones
                                                                        unchanged */
    const int whole = many + 0x1p52 - 0x1p52 == many, even = half + 0x1p52 - 0x1p52 == half;
    return power_of(wide, exponent, whole, whole & !even, scaled);
}

static ALWAYS_INLINE float pow_float32(float x, float y)
{
    return (float)pow_to_float32(x, y);
}
