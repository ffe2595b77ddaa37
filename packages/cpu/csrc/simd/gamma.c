/* The gamma function's logarithm and its derivatives, of floating-point numbers: gamma.inc for each type. */
#include "../functions.h"
#include "../kernel.h"
#include "../math_gamma.h"
#include "../math_zeta.h"
#include "../tiles.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../gamma.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../gamma.inc"
