/* The error function and related functions, and the logit, of floating-point numbers: special.inc for each type. */
#include "elements/math/erfc.h"
#include "elements/math/error_inverse.h"
#include "elements/math/functions.h"
#include "elements/math/turns.h"
#include "loops/tiles.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "loops/loops.inc"
#include "loops/functions.inc"
#include "elements/special.inc"
#include "loops/loops_end.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "loops/loops.inc"
#include "loops/functions.inc"
#include "elements/special.inc"
#include "loops/loops_end.inc"
