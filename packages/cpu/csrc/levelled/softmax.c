/* softmax, log_softmax and their gradients. */
#include <string.h>

#include "../functions.h"
#include "../kernel.h"
#include "../plans/softmax.h"

enum {
    LANES = 16,  /* numbers in a vector: the same at every level, so that sums are the same */
    CHUNK = 64,  /* numbers of a row that are worked on at a time */
    DEPTH = 32,  /* chunks, or rows, that are added up before the sum is widened */
    STRIP = 256, /* rows that are worked on side by side, at most */
};

#define EXP_SHIFTED exp_not_positive
#define S float
#define SUFFIX float32
#define NUMBER float
#define INTEGER int32_t
#define READ(x) (x)
#define WRITE(x) (x)
#define CODE FLOAT32
#define COST 600
#include "../softmax.inc"

#undef EXP_SHIFTED
#define EXP_SHIFTED real_exp
#define S double
#define SUFFIX float64
#define NUMBER double
#define INTEGER int64_t
#define READ(x) (x)
#define WRITE(x) (x)
#define CODE FLOAT64
#define COST 6000
#include "../softmax.inc"

#undef EXP_SHIFTED
#define EXP_SHIFTED exp_not_positive
#define S uint16_t
#define SUFFIX float16
#define NUMBER float
#define INTEGER int32_t
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#define CODE FLOAT16
#define COST 900
#include "../softmax.inc"

#define S uint16_t
#define SUFFIX bfloat16
#define NUMBER float
#define INTEGER int32_t
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#define CODE BFLOAT16
#define COST 900
#include "../softmax.inc"
