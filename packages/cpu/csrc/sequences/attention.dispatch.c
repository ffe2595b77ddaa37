/* Scaled dot product attention; see Note [Attention] in attention.inc. Compiled with fused multiply-adds. */
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
#define SUFFIX float
#define VECTOR floats
#define LOOSE loose_floats
#define LOAD_PART load_floats
#define STORE_PART store_floats
#define HALVES
#define EXP exp_not_positive
#define LOG log_float32
#include "products/gemm_micro.inc"
#define S float
#define READ(x) (x)
#define FORMAT SUFFIX
#define TRANSPOSE PASTE(transpose, SUFFIX)
#include "products/gemm_pack.inc"
#define S uint16_t
#define READ(x) float_of_float16(x)
#define FORMAT half_float
#include "products/gemm_pack.inc"
#define S uint16_t
#define READ(x) float_of_bfloat16(x)
#define FORMAT brain_float
#include "products/gemm_pack.inc"
#include "sequences/attention.inc"
#include "sequences/attention_grad.inc"
#undef T
#undef SUFFIX
#undef VECTOR
#undef LOOSE
#undef LOAD_PART
#undef STORE_PART
#undef HALVES
#undef EXP
#undef LOG

#define T double
#define SUFFIX double
#define VECTOR doubles
#define LOOSE loose_doubles
#define LOAD_PART load_doubles
#define STORE_PART store_doubles
#define EXP exp_float64
#define LOG log_float64
#include "products/gemm_micro.inc"
#define S double
#define READ(x) (x)
#define FORMAT SUFFIX
#define TRANSPOSE PASTE(transpose, SUFFIX)
#include "products/gemm_pack.inc"
#include "sequences/attention.inc"
#include "sequences/attention_grad.inc"

#define ATTENTION(suffix, code)                                     \
    FACULA_KERNEL("attention", attention_##suffix, 0, code)         \
    FACULA_KERNEL("attention_grad", attention_grad_##suffix, 0, code)

ATTENTION(float, FLOAT32)
ATTENTION(float, FLOAT16)
/* Functions of their own: files refer to rows by functions, and one level has others for bfloat16. */
static int64_t attention_brain(const void *plan, int64_t *args)
{
    return attention_float(plan, args);
}
static int64_t attention_grad_brain(const void *plan, int64_t *args)
{
    return attention_grad_float(plan, args);
}
ATTENTION(brain, BFLOAT16)
ATTENTION(double, FLOAT64)
