/* Rows of o in the micro-kernels of gemm_micro.inc: as many as registers permit next to two vectors of b. */
#pragma once
#include "runtime/vector.h"

#if VECTOR_BYTES == 64
#define MOST_ROWS 14
#define EACH_ROW_COUNT(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)
#elif VECTOR_BYTES == 32
#define MOST_ROWS 6
#define EACH_ROW_COUNT(X) X(1) X(2) X(3) X(4) X(5) X(6)
#else
#define MOST_ROWS 4
#define EACH_ROW_COUNT(X) X(1) X(2) X(3) X(4)
#endif
