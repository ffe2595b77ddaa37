/* Copies between dtypes: cast.inc for each source. float16 and bfloat16 go through float32 (half.dispatch.c). */
#include "elements/casts.h"
#include "runtime/kernel.h"

#define TO_INTEGER(type, x) ((type)(x))

#define READ(x) ((x) != 0)
#define S uint8_t
#define SUFFIX bool
#define CODE BOOL
#include "copies/cast.inc"
#undef READ

#define READ(x) (x)

#define S uint8_t
#define SUFFIX uint8
#define CODE UINT8
#include "copies/cast.inc"

#define S int8_t
#define SUFFIX int8
#define CODE INT8
#include "copies/cast.inc"

#define S int16_t
#define SUFFIX int16
#define CODE INT16
#include "copies/cast.inc"

#define S int32_t
#define SUFFIX int32
#define CODE INT32
#include "copies/cast.inc"

#define S int64_t
#define SUFFIX int64
#define CODE INT64
#include "copies/cast.inc"

#undef TO_INTEGER
#define TO_INTEGER(type, x) ((type)(sizeof(type) == 8 ? truncated(x) : truncated_short(x)))

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#include "copies/cast.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#include "copies/cast.inc"

#define S float _Complex
#define SUFFIX complex64
#define CODE COMPLEX64
#include "copies/cast.inc"

#define S double _Complex
#define SUFFIX complex128
#define CODE COMPLEX128
#include "copies/cast.inc"
