/* Rows of cross entropy and of the negative log likelihood. */
#include <string.h>

#include "elements/math/functions.h"
#include "products/transpose.inc"
#include "losses/cross_entropy.cdef.h"
#include "runtime/kernel.h"

enum {
    LANES = FACULA_STRIP, /* numbers in a vector: the same at every level, so that sums are the same */
    SHORT = 64,           /* maximum number of classes for which rows are processed together */
    BLOCK = 512,          /* numbers of a row that are processed together and added before the sum is widened */
    MANY = 2048,          /* classes above which rows fold their lanes one at a time */
};

static void clear_row(char *o, int64_t step, int64_t size, int64_t classes)
{
    if (step == size) {
        memset(o, 0, (size_t)(classes * size));
        return;
    }
    for (int64_t j = 0; j < classes; j++)
        memset(o + j * step, 0, (size_t)size);
}

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#define COST 600
#define VECTOR floats
#define INTEGER int32_t
#define WIDE 0
#define EXP_SHIFTED exp_not_positive
#include "losses/cross_entropy.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#define COST 6000
#define VECTOR doubles
#define INTEGER int64_t
#define WIDE 1
#define EXP_SHIFTED exp_not_positive64
#include "losses/cross_entropy.inc"
