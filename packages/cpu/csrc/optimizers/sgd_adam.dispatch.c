/* The steps of SGD and Adam: sgd_adam.inc for each type. */
#include "elements/math/functions.h"
#include "elements/optimizer_numbers.h"
#include "optimizers/optimizer.cdef.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "optimizers/sgd_adam.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "optimizers/sgd_adam.inc"
