/* Sums and products of integers and bools. */
#include "reductions/reduce.cdef.h"
#include "reductions/reduce_loads.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"

WIDENING(bool_32, uint8_t, int32_t, epu8_epi32, ONES_OF_TRUE)
WIDENING(bool_64, uint8_t, uint64_t, epu8_epi64, ONES_OF_TRUE)
WIDENING(uint8_32, uint8_t, int32_t, epu8_epi32, AS_LOADED)
WIDENING(uint8_64, uint8_t, uint64_t, epu8_epi64, AS_LOADED)
WIDENING(int8_32, int8_t, int32_t, epi8_epi32, AS_LOADED)
WIDENING(int8_64, int8_t, uint64_t, epi8_epi64, AS_LOADED)
WIDENING(int16_32, int16_t, int32_t, epi16_epi32, AS_LOADED)
WIDENING(int16_64, int16_t, uint64_t, epi16_epi64, AS_LOADED)
WIDENING(int32_64, int32_t, uint64_t, epi32_epi64, AS_LOADED)
WIDENING(uint16_64, uint16_t, uint64_t, epu16_epi64, AS_LOADED)
WIDENING(uint32_64, uint32_t, uint64_t, epu32_epi64, AS_LOADED)
LOADING(int64_64, int64_t, uint64_t)

#define READ(x) ((x) != 0)
#define S uint8_t
#define SUFFIX bool
#define CODE BOOL
#define SUM_LANE int32_t
#define SUM_LANES bool_32
#define PROD_LANES bool_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S uint8_t
#define SUFFIX uint8
#define CODE UINT8
#define SUM_LANE int32_t
#define SUM_LANES uint8_32
#define PROD_LANES uint8_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int8_t
#define SUFFIX int8
#define CODE INT8
#define SUM_LANE int32_t
#define SUM_LANES int8_32
#define PROD_LANES int8_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int16_t
#define SUFFIX int16
#define CODE INT16
#define SUM_LANE int32_t
#define SUM_LANES int16_32
#define PROD_LANES int16_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int32_t
#define SUFFIX int32
#define CODE INT32
#define SUM_LANE uint64_t
#define SUM_LANES int32_64
#define PROD_LANES int32_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int64_t
#define SUFFIX int64
#define CODE INT64
#define SUM_LANE uint64_t
#define SUM_LANES int64_64
#define PROD_LANES int64_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S uint16_t
#define SUFFIX uint16
#define CODE UINT16
#define SUM_LANE uint64_t
#define SUM_LANES uint16_64
#define PROD_LANES uint16_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S uint32_t
#define SUFFIX uint32
#define CODE UINT32
#define SUM_LANE uint64_t
#define SUM_LANES uint32_64
#define PROD_LANES uint32_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int64_t
#define SUFFIX uint64
#define CODE UINT64
#define SUM_LANE uint64_t
#define SUM_LANES int64_64
#define PROD_LANES int64_64
#include "reductions/reduce_integer_sums.inc"
