/* Sums and products of floating-point numbers. */
#include "elements/half.h"
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_loads_floating.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"

/* Sums of float32, and of the half-precision types as float32, are accumulated in double. */
#define NUMBER float
#define WIDER double
#define FRESH_SUM 0
#define ADD_LANE add_widened
#define ADD_SUM add_widened
#define GIVE_SUM(s) ((float)(s))

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define READ(x) (x)
#define READ_UNIT floats_of_float32
#define READ_DOUBLES doubles_of_float32
#define WRITE(x) (x)
#include "reductions/reduce_floating.inc"
#undef S
#undef SUFFIX
#undef CODE
#undef READ
#undef READ_UNIT
#undef READ_DOUBLES
#undef WRITE

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define READ(x) float_of_float16(x)
#define READ_UNIT floats_of_float16
#define READ_DOUBLES doubles_of_float16
#define WRITE(x) float16_of_float(x)
#include "reductions/reduce_floating.inc"
#undef SUFFIX
#undef CODE
#undef READ
#undef READ_UNIT
#undef READ_DOUBLES
#undef WRITE

#define SUFFIX bfloat16
#define CODE BFLOAT16
#define READ(x) float_of_bfloat16(x)
#define READ_UNIT floats_of_bfloat16
#define READ_DOUBLES doubles_of_bfloat16
#define WRITE(x) bfloat16_of_float(x)
#include "reductions/reduce_floating.inc"
#undef S
#undef SUFFIX
#undef CODE
#undef READ
#undef READ_UNIT
#undef READ_DOUBLES
#undef WRITE
#undef NUMBER
#undef WIDER
#undef FRESH_SUM
#undef ADD_LANE
#undef ADD_SUM
#undef GIVE_SUM

#define NUMBER double
#define WIDER struct exact_sum
#define FRESH_SUM {0, 0}
#define ADD_LANE add_exactly
#define ADD_SUM join_exactly
#define GIVE_SUM rounded
#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define READ(x) (x)
#define READ_UNIT doubles_of_float64
#define READ_DOUBLES doubles_of_float64
#define WRITE(x) (x)
#include "reductions/reduce_floating.inc"
