/* Powers of two and logarithms of floating-point numbers: exponents.inc for each type. */
#include "../functions.h"
#include "../kernel.h"
#include "../math_exponents.h"
#include "../tiles.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../exponents.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../exponents.inc"
