/* Operators of two float32 or float64 operands. */
#include "../kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../binary_floating.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../binary_floating.inc"
