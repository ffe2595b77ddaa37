/* Convolutions; see Note [Convolution] in convolution.inc. */
#include "runtime/kernel.h"

#include <stdatomic.h>
#include <string.h>

#include "convolution/convolution.cdef.h"

#define T float
#define SUFFIX float
#include "convolution/convolution.inc"
#undef T
#undef SUFFIX

#define T double
#define SUFFIX double
#include "convolution/convolution.inc"

FACULA_KERNEL("conv2d", conv2d_float, 0, FLOAT32)
FACULA_KERNEL("conv2d", conv2d_double, 0, FLOAT64)
FACULA_KERNEL("conv2d_input", conv2d_input_float, 0, FLOAT32)
FACULA_KERNEL("conv2d_input", conv2d_input_double, 0, FLOAT64)
FACULA_KERNEL("conv2d_weight", conv2d_weight_float, 0, FLOAT32)
FACULA_KERNEL("conv2d_weight", conv2d_weight_double, 0, FLOAT64)
