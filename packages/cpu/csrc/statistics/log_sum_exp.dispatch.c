/* Logarithms of sums of exponentials. */
#include <math.h>
#include <string.h>

#include "elements/half.h"
#include "elements/math/functions.h"
#include "statistics/extreme_units.h"
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

enum {
    BLOCK = 512,  /* elements of a row that are read twice, a multiple of two vectors */
    COLUMNS = 64, /* columns processed together, and the number of elements of each */
    DEPTH = 64,
};

/* exp for x <= 0 in few steps: at least exp(-87). Sums of terms up to 1 do not need smaller ones. */
static ALWAYS_INLINE float exp_of_term(float x)
{
    int32_t n;
    const float y = 1.0f + reduced_expm1(x < -87.0f ? -87.0f : x, &n); /* NaN passes */
    return y * power_of_two(n);
}

#define T float
#define UNITS floats
#define MORE(x, found) amax_units_float(x, found)
#define EXP(x) exp_of_term(x)

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define READ(x) (x)
#define WRITE(x) ((float)(x))
#define COST 300
#include "statistics/log_sum_exp.inc"

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float((float)(x))
#define COST 350
#include "statistics/log_sum_exp.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float((float)(x))
#define COST 350
#include "statistics/log_sum_exp.inc"

#undef T
#undef UNITS
#undef EXP
#undef MORE
#define T double
#define UNITS doubles
#define MORE(x, found) amax_units_double(x, found)
#define EXP(x) real_exp(x)

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define READ(x) (x)
#define WRITE(x) (x)
#define COST 800
#include "statistics/log_sum_exp.inc"
