/* Reducers of the dtypes that do not benefit from newer instruction sets. */
#include <complex.h>

#include "elements/half.h"
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"

#define S uint8_t
#define SUFFIX bool
#define CODE BOOL
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S uint8_t
#define SUFFIX uint8
#define CODE UINT8
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S int8_t
#define SUFFIX int8
#define CODE INT8
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S int16_t
#define SUFFIX int16
#define CODE INT16
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S int32_t
#define SUFFIX int32
#define CODE INT32
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S int64_t
#define SUFFIX int64
#define CODE INT64
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S _Complex float
#define SUFFIX complex64
#define CODE COMPLEX64
#include "reductions/reduce_complex.inc"

#define S _Complex double
#define SUFFIX complex128
#define CODE COMPLEX128
#include "reductions/reduce_complex.inc"

/* Tests the bits to determine whether a floating-point number is nonzero. */
#define TRUE_OF(x) (((x) & 0x7fff) != 0)
#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#include "reductions/reduce_truth.inc"
#undef SUFFIX
#undef CODE

#define TRUE_OF(x) (((x) & 0x7fff) != 0)
#define SUFFIX bfloat16
#define CODE BFLOAT16
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#include "reductions/reduce_truth.inc"
#undef S
#undef SUFFIX
#undef CODE

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#include "reductions/reduce_truth.inc"
