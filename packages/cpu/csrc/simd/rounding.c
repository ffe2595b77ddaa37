/* Rounding, signs and added products of floating-point numbers: rounding.inc for each type. */
#include "../functions.h"
#include "../kernel.h"
#include "../tiles.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../rounding.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../rounding.inc"
