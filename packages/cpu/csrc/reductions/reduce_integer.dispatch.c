/* Sums and products of integers and bools. */
#include "reductions/reduce_converted.h"
#include "reductions/reduce_loads.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"

WIDENING(bool_32, uint8_t, int32_t, epu8_epi32, ONES_OF_TRUE)
WIDENING(uint8_32, uint8_t, int32_t, epu8_epi32, AS_LOADED)
WIDENING(int8_32, int8_t, int32_t, epi8_epi32, AS_LOADED)
WIDENING(int16_32, int16_t, int32_t, epi16_epi32, AS_LOADED)
WIDENING(int32_64, int32_t, uint64_t, epi32_epi64, AS_LOADED)
LOADING(int64_64, int64_t, uint64_t)

#define READ(x) ((x) != 0)
#define S uint8_t
#define SUFFIX bool
#define CODE BOOL
#define SUM_LANE int32_t
#define SUM_LANES bool_32
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S uint8_t
#define SUFFIX uint8
#define CODE UINT8
#define SUM_LANE int32_t
#define SUM_LANES uint8_32
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int8_t
#define SUFFIX int8
#define CODE INT8
#define SUM_LANE int32_t
#define SUM_LANES int8_32
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int16_t
#define SUFFIX int16
#define CODE INT16
#define SUM_LANE int32_t
#define SUM_LANES int16_32
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int32_t
#define SUFFIX int32
#define CODE INT32
#define SUM_LANE uint64_t
#define SUM_LANES int32_64
#include "reductions/reduce_integer_sums.inc"

#define READ(x) (x)
#define S int64_t
#define SUFFIX int64
#define CODE INT64
#define SUM_LANE uint64_t
#define SUM_LANES int64_64
#define PROD_LANES int64_64
#include "reductions/reduce_integer_sums.inc"

/* Others are converted to int64. */
#define CONVERTED_PRODUCT(suffix, S, CODE, READ) \
    CONVERSION(suffix, S, uint64_t, READ)        \
    CONVERTED_REDUCER(prod, suffix, uint64_t, reducer_prod_int64, 150, CODE, INT64)

CONVERTED_PRODUCT(bool, uint8_t, BOOL, 0 !=)
CONVERTED_PRODUCT(uint8, uint8_t, UINT8, )
CONVERTED_PRODUCT(int8, int8_t, INT8, (uint64_t))
CONVERTED_PRODUCT(int16, int16_t, INT16, (uint64_t))
CONVERTED_PRODUCT(int32, int32_t, INT32, (uint64_t))
CONVERTED_PRODUCT(uint16, uint16_t, UINT16, )
CONVERTED_PRODUCT(uint32, uint32_t, UINT32, )
CONVERTED_PRODUCT(uint64, uint64_t, UINT64, )
CONVERTED_REDUCER(sum, uint16, uint64_t, reducer_sum_int64, 60, UINT16, INT64)
CONVERTED_REDUCER(sum, uint32, uint64_t, reducer_sum_int64, 60, UINT32, INT64)
CONVERTED_REDUCER(sum, uint64, uint64_t, reducer_sum_int64, 60, UINT64, INT64)
