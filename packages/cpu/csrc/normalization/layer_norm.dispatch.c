/* Normalization of rows: layers (J. Ba and others: Layer normalization, 2016), groups of channels (Y. Wu, K. He:
   Group normalization, 2018), and by root mean squares (B. Zhang, R. Sennrich: Root mean square layer normalization,
   2019). */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "normalization/layer_norm.cdef.h"
#include "runtime/half_vectors.h"
#include "runtime/kernel.h"

enum {
    LANES = 16, /* partial sums of a row: the same at every level, so that results are the same */
    PIECE = 1024, /* elements that are added before the sum is widened */
    BATCH = 16, /* maximum number of rows that are processed together */
    NORMALISED = 1 << 12, /* and of their bytes, which stay in the first cache with the results and the next rows */
    DIFFERENTIATED = 1 << 14, /* more, because each batch reads and writes the sums of columns */
    FEW = 32,   /* rows that are added before the sum is widened */
    AHEAD = 4096, /* bytes */
    LONG = 16384, /* row size in bytes above which hardware prefetching suffices */
};

/* Rows are read twice, with a pause while sums become factors, and hardware prefetching ends at each page. So this
   function prefetches a row that is `ahead` bytes away, possibly beyond the end of the array: a prefetch does not fault. */
static inline void fetch_ahead(const void *at, int64_t bytes, int64_t ahead)
{
    for (int64_t i = 0; i < bytes && bytes <= LONG; i += 64)
        __builtin_prefetch((const char *)at + ahead + i);
}

#define DIVIDES
#define S float
#define SUFFIX float32
#define NUMBER float
#define INTEGER int32_t
#define WIDE 0
#define READ(x) (x)
#define WRITE(x) (x)
#define LOAD(a) (*(const NAMED(part) *)(a))
#define STORE(o, v) (*(NAMED(part) *)(o) = (v))
#define CODE FLOAT32
#include "normalization/layer_norm.inc"

#define S double
#define SUFFIX float64
#define NUMBER double
#define INTEGER int64_t
#define WIDE 1
#define READ(x) (x)
#define WRITE(x) (x)
#define LOAD(a) (*(const NAMED(part) *)(a))
#define STORE(o, v) (*(NAMED(part) *)(o) = (v))
#define CODE FLOAT64
#include "normalization/layer_norm.inc"

#undef DIVIDES

#define S uint16_t
#define SUFFIX float16
#define NUMBER float
#define INTEGER int32_t
#define WIDE 0
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#define LOAD(a) floats_of_float16(a)
#define STORE(o, v) store_as_float16(o, v)
#define CODE FLOAT16
#include "normalization/layer_norm.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define NUMBER float
#define INTEGER int32_t
#define WIDE 0
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#define LOAD(a) floats_of_bfloat16(a)
#define STORE(o, v) store_as_bfloat16(o, v)
#define CODE BFLOAT16
#include "normalization/layer_norm.inc"
