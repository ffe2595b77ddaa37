/* Batch normalization of channels. S. Ioffe, C. Szegedy: Batch normalization, ICML 2015. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "normalization/batch_norm.cdef.h"
#include "runtime/half_vectors.h"
#include "runtime/kernel.h"

enum {
    LANES = 16,  /* partial sums of a run: the same at every level, so that results are the same */
    PIECE = 1024, /* elements of a channel that are added before the sum is widened */
    SHORT_RUN = 64, /* the length of runs that are processed together, up to SPAN elements */
    SPAN = 1024,
    DEPTH = 32,  /* short runs that are added before the sum is widened */
    CHANNELS = 32, /* maximum number of channels of longer runs that are processed at a time */
    CACHED = 1 << 18, /* bytes of the channels that are processed at a time */
};

#define S float
#define T float
#define INTEGER int32_t
#define SUFFIX float32
#define CODE FLOAT32
#define READ(x) (x)
#define WRITE(x) (x)
#define LOAD(a) (*(const NAMED(part) *)(a))
#define STORE(o, v) (*(NAMED(part) *)(o) = (v))
#include "normalization/batch_norm.inc"

#define S double
#define T double
#define INTEGER int64_t
#define SUFFIX float64
#define CODE FLOAT64
#define READ(x) (x)
#define WRITE(x) (x)
#define LOAD(a) (*(const NAMED(part) *)(a))
#define STORE(o, v) (*(NAMED(part) *)(o) = (v))
#include "normalization/batch_norm.inc"

#define HALF
#define S uint16_t
#define T float
#define INTEGER int32_t
#define SUFFIX float16
#define CODE FLOAT16
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#define LOAD(a) floats_of_float16(a)
#define STORE(o, v) store_as_float16(o, v)
#include "normalization/batch_norm.inc"

#define S uint16_t
#define T float
#define INTEGER int32_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#define LOAD(a) floats_of_bfloat16(a)
#define STORE(o, v) store_as_bfloat16(o, v)
#include "normalization/batch_norm.inc"
