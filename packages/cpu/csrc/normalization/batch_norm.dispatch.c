/* Batch normalization of channels. S. Ioffe, C. Szegedy: Batch normalization, ICML 2015. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "normalization/batch_norm.cdef.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

enum {
    LANES = 16,  /* partial sums of a run: the same at every level, so that results are the same */
    PIECE = 1024, /* elements of a channel that are added before the sum is widened */
    SHORT_RUN = 64, /* the length of runs that are processed together, up to SPAN elements */
    SPAN = 1024,
    DEPTH = 32,  /* short runs that are added before the sum is widened */
    CHANNELS = 32, /* maximum number of channels of longer runs that are processed at a time */
    CACHED = 1 << 18, /* bytes of the channels that are processed at a time */
};

#define T float
#define INTEGER int32_t
#define SUFFIX float32
#define CODE FLOAT32
#include "normalization/batch_norm.inc"

#define T double
#define INTEGER int64_t
#define SUFFIX float64
#define CODE FLOAT64
#include "normalization/batch_norm.inc"
