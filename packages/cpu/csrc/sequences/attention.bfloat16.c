/* Attention of bfloat16 on processors that multiply pairs: see Note [Attention] in attention.inc. */
#include <stdatomic.h>
#include <string.h>

#include "elements/math/functions.h"
#include "elements/philox.h"
#include "runtime/kernel.h"
#include "products/gemm_rows.h"
#include "products/transpose.inc"
#include "sequences/attention.cdef.h"
#include "sequences/attention_constants.h"

#define T float
#define SUFFIX pairs
#define VECTOR floats
#define LOOSE loose_floats
#define LOAD_PART load_floats
#define STORE_PART store_floats
#define HALVES
#define EXP exp_not_positive
#define LOG log_float32
#include "products/gemm_pairs.inc"
#include "sequences/attention_pairs.inc"
#include "sequences/attention.inc"
#include "sequences/attention_grad.inc"

FACULA_KERNEL("attention", attention_pairs, 0, BFLOAT16)
FACULA_KERNEL("attention_grad", attention_grad_pairs, 0, BFLOAT16)
