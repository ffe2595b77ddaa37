/* Rows of cross entropy and of the negative log likelihood. */
#include <string.h>

#include "elements/math/functions.h"
#include "products/transpose.inc"
#include "losses/cross_entropy.cdef.h"
#include "runtime/kernel.h"

enum {
    LANES = FACULA_STRIP, /* numbers in a vector: the same at every level, so that sums are the same */
    SHORT = 32,           /* maximum number of classes for which rows are processed together */
    BLOCK = 512,          /* numbers of a row that are processed together and added before the sum is widened */
};

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#define COST 600
#define VECTOR floats
#define EXP_SHIFTED exp_not_positive
#include "losses/cross_entropy.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#define COST 6000
#define VECTOR doubles
#define EXP_SHIFTED real_exp
#include "losses/cross_entropy.inc"
