/* Hyperbolic functions and their inverses for float32 and float64, of exp and log; float32 is computed as float64. */
#pragma once
#include "elements/math/pairs.h"

/* exp(x) / 2, which is finite where exp(x) overflows by less than a factor of 2. */
static ALWAYS_INLINE double half_exp64(double x)
{
    const double clamped = x > 711.0 ? 711.0 : x; /* NaN passes */
    double shifted, r = reduce_exp64(clamped, &shifted);
    return scaled64(1.0 + small_expm1_64(r), shifted - 1.0);
}
static ALWAYS_INLINE double cosh_float64(double x)
{
    const double half = half_exp64(__builtin_fabs(x));
    return half + 0.25 / half;
}
static ALWAYS_INLINE double sinh_float64(double x)
{
    static const double p[] = {/* (sinh(x) / x - 1) / x^2 in x^2, up to 1: 2^-56 */
                               0x1.5555555555555p-3, 0x1.1111111111111p-7, 0x1.a01a01a01a001p-13,
                               0x1.71de3a556f96cp-19, 0x1.ae6456792a77fp-26, 0x1.612467ccb2260p-33,
                               0x1.ae777c36fd5b6p-41, 0x1.99f0806c2628dp-49};
    const double size = __builtin_fabs(x), half = half_exp64(size), z = x * x;
    const double large = half - 0.25 / half, small = MULTIPLY_ADD64(size * z, polynomial64(z, p, 7), size);
    return __builtin_copysign(size < 1.0 ? small : large, x);
}
/* log1p(x + low) for x >= 0 and a low that is almost rounded away in x + low. */
static ALWAYS_INLINE double log1p_of_parts64(double x, double low)
{
    return log1p_float64(x) + low / (1.0 + x);
}
static ALWAYS_INLINE double asinh_float64(double x)
{
    const double size = __builtin_fabs(x), bounded = size > 0x1p30 ? 0x1p30 : size;
    const struct pair square = exact_product(bounded, bounded);
    const struct pair sum = exact_sum_of(square.high, 1.0);
    const double root = __builtin_sqrt(sum.high);
    /* asinh(x) = log1p(x + x^2 / (1 + root)) */
    const double quotient = square.high / (1.0 + root);
    const struct pair argument = exact_sum_of(bounded, quotient);
    const double near = log1p_of_parts64(argument.high, argument.low), far = log_float64(size) + 0x1.62e42fefa39efp-1;
    return __builtin_copysign(size > 0x1p28 ? far : size < 0x1p-27 ? size : near, x);
}
static ALWAYS_INLINE double acosh_float64(double x)
{
    const double bounded = x > 0x1p30 ? 0x1p30 : x, less = bounded - 1.0;
    const struct pair square = exact_product(less, less); /* x^2 - 1 = (x - 1)^2 + 2 (x - 1) */
    const struct pair sum = exact_sum_of(2.0 * less, square.high);
    const double root = __builtin_sqrt(sum.high);
    const struct pair again = exact_product(root, root);
    const double lost = (((sum.high - again.high) - again.low) + (sum.low + square.low)) / (2.0 * root);
    const struct pair argument = exact_sum_of(less, root);
    const double low = argument.low + (root > 0.0 ? lost : 0.0);
    const double near = log1p_of_parts64(argument.high, low), far = log_float64(x) + 0x1.62e42fefa39efp-1;
    const double result = x > 0x1p28 ? far : near;
    return x < 1.0 ? __builtin_nan("") : result;
}
static ALWAYS_INLINE double atanh_float64(double x)
{
    const double size = __builtin_fabs(x), above = 2.0 * size, below = 1.0 - size, rest = (1.0 - below) - size;
    const double quotient = above / below;
    const struct pair back = exact_product(quotient, below);
    const double low = (((above - back.high) - back.low) - quotient * rest) / below;
    const double inside = 0.5 * log1p_of_parts64(quotient, low);
    const double result = size < 0x1p-27 ? size : size == 1.0 ? __builtin_inf() : inside;
    return __builtin_copysign(size > 1.0 ? __builtin_nan("") : result, x);
}
static ALWAYS_INLINE float sinh_float32(float x) { return (float)sinh_float64(x); }
static ALWAYS_INLINE float cosh_float32(float x) { return (float)cosh_float64(x); }
static ALWAYS_INLINE float asinh_float32(float x) { return (float)asinh_float64(x); }
static ALWAYS_INLINE float acosh_float32(float x) { return (float)acosh_float64(x); }
static ALWAYS_INLINE float atanh_float32(float x) { return (float)atanh_float64(x); }
