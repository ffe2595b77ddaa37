/* Elementwise operators of floating-point numbers: floating.inc for each type. */
#include "elements/math/functions.h"
#include "loops/tiles.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "elementwise/floating_loops.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "elementwise/floating_loops.inc"
