/* Adafactor's step: adafactor.inc for each type. */
#include <float.h>

#include "../adafactor_numbers.h"
#include "../functions.h"
#include "../kernel.h"
#include "../plans/adafactor.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#define PRECISION FLT_EPSILON
#include "../adafactor.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#define PRECISION DBL_EPSILON
#include "../adafactor.inc"
