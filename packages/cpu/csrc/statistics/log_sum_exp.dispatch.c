/* Logarithms of sums of exponentials. */
#include <math.h>
#include <string.h>

#include "elements/half.h"
#include "elements/math/exponents.h"
#include "elements/math/functions.h"
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

enum {
    LANES = 16,   /* numbers in a vector: the same at every level, so that sums are the same */
    BLOCK = 512,  /* elements of a row that are read twice */
    FEW = 64,     /* the same of copied rows that are processed together */
    COLUMNS = 64, /* columns processed together, and the number of elements of each */
    DEPTH = 64,
};

#define T float
#define VECTOR floats
#define INTEGER int32_t
#define WIDE 0
#define EXP_SHIFTED exp_not_positive
#define LOG wide_log

#define S float
#define ARE_NUMBERS 1
#define SUFFIX float32
#define CODE FLOAT32
#define READ(x) (x)
#define WRITE(x) ((float)(x))
#define COST 300
#include "statistics/log_sum_exp.inc"

#define S uint16_t
#define ARE_NUMBERS 0
#define SUFFIX float16
#define CODE FLOAT16
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float((float)(x))
#define COST 350
#include "statistics/log_sum_exp.inc"

#define S uint16_t
#define ARE_NUMBERS 0
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float((float)(x))
#define COST 350
#include "statistics/log_sum_exp.inc"

#undef T
#undef VECTOR
#undef INTEGER
#undef WIDE
#undef EXP_SHIFTED
#undef LOG
#define T double
#define VECTOR doubles
#define INTEGER int64_t
#define WIDE 1
#define EXP_SHIFTED exp_not_positive64
#define LOG log_float64

#define S double
#define ARE_NUMBERS 1
#define SUFFIX float64
#define CODE FLOAT64
#define READ(x) (x)
#define WRITE(x) (x)
#define COST 800
#include "statistics/log_sum_exp.inc"
