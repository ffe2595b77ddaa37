/* The states of sums (see Note [Reductions]) and a selection between vectors. */
#pragma once
#include <string.h>

#include "runtime/kernel.h"
#include "runtime/vector.h"

/* A sum, and its rounding error (Knuth, The Art of Computer Programming, volume 2, 4.2.2, theorem B). */
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

/* Infinities and NaN make the rounding error meaningless and do not need it. */
static ALWAYS_INLINE double rounded(struct exact_sum s)
{
    return s.lost - s.lost == 0 ? s.sum + s.lost : s.sum;
}

static ALWAYS_INLINE double add_widened(double s, double x)
{
    return s + x;
}

/* The bytes of `width` that prefetch_rows should request: 0 if n rows fit in the L2 cache. */
static ALWAYS_INLINE int64_t bytes_ahead(int64_t n, int64_t row_step, int64_t width)
{
    enum { IN_CACHE = 1 << 18 };
    return n * row_step > IN_CACHE ? width : 0;
}

/* Requests `bytes` of the rows that are reduced next. The processor does not prefetch short pieces of distant rows. */
static ALWAYS_INLINE void prefetch_rows(const char *a, int64_t rows, int64_t row_step, int64_t bytes)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t at = 0; at < bytes; at += 64)
            __builtin_prefetch(a + i * row_step + at);
}

/* Selects elements of x where the mask is set, otherwise elements of y. */
#define SELECT(mask, x, y) ((__typeof__(x))(((mask) & (__typeof__(mask))(x)) | (~(mask) & (__typeof__(mask))(y))))

/* The indices of a vector's lanes, as constants with which the compiler can compute. */
#if VECTOR_BYTES == 64
#define NUMBERS_32 {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
#define NUMBERS_64 {0, 1, 2, 3, 4, 5, 6, 7}
#elif VECTOR_BYTES == 32
#define NUMBERS_32 {0, 1, 2, 3, 4, 5, 6, 7}
#define NUMBERS_64 {0, 1, 2, 3}
#else
#define NUMBERS_32 {0, 1, 2, 3}
#define NUMBERS_64 {0, 1}
#endif
typedef int32_t numbers_32 __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t numbers_64 __attribute__((vector_size(VECTOR_BYTES)));
#define LANE_NUMBERS(LANE) __builtin_choose_expr(sizeof(LANE) == 8, (numbers_64)NUMBERS_64, (numbers_32)NUMBERS_32)

/* A number below a power of two with its bits reversed. */
#define REVERSED(x, most) ((((x) & 1) << 3 | ((x) & 2) << 1 | ((x) & 4) >> 1 | (x) >> 3) * (most) / 16)
