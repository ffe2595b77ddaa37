/* The maxima of int64 windows, which are rare: no strides are constants; see Note [Pooling] in pooling.inc. */
#include "spatial/pooling.h"

typedef int64_t integers __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t loose_integers __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

#pragma GCC diagnostic ignored "-Wtautological-compare" /* x != x tests for NaN */
#define INTEGER
#define S int64_t
#define SUFFIX int64
#define CODE INT64
#define VECTOR integers
#define LOOSE loose_integers
#define INDEX int64_t
#define LOWEST INT64_MIN
#include "spatial/pooling.inc"
