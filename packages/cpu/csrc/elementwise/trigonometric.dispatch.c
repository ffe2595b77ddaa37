/* Circular and hyperbolic functions of floating-point numbers: trigonometric.inc for each type. */
#include "elements/math/functions.h"
#include "elements/math/hyperbolic.h"
#include "elements/math/inverse.h"
#include "loops/tiles.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "loops/loops.inc"
#include "loops/functions.inc"
#include "elements/trigonometric.inc"
#include "loops/loops_end.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "loops/loops.inc"
#include "loops/functions.inc"
#include "elements/trigonometric.inc"
#include "loops/loops_end.inc"
