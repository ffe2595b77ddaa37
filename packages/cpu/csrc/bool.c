/* Elementwise operators of booleans, which are bytes of value 0 or 1: addition is or, multiplication is and. */
#include "kernel.h"

#define T uint8_t
#define SUFFIX bool
#define CODE BOOL
#include "loops.inc"

BINARY(add, 60, x | y)
BINARY(mul, 60, x & y)
BINARY(maximum, 60, x | y)
BINARY(minimum, 60, x & y)
BINARY(pow, 60, x | (y ^ 1))

COMPARE(eq, 60, x == y)
COMPARE(ne, 60, x != y)
COMPARE(lt, 60, x < y)
COMPARE(le, 60, x <= y)
COMPARE(gt, 60, x > y)
COMPARE(ge, 60, x >= y)

UNARY(sign, 60, x)
UNARY(logical_not, 60, x ^ 1)
TERNARY(add_scaled, 80, x | (y & z))

#include "loops_end.inc"
