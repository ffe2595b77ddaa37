/* Batch normalization of channels. S. Ioffe, C. Szegedy: Batch normalization, ICML 2015. */
#include <math.h>
#include <stddef.h>

#include "normalization/batch_norm.cdef.h"
#include "runtime/kernel.h"

enum {
    LANES = 16, /* partial sums of a run: the same at every level, so that results are the same */
    WIDTH = 32, /* channels processed at a time */
};

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "normalization/batch_norm.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "normalization/batch_norm.inc"
