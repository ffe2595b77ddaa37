/* Loops over a few elements in registers. */
#pragma once

/* GCC does not vectorize loops that it has unrolled completely. */
#define VECTOR_LOOP _Pragma("GCC unroll 1")
