/* Modified Bessel functions of floating-point numbers: bessel.inc for each type. */
#include "../functions.h"
#include "../kernel.h"
#include "../math_bessel.h"
#include "../tiles.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../bessel.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../bessel.inc"
