/* Elementwise operators of booleans: addition is or, multiplication is and. See kernel.h on bytes beyond 0 and 1. */
#include "kernel.h"

#define T uint8_t
#define SUFFIX bool
#define CODE BOOL
#include "loops.inc"

BINARY(add, 60, (x | y) != 0)
BINARY(mul, 60, (x != 0) & (y != 0))
BINARY(maximum, 60, (x | y) != 0)
BINARY(minimum, 60, (x != 0) & (y != 0))
BINARY(fmax, 60, (x | y) != 0)
BINARY(fmin, 60, (x != 0) & (y != 0))
BINARY(pow, 60, (x != 0) | (y == 0))
BINARY(bitwise_and, 60, (x != 0) & (y != 0))
BINARY(bitwise_or, 60, (x | y) != 0)
BINARY(bitwise_xor, 60, (x != 0) ^ (y != 0))

COMPARE(eq, 60, (x != 0) == (y != 0))
COMPARE(ne, 60, (x != 0) != (y != 0))
COMPARE(lt, 60, (x == 0) & (y != 0))
COMPARE(le, 60, (x == 0) | (y != 0))
COMPARE(gt, 60, (x != 0) & (y == 0))
COMPARE(ge, 60, (x != 0) | (y == 0))

UNARY(sign, 60, x != 0)
UNARY(bitwise_not, 60, x == 0)
TERNARY(clamp, 80, ((x | y) != 0) & (z != 0))
TERNARY(add_scaled, 80, (x | ((y != 0) & (z != 0))) != 0)

#include "loops_end.inc"
