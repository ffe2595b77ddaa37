/* Adafactor's step: adafactor.inc for each type. */
#include <float.h>

#include "elements/math/functions.h"
#include "optimizers/adafactor.cdef.h"
#include "optimizers/adafactor_numbers.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#define PRECISION FLT_EPSILON
#include "optimizers/adafactor.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#define PRECISION DBL_EPSILON
#include "optimizers/adafactor.inc"
