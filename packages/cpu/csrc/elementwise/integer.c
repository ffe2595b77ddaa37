/* Elementwise operators of integers: integer.inc for each type, and comparisons with a wider one. */
#include "runtime/kernel.h"

#define T uint8_t
#define W uint32_t
#define SUFFIX uint8
#define CODE UINT8
#include "elementwise/integer_loops.inc"

#define T int8_t
#define SUFFIX int8
#define CODE INT8
#include "elementwise/integer_loops.inc"

#define T int16_t
#define SUFFIX int16
#define CODE INT16
#include "elementwise/integer_loops.inc"

#define T int32_t
#define SUFFIX int32
#define CODE INT32
#include "elementwise/integer_loops.inc"
#undef W

#define T int64_t
#define W uint64_t
#define SUFFIX int64
#define CODE INT64
#include "elementwise/integer_loops.inc"
#undef W

#define T uint8_t
#define SUFFIX uint8
#define CODE UINT8
#include "elementwise/compare_wide.inc"

#define T int8_t
#define SUFFIX int8
#define CODE INT8
#include "elementwise/compare_wide.inc"

#define T int16_t
#define SUFFIX int16
#define CODE INT16
#include "elementwise/compare_wide.inc"

#define T int32_t
#define SUFFIX int32
#define CODE INT32
#include "elementwise/compare_wide.inc"
