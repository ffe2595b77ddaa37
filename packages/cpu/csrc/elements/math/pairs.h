/* Numbers as the unevaluated sum of two float64: products and sums without rounding error, for results that need more
   than 53 bits. D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2; T. J. Dekker, A floating-point technique
   for extending the available precision, 1971. */
#pragma once
#include "elements/math/float64.h"

struct pair {
    double high, low;
};
#ifdef __cplusplus
#define PAIR(high, low) pair{high, low}
#else
#define PAIR(high, low) ((struct pair){high, low})
#endif

/* a b. Without fused multiply-add the factors are split into halves of 26 bits: below 2^990, then. */
static ALWAYS_INLINE struct pair exact_product(double a, double b)
{
    const double high = a * b;
#ifdef __FMA__
    return PAIR(high, __builtin_fma(a, b, -high));
#else
    const double scaled_a = a * 0x8000001p0, a_high = scaled_a - (scaled_a - a), a_low = a - a_high;
    const double scaled_b = b * 0x8000001p0, b_high = scaled_b - (scaled_b - b), b_low = b - b_high;
    return PAIR(high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low);
#endif
}

/* a + b where |a| is the larger, or 0. */
static ALWAYS_INLINE struct pair ordered_sum(double a, double b)
{
    const double high = a + b;
    return PAIR(high, b - (high - a));
}

static ALWAYS_INLINE struct pair exact_sum_of(double a, double b)
{
    const double high = a + b, part = high - a;
    return PAIR(high, (a - (high - part)) + (b - part));
}

/* The product of two pairs, to about 2^-100. */
static ALWAYS_INLINE struct pair pair_product(struct pair a, struct pair b)
{
    const struct pair product = exact_product(a.high, b.high);
    return PAIR(product.high, product.low + (a.high * b.low + a.low * b.high));
}
