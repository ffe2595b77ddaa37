/* The error function's kin, and the logit, of floating-point numbers: special.inc for each type. */
#include "../functions.h"
#include "../kernel.h"
#include "../math_erfc.h"
#include "../math_error_inverse.h"
#include "../math_turns.h"
#include "../tiles.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../special.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../special.inc"
