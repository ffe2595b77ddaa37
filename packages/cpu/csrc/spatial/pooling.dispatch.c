/* Pooling and its gradients; see Note [Pooling] in pooling.inc. */
#include "runtime/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/vector.h"
#include "spatial/pooling.cdef.h"

enum {
    MAX_STRIDE = 4, /* between columns of lines */
    LINE = 2048,    /* elements of a line */
    STRIP = 256,    /* windows of a line */
    TURNED = 1024,  /* elements of planes that are transposed */
    HALVES = 4096   /* intermediate results: maxima of lines, sums of rows, lines of gradients */
};

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define VECTOR floats
#define LOOSE loose_floats
#define INDEX int32_t
#define LOWEST -INFINITY
#include "spatial/pooling.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define VECTOR doubles
#define LOOSE loose_doubles
#define INDEX int64_t
#define LOWEST -INFINITY
#include "spatial/pooling.inc"

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
