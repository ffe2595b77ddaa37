/* Variances, standard deviations and Euclidean norms. */
#include <math.h>
#include <string.h>

#include "elements/half.h"
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_loads_floating.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"

enum {
    BLOCK = 512,  /* elements of a row that are read twice; complex numbers occupy twice the memory */
    UNIT = VECTOR_BYTES / sizeof(double),
    UNITS = 4,
    COLUMNS = 64, /* columns processed together, and the number of elements of each */
    DEPTH = 64,
};

#define S float
#define R float
#define PARTS 1
#define RESULT float
#define SUFFIX float32
#define LOAD(a) doubles_of_float32(a)
#define CODE FLOAT32
#define RESULT_CODE FLOAT32
#define READ(x) ((double)(x))
#define WRITE(x) ((float)(x))
#define COST 150
#include "statistics/moments.inc"

#define S double
#define R double
#define PARTS 1
#define RESULT double
#define SUFFIX float64
#define LOAD(a) doubles_of_float64(a)
#define CODE FLOAT64
#define RESULT_CODE FLOAT64
#define READ(x) (x)
#define WRITE(x) (x)
#define COST 250
#include "statistics/moments.inc"

#define S uint16_t
#define R uint16_t
#define PARTS 1
#define RESULT uint16_t
#define SUFFIX float16
#define LOAD(a) doubles_of_float16(a)
#define CODE FLOAT16
#define RESULT_CODE FLOAT16
#define READ(x) ((double)float_of_float16(x))
#define WRITE(x) float16_of_float((float)(x))
#define COST 300
#include "statistics/moments.inc"

#define S uint16_t
#define R uint16_t
#define PARTS 1
#define RESULT uint16_t
#define SUFFIX bfloat16
#define LOAD(a) doubles_of_bfloat16(a)
#define CODE BFLOAT16
#define RESULT_CODE BFLOAT16
#define READ(x) ((double)float_of_bfloat16(x))
#define WRITE(x) bfloat16_of_float((float)(x))
#define COST 500
#include "statistics/moments.inc"

#define S _Complex float
#define R float
#define PARTS 2
#define RESULT float
#define SUFFIX complex64
#define LOAD(a) doubles_of_float32(a)
#define CODE COMPLEX64
#define RESULT_CODE FLOAT32
#define READ(x) ((double)(x))
#define WRITE(x) ((float)(x))
#define COST 500
#include "statistics/moments.inc"

#define S _Complex double
#define R double
#define PARTS 2
#define RESULT double
#define SUFFIX complex128
#define LOAD(a) doubles_of_float64(a)
#define CODE COMPLEX128
#define RESULT_CODE FLOAT64
#define READ(x) (x)
#define WRITE(x) (x)
#define COST 600
#include "statistics/moments.inc"
