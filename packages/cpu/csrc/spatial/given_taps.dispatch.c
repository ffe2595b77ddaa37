/* Sums of elements at given positions; see Note [Given taps] in given_taps.inc. */
#include "runtime/kernel.h"

#include <string.h>

#include "spatial/taps.cdef.h"

enum { LINES = 4 }; /* channels computed at once */

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#include "spatial/given_taps.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#include "spatial/given_taps.inc"
