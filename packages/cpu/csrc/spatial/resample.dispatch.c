/* Weighted sums along a dimension; see Note [Taps] in resample.inc. */
#include "runtime/kernel.h"

#include <string.h>

#include "copies/run.h"
#include "spatial/resample.cdef.h"

#ifndef AHEAD
#define AHEAD 20
#endif
enum {
    MOST_BLOCKS = 128, /* of a strip */
    MOST_STEPS = 256,  /* of all blocks in a strip */
    LEAST_ROWS = 4,    /* rows for which permutations are worth finding */
    CACHED = 16384,    /* bytes of rows of the input and the output that are read and written again and again */
    FURTHER = 2048,    /* bytes between an access and those that are prefetched at the same time */
    LARGE = 1 << 20,   /* bytes of an output that is prefetched */
    LONG_RUN = 512,    /* bytes that are copied by memmove */
    MOST_LISTED = 64,  /* taps of columns that are not copied with their neighbours */
};

/* Whether loads and stores of the first lanes are single instructions. */
#ifdef __AVX512F__
#define PARTIAL 1
#else
#define PARTIAL 0
#endif

#define S float
#define SUFFIX float32
#define LANES floats
#define LOOSE loose_floats
#define LOAD load_floats
#define STORE store_floats
#define INDEX int32_t
#define CODE FLOAT32
#include "spatial/resample.inc"

#define S double
#define SUFFIX float64
#define LANES doubles
#define LOOSE loose_doubles
#define LOAD load_doubles
#define STORE store_doubles
#define INDEX int64_t
#define CODE FLOAT64
#include "spatial/resample.inc"
