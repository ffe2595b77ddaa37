/* Weighted sums along a dimension; see Note [Taps] in resample.inc. */
#include "../kernel.h"

#include <string.h>

#include "../plans/resample.h"

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#include "../resample.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#include "../resample.inc"
