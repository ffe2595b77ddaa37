/* Recurrent layers over whole sequences; see Note [Recurrent layers] in recurrent.inc. */
#include "elements/math/functions.h"
#include "runtime/kernel.h"

#include <string.h>

#include "sequences/recurrent.cdef.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "sequences/recurrent_gates.inc"
#include "sequences/recurrent.inc"
#include "sequences/recurrent_grad.inc"
#undef T
#undef SUFFIX
#undef CODE

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "sequences/recurrent_gates.inc"
#include "sequences/recurrent.inc"
#include "sequences/recurrent_grad.inc"
