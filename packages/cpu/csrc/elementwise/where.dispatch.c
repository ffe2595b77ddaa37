/* where(condition, x, y): by the size of the element. */
#include "runtime/kernel.h"

#define T uint8_t
#define SUFFIX 1
#include "elementwise/where.inc"

#define T uint16_t
#define SUFFIX 2
#include "elementwise/where.inc"

#define T uint32_t
#define SUFFIX 4
#include "elementwise/where.inc"

#define T uint64_t
#define SUFFIX 8
#include "elementwise/where.inc"

struct sixteen {
    uint64_t low, high;
};
#define T struct sixteen
#define SUFFIX 16
#include "elementwise/where.inc"

#define WHERE(code, size) FACULA_KERNEL("where", where_##size, 40 + 12 * size, BOOL, code, code, code)
WHERE(BOOL, 1)
WHERE(UINT8, 1)
WHERE(INT8, 1)
WHERE(INT16, 2)
WHERE(INT32, 4)
WHERE(INT64, 8)
WHERE(FLOAT16, 2)
WHERE(BFLOAT16, 2)
WHERE(FLOAT32, 4)
WHERE(FLOAT64, 8)
WHERE(COMPLEX64, 8)
WHERE(COMPLEX128, 16)
WHERE(UINT16, 2)
WHERE(UINT32, 4)
WHERE(UINT64, 8)
WHERE(FLOAT8_E4M3FN, 1)
WHERE(FLOAT8_E5M2, 1)
WHERE(FLOAT8_E8M0FNU, 1)
WHERE(FLOAT8_E4M3FNUZ, 1)
WHERE(FLOAT8_E5M2FNUZ, 1)
