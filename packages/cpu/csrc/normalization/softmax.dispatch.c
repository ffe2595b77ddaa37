/* softmax, log_softmax and their gradients. */
#include <string.h>

#include "elements/math/functions.h"
#include "normalization/softmax.cdef.h"
#include "runtime/half_vectors.h"
#include "runtime/kernel.h"

enum {
    LANES = 16,  /* numbers in a vector: the same at every level, so that sums are the same */
    CHUNK = 64,  /* numbers of a row that are processed at a time */
    DEPTH = 32,  /* chunks or rows that are added before the sum is widened */
    STRIP = 256, /* maximum number of columns processed together */
    LEAST_STRIP = 128, STRIP_BYTES = 1 << 18, /* the same for long columns */
    FOLDED = 1024, /* the same for rows that occupy several columns */
    SHORT = 512, /* maximum length of rows that are processed in batches */
    BATCH = 64, LEAST_BATCH = 4, /* numbers of rows in a batch */
};

/* Formulas that compute elements of o from elements of x and y and from statistics of their row. SCALE is softmax of
   the terms of its sum. */
enum formula { SOFTMAX, LOG_SOFTMAX, SOFTMAX_GRAD, LOG_SOFTMAX_GRAD, SCALE };

static ALWAYS_INLINE int is_forward(enum formula formula)
{
    return formula != SOFTMAX_GRAD && formula != LOG_SOFTMAX_GRAD;
}

/* Up to FOLDED elements and their steps in bytes. */
struct block {
    const char *x, *y;
    char *o;
    int64_t x_step, y_step, o_step, count;
};

/* Proceeds to the next elements of interleaved rows. */
static ALWAYS_INLINE void next_block(struct block *block, const struct facula_rows *rows)
{
    block->x += rows->x_step;
    block->y += rows->y_step;
    block->o += rows->o_step;
}

#define SUFFIX float32
#define NUMBER float
#define INTEGER int32_t
#define WIDE 0
#define EXP_SHIFTED exp_not_positive
#define LARGER larger_floats
#include "normalization/softmax.inc"

#define S float
#define ELEMENT float32
#define READ(x) (x)
#define WRITE(x) (x)
#define CODE FLOAT32
#define COST 600
#include "normalization/softmax_elements.inc"

#define S uint16_t
#define ELEMENT float16
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#define LOAD(a) floats_of_float16(a)
#define STORE(o, v) store_as_float16(o, v)
#define CODE FLOAT16
#define COST 900
#include "normalization/softmax_elements.inc"

#define S uint16_t
#define ELEMENT bfloat16
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#define LOAD(a) floats_of_bfloat16(a)
#define STORE(o, v) store_as_bfloat16(o, v)
#define CODE BFLOAT16
#define COST 900
#include "normalization/softmax_elements.inc"

#undef SUFFIX
#undef NUMBER
#undef NAMED
#undef INF
#undef EXP_SHIFTED
#undef LARGER
#define SUFFIX float64
#define NUMBER double
#define INTEGER int64_t
#define WIDE 1
#define EXP_SHIFTED exp_not_positive64
#define LARGER larger_doubles
#include "normalization/softmax.inc"

#define S double
#define ELEMENT float64
#define READ(x) (x)
#define WRITE(x) (x)
#define CODE FLOAT64
#define COST 6000
#include "normalization/softmax_elements.inc"
