/* Running sums, products, extremes and log-sums, and linear recurrences, along lines. */
#include <complex.h>
#include <math.h>

#include "elements/half.h"
#include "elements/math/functions.h"
#include "lines/tiles.h"

/* LANES lines are processed together. GCC does not vectorize loops that it has
   unrolled completely, nor does it know that operands are the same array or none of their elements is shared. */
#define LOOP _Pragma("GCC unroll 1") _Pragma("GCC ivdep")
#define LANES (sizeof(S) < 4 ? 64 / (int64_t)sizeof(S) : 16)
#define NOTHING (-0.0)

enum { EXTREME_BLOCK = 32, SHORT = 64 };

#define S int64_t
#define SUFFIX int64
#define CODE INT64
#define ACC uint64_t
#define READ(x) ((uint64_t)(x))
#define WRITE(x) ((int64_t)(x))
#define COST 400
#include "lines/scan.inc"

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define ACC double
#define READ(x) ((double)(x))
#define WRITE(x) ((float)(x))
#define COST 1300
#include "lines/scan.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define ACC double
#define READ(x) (x)
#define WRITE(x) (x)
#define COST 1300
#include "lines/scan.inc"

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define ACC float
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#define COST 2000
#include "lines/scan.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define ACC float
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#define COST 2000
#include "lines/scan.inc"

#define S _Complex float
#define SUFFIX complex64
#define CODE COMPLEX64
#define ACC _Complex double
#define READ(x) ((_Complex double)(x))
#define WRITE(x) ((_Complex float)(x))
#define COST 2500
#include "lines/scan.inc"

#define S _Complex double
#define SUFFIX complex128
#define CODE COMPLEX128
#define ACC _Complex double
#define READ(x) (x)
#define WRITE(x) (x)
#define COST 2500
#include "lines/scan.inc"

#define S uint8_t
#define SUFFIX bool
#define CODE BOOL
#define VALUE int
#define READ(x) ((x) != 0)
#include "lines/extreme_scan.inc"

#define S uint8_t
#define SUFFIX uint8
#define CODE UINT8
#define VALUE int
#define READ(x) (x)
#include "lines/extreme_scan.inc"

#define S int8_t
#define SUFFIX int8
#define CODE INT8
#define VALUE int
#define READ(x) (x)
#include "lines/extreme_scan.inc"

#define S int16_t
#define SUFFIX int16
#define CODE INT16
#define VALUE int
#define READ(x) (x)
#include "lines/extreme_scan.inc"

#define S int32_t
#define SUFFIX int32
#define CODE INT32
#define VALUE int32_t
#define READ(x) (x)
#include "lines/extreme_scan.inc"

#define S int64_t
#define SUFFIX int64
#define CODE INT64
#define VALUE int64_t
#define READ(x) (x)
#include "lines/extreme_scan.inc"

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define VALUE float
#define READ(x) float_of_float16(x)
#include "lines/extreme_scan.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define VALUE float
#define READ(x) float_of_bfloat16(x)
#include "lines/extreme_scan.inc"

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define VALUE float
#define READ(x) (x)
#include "lines/extreme_scan.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define VALUE double
#define READ(x) (x)
#include "lines/extreme_scan.inc"

/* log(exp(a) + exp(b)). Equal numbers may be infinite. */
static ALWAYS_INLINE double log_add(double a, double b)
{
    const double high = a > b ? a : b, low = a > b ? b : a;
    return high + (high == low ? M_LN2 : log1p_exp_float64(low - high));
}

#define LOG_SCAN(suffix, S, CODE, READ, WRITE)                                                                  \
    static void logcumsumexp_line_##suffix(const struct facula_lines *plan, char *const *at)                    \
    {                                                                                                           \
        double s = -INFINITY;                                                                                   \
        for (int64_t i = 0; i < plan->n[0]; i++) {                                                              \
            const double x = READ(*(const S *)(at[0] + i * plan->step[0]));                                     \
            s = i ? log_add(s, x) : x;                                                                          \
            *(S *)(at[1] + i * plan->step[1]) = WRITE(s);                                                       \
        }                                                                                                       \
    }                                                                                                           \
                                                                                                                \
    static void logcumsumexp_columns_##suffix(const struct facula_lines *plan, int64_t first, int64_t n, \
                                              int64_t width, char *const *at, const int64_t *step, char *state) \
    {                                                                                                           \
        (void)plan;                                                                                             \
        double *carried = (double *)state;                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                       \
            const S *a = (const S *)(at[0] + i * step[0]);                                                      \
            S *o = (S *)(at[1] + i * step[1]);                                                                  \
            for (int64_t j = 0; j < width; j++) {                                                               \
                const double x = READ(a[j]), s = first + i ? log_add(carried[j], x) : x;                        \
                carried[j] = s;                                                                                 \
                o[j] = WRITE(s);                                                                                \
            }                                                                                                   \
        }                                                                                                       \
    }                                                                                                           \
                                                                                                                \
    static int64_t logcumsumexp_##suffix(const struct facula_lines *plan, char *const *at, int64_t count)       \
    {                                                                                                           \
        return run_columns(plan, at, count, 1, 2, (const int64_t[]){sizeof(S), sizeof(S)},                      \
                           logcumsumexp_columns_##suffix, logcumsumexp_line_##suffix, 0, -1);                   \
    }                                                                                                           \
    FACULA_KERNEL("logcumsumexp_lines", logcumsumexp_##suffix, 20000, CODE)

LOG_SCAN(float16, uint16_t, FLOAT16, float_of_float16, float16_of_float)
LOG_SCAN(bfloat16, uint16_t, BFLOAT16, float_of_bfloat16, bfloat16_of_float)
LOG_SCAN(float32, float, FLOAT32, , )
LOG_SCAN(float64, double, FLOAT64, , )
