/* Copies within one dtype: by the size of the element. */
#include "runtime/kernel.h"

#include <string.h>

#define T uint8_t
#define SUFFIX 1
#include "copies/copy.inc"

#define T uint16_t
#define SUFFIX 2
#include "copies/copy.inc"

#define T uint32_t
#define SUFFIX 4
#include "copies/copy.inc"

#define T uint64_t
#define SUFFIX 8
#include "copies/copy.inc"

struct sixteen {
    uint64_t low, high;
};
#define T struct sixteen
#define SUFFIX 16
#include "copies/copy.inc"

#define COPY(code, size) FACULA_KERNEL("copy", copy_##size, 10 * size, code, code)
COPY(BOOL, 1)
COPY(UINT8, 1)
COPY(INT8, 1)
COPY(INT16, 2)
COPY(INT32, 4)
COPY(INT64, 8)
COPY(FLOAT16, 2)
COPY(BFLOAT16, 2)
COPY(FLOAT32, 4)
COPY(FLOAT64, 8)
COPY(COMPLEX64, 8)
COPY(COMPLEX128, 16)
COPY(UINT16, 2)
COPY(UINT32, 4)
COPY(UINT64, 8)
COPY(FLOAT8_E4M3FN, 1)
COPY(FLOAT8_E5M2, 1)
COPY(FLOAT8_E8M0FNU, 1)
COPY(FLOAT8_E4M3FNUZ, 1)
COPY(FLOAT8_E5M2FNUZ, 1)
