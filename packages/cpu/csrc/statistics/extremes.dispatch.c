/* Extremes, with and without their indices, for every ordered dtype. */
#include "elements/half.h"
#include "statistics/extreme_units.h"
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"

#define MORE(x, found) PASTE(PASTE(VALUES, units), NUMBER)(x, found)

#define HAS_NAN 0
#define IS_NAN(x) 0
#define UNORDERED(x, y) ((nan_mask){0})

#define LOADED(x) ((unsigned_bytes)((x) != 0) & 1)
#define S uint8_t
#define SUFFIX bool
#define CODE BOOL
#define LEAST 0
#define MOST 1
#define NUMBER uint8_t
#define COUNT int8_t
#define READ(x) ((x) != 0)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#undef LOADED
#define LOADED(x) (x)

#define S uint8_t
#define SUFFIX uint8
#define CODE UINT8
#define LEAST 0
#define MOST UINT8_MAX
#define NUMBER uint8_t
#define COUNT int8_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#define S int8_t
#define SUFFIX int8
#define CODE INT8
#define LEAST INT8_MIN
#define MOST INT8_MAX
#define NUMBER int8_t
#define COUNT int8_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#define S int16_t
#define SUFFIX int16
#define CODE INT16
#define LEAST INT16_MIN
#define MOST INT16_MAX
#define NUMBER int16_t
#define COUNT int16_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#define S int32_t
#define SUFFIX int32
#define CODE INT32
#define LEAST INT32_MIN
#define MOST INT32_MAX
#define NUMBER int32_t
#define COUNT int32_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#define S int64_t
#define SUFFIX int64
#define CODE INT64
#define LEAST INT64_MIN
#define MOST INT64_MAX
#define NUMBER int64_t
#define COUNT int64_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#undef HAS_NAN
#undef IS_NAN
#undef UNORDERED
#define HAS_NAN 1
#define IS_NAN(x) ((x) != (x))
#define UNORDERED(x, y) PASTE(unordered, NUMBER)(x, y)

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define LEAST -__builtin_inf()
#define MOST __builtin_inf()
#define NUMBER float
#define COUNT int32_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define LEAST -__builtin_inf()
#define MOST __builtin_inf()
#define NUMBER double
#define COUNT int64_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "statistics/extremes.inc"

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define LEAST -__builtin_inf()
#define MOST __builtin_inf()
#define NUMBER float
#define COUNT int32_t
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#include "statistics/extremes.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define LEAST -__builtin_inf()
#define MOST __builtin_inf()
#define NUMBER float
#define COUNT int32_t
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#include "statistics/extremes.inc"
