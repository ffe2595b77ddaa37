/* Recurrent layers over whole sequences; see Note [Recurrent layers] in recurrent.inc. */
#include "../functions.h"
#include "../kernel.h"

#include <string.h>

#include "../plans/recurrent.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "../recurrent_gates.inc"
#include "../recurrent.inc"
#include "../recurrent_grad.inc"
#undef T
#undef SUFFIX
#undef CODE

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "../recurrent_gates.inc"
#include "../recurrent.inc"
#include "../recurrent_grad.inc"
