/* Extremes along a dimension with their indices, for every dtype that has an order. */
#include "half.h"
#include "kernel.h"
#include "plans/reduce.h"

#define IS_NAN(x) 0

#define S uint8_t
#define SUFFIX bool
#define CODE BOOL
#define NUMBER uint8_t
#define READ(x) ((x) != 0)
#define WRITE(x) (x)
#include "extremes.inc"

#define S uint8_t
#define SUFFIX uint8
#define CODE UINT8
#define NUMBER uint8_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "extremes.inc"

#define S int8_t
#define SUFFIX int8
#define CODE INT8
#define NUMBER int8_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "extremes.inc"

#define S int16_t
#define SUFFIX int16
#define CODE INT16
#define NUMBER int16_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "extremes.inc"

#define S int32_t
#define SUFFIX int32
#define CODE INT32
#define NUMBER int32_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "extremes.inc"

#define S int64_t
#define SUFFIX int64
#define CODE INT64
#define NUMBER int64_t
#define READ(x) (x)
#define WRITE(x) (x)
#include "extremes.inc"

#undef IS_NAN
#define IS_NAN(x) ((x) != (x))

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define NUMBER float
#define READ(x) (x)
#define WRITE(x) (x)
#include "extremes.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define NUMBER double
#define READ(x) (x)
#define WRITE(x) (x)
#include "extremes.inc"

#define S uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define NUMBER float
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#include "extremes.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define NUMBER float
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#include "extremes.inc"
