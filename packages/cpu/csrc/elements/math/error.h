/* erf for float32 and float64, and the complementary function in the form that gelu uses. Polynomials as in Note
   [Own polynomials]: of t = 1 / (1 + c x), around 19/32, because there their terms do not cancel. */
#pragma once
#include "elements/math/float32.h"
#include "elements/math/float64.h"

/* scale exp(x^2) erfc(x) for x from 0 to 10.6, from z and its factor: 3/8 x = factor z. `scale` is a power of 2. */
static ALWAYS_INLINE float scaled_erfc_float32(float z, float factor, float scale)
{
    const float t = scale / MULTIPLY_ADD(z, factor, 1.0f), v = MULTIPLY_ADD(t, 1.0f / scale, -0.59375f);
    /* exp(x^2) erfc(x) / t in t - 19/32: 2^-25.4 */
    float q = 0x1.f7d572p-5f;
    q = MULTIPLY_ADD(q, v, 0x1.476ab4p-8f);
    q = MULTIPLY_ADD(q, v, -0x1.3c2a66p-3f);
    q = MULTIPLY_ADD(q, v, -0x1.84769cp-4f);
    q = MULTIPLY_ADD(q, v, 0x1.3cfd0cp-2f);
    q = MULTIPLY_ADD(q, v, 0x1.8e0f5ap-1f);
    q = MULTIPLY_ADD(q, v, 0x1.e9e9b4p-1f);
    q = MULTIPLY_ADD(q, v, 0x1.9249c2p-1f);
    q = MULTIPLY_ADD(q, v, 0x1.db2620p-2f);
    return t * q;
}

/* The same for x up to 27.8, from y = 19/64 x. */
static ALWAYS_INLINE double scaled_erfc_float64(double y)
{
    static const double q[] = {/* exp(x^2) erfc(x) / t in t - 19/32: 2^-58 */
                               0x1.865a7efad8bbep-2, 0x1.744af58cee1eep-1, 0x1.1edc3c8488936p+0, 0x1.60b92b78c867ap+0,
                               0x1.4dd720d264bcfp+0, 0x1.bbd817955745fp-1, 0x1.25510abb99cb8p-2, -0x1.b99e6994a5d9ep-4,
                               -0x1.4d52c356dff9dp-3, -0x1.8303162fe1140p-6, 0x1.039d105236b18p-4, 0x1.a05018dbac24ep-6,
                               -0x1.bf31f3459e9b9p-6, -0x1.eda678468b368p-7, 0x1.de7d09d082e0cp-7, 0x1.f0b05eaae98a5p-8,
                               -0x1.328b579619a67p-7, -0x1.8f220ae3c1f66p-9, 0x1.a02da05d28871p-8, 0x1.58dcfe642ab33p-11,
                               -0x1.f4628035bec62p-9, 0x1.134f2268f00b0p-14, 0x1.6f018f9c2f97ap-10};
    const double t = 1.0 / (1.0 + y);
    return t * polynomial64(t - 0.59375, q, 22);
}

static ALWAYS_INLINE float erf_float32(float x)
{
    const float size = __builtin_fabsf(x), bounded = size > 4.0f ? 4.0f : size, square = bounded * bounded;
    /* erf(x) / x - 1 in x^2, up to 0.9: 2^-30 */
    float q = 0x1.4d2864p-14f;
    q = MULTIPLY_ADD(q, square, -0x1.a583bcp-11f);
    q = MULTIPLY_ADD(q, square, 0x1.543f2ap-8f);
    q = MULTIPLY_ADD(q, square, -0x1.b80062p-6f);
    q = MULTIPLY_ADD(q, square, 0x1.ce2d60p-4f);
    q = MULTIPLY_ADD(q, square, -0x1.812740p-2f);
    q = MULTIPLY_ADD(q, square, 0x1.06eba8p-3f);
    const float large = 1.0f - exp_not_positive(-square) * scaled_erfc_float32(bounded, 0.375f, 1.0f);
    return size < 0.9f ? MULTIPLY_ADD(x, q, x) : __builtin_copysignf(large, x);
}

static ALWAYS_INLINE double erf_float64(double x)
{
    static const double q[] = {/* erf(x) / x - 1 in x^2, up to 0.9: 2^-60 */
                               0x1.06eba8214db69p-3, -0x1.812746b0379e2p-2, 0x1.ce2f21a0427e1p-4, -0x1.b82ce31271db2p-6,
                               0x1.565bcd0a317c9p-8, -0x1.c02db31402935p-11, 0x1.f9a30626fbb4cp-14,
                               -0x1.f4cf5928fc2bfp-17, 0x1.b9b75dd1ec6f2p-20, -0x1.5d835bdaa640cp-23,
                               0x1.e29e3515f0f51p-27, -0x1.d24aff0742353p-31};
    const double size = __builtin_fabs(x), bounded = size > 6.0 ? 6.0 : size, square = bounded * bounded;
    const double large = 1.0 - exp_of_parts64(-square, 0.0) * scaled_erfc_float64(0.296875 * bounded);
    return size < 0.9 ? MULTIPLY_ADD64(x, polynomial64(square, q, 11), x) : __builtin_copysign(large, x);
}
