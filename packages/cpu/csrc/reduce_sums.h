/* The states of sums, see Note [Reductions], and the choice between numbers. */
#pragma once
#include <string.h>

#include "kernel.h"
#include "vector.h"

/* A sum, and what rounding has taken from it (Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B). */
struct exact_sum {
    double sum, lost;
};

static ALWAYS_INLINE struct exact_sum add_exactly(struct exact_sum s, double x)
{
    double sum = s.sum + x, part = sum - s.sum;
    return (struct exact_sum){sum, s.lost + ((s.sum - (sum - part)) + (x - part))};
}

static ALWAYS_INLINE struct exact_sum join_exactly(struct exact_sum s, struct exact_sum later)
{
    s = add_exactly(s, later.sum);
    s.lost += later.lost;
    return s;
}

/* Infinities and NaN make nonsense of what is lost, and need none of it. */
static ALWAYS_INLINE double rounded(struct exact_sum s)
{
    return s.lost - s.lost == 0 ? s.sum + s.lost : s.sum;
}

static ALWAYS_INLINE double add_widened(double s, double x)
{
    return s + x;
}

/* The more extreme of two numbers, or a NaN if there is one: nothing compares with a NaN in y, so it stays. */
#define PICK(x, y, beyond) ((x) != (x) ? (x) : (x) beyond (y) ? (x) : (y))

/* The same for vectors: elements of x where the mask is set, else those of y. */
#define SELECT(mask, x, y) ((__typeof__(x))(((mask) & (__typeof__(mask))(x)) | (~(mask) & (__typeof__(mask))(y))))

static const int32_t counting_32[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const int64_t counting_64[8] = {0, 1, 2, 3, 4, 5, 6, 7};
