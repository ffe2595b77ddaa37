/* Weighted sums along a dimension; see Note [Taps] in resample.inc. */
#include "runtime/kernel.h"

#include <string.h>

#include "spatial/resample.cdef.h"

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#include "spatial/resample.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#include "spatial/resample.inc"
