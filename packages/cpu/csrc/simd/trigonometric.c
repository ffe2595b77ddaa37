/* Circular and hyperbolic functions of floating-point numbers: trigonometric.inc for each type. */
#include "../functions.h"
#include "../kernel.h"
#include "../math_hyperbolic.h"
#include "../math_inverse.h"
#include "../tiles.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../trigonometric.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../trigonometric.inc"
