/* Losses and activations of floating-point numbers: neural.inc for each type. */
#include "elements/math/functions.h"
#include "loops/tiles.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "loops/loops.inc"
#include "loops/functions.inc"
#include "elements/neural.inc"
#include "loops/loops_end.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "loops/loops.inc"
#include "loops/functions.inc"
#include "elements/neural.inc"
#include "loops/loops_end.inc"
