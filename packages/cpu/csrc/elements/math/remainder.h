/* fmod for float32 and float64, exact like C's, if the quotient is a whole number that the type represents: rounded to
   the nearest, its product with the divisor leaves a remainder with no more bits than a number, and at most one divisor
   must be added. Larger quotients go to the C library, see Note [Guards] in functions.inc. */
#pragma once
#include "elements/math/float32.h"
#include "elements/math/pairs.h"

#define MOST_QUOTIENT 0x1p22 /* for divisors of any magnitude, and small enough for an exact remainder in either type */
#define LARGEST_DIVISOR (sizeof(T) < 8 ? __FLT_MAX__ : 0x1p960) /* see exact_product */

/* To the nearest whole number, by a sum that leaves no bits for a fraction; larger ones are whole. */
static ALWAYS_INLINE float rounded_float32(float x)
{
    const float size = __builtin_fabsf(x), rounded = size + 0x1p23f - 0x1p23f;
    return size < 0x1p23f ? __builtin_copysignf(rounded, x) : x;
}

static ALWAYS_INLINE double rounded_float64(double x)
{
    const double size = __builtin_fabs(x), rounded = size + 0x1p52 - 0x1p52;
    return size < 0x1p52 ? __builtin_copysign(rounded, x) : x;
}

static ALWAYS_INLINE float fmod_float32(float x, float y)
{
    const double size = __builtin_fabs((double)x), divisor = __builtin_fabs((double)y);
    const double quotient = size / divisor + ROUNDING64 - ROUNDING64;
    const double rest = size - quotient * divisor; /* both exact: 22 and 24 bits */
    const double positive = rest < 0.0 ? rest + divisor : rest;
    return __builtin_copysignf((float)(divisor == __builtin_inf() ? size : positive), x);
}

static ALWAYS_INLINE double fmod_float64(double x, double y)
{
    const double size = __builtin_fabs(x), divisor = __builtin_fabs(y);
    const double quotient = size / divisor + ROUNDING64 - ROUNDING64;
    const struct pair product = exact_product(quotient, divisor);
    const double rest = size - product.high - product.low, positive = rest < 0.0 ? rest + divisor : rest;
    return __builtin_copysign(divisor == __builtin_inf() ? size : positive, x);
}
