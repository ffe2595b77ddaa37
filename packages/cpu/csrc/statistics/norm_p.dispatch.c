/* Norms for any exponent p except 2, for which moments.dispatch.c adds squares. */
#include "elements/half.h"
#include "elements/math/functions.h"
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

enum {
    BLOCK = 512, /* elements of a row */
    LANES = 32,
    EIGHT = 8,
    COLUMNS = 64, /* columns processed together, and the number of elements of each, a multiple of LANES */
    DEPTH = 128,
};
#define IS_INFINITE(p) (fabs(p) == __builtin_inf())

/* Outside [SMALL, LARGE] one factor is not sufficient: its inverse, or the number itself, is subnormal. */
#define T float
#define UNITS floats
#define POWER(x, y) pow_to_float32(x, y)
#define LARGE 0x1p100
#define SMALL 0x1p-100
#define SHIFT 0x1p50
#define LEAST_SUM 0x1p-100
#define GREATEST_SUM 0x1p120
#define BITS uint32_t
#define INFINITE_BITS 0x7f800000u

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define READ(x) (x)
#define WRITE(x) ((float)(x))
#define COST 500
#include "statistics/norm_p.inc"

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float((float)(x))
#define COST 600
#include "statistics/norm_p.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float((float)(x))
#define COST 600
#include "statistics/norm_p.inc"

#undef T
#undef UNITS
#undef POWER
#undef LARGE
#undef SMALL
#undef SHIFT
#undef LEAST_SUM
#undef GREATEST_SUM
#undef BITS
#undef INFINITE_BITS
#define T double
#define UNITS doubles
#define POWER(x, y) pow_float64(x, y)
#define LARGE 0x1p960
#define SMALL 0x1p-960
#define SHIFT 0x1p64
#define LEAST_SUM 0x1p-64 /* roots of sums far from 1 lose digits, because the exponent is rounded */
#define GREATEST_SUM 0x1p64
#define BITS uint64_t
#define INFINITE_BITS 0x7ff0000000000000u

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define READ(x) (x)
#define WRITE(x) (x)
#define COST 1000
#include "statistics/norm_p.inc"
