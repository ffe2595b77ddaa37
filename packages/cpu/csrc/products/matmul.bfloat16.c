/* Products of matrices of bfloat16, on processors that multiply pairs of them: see Note [Pairs] in gemm_pairs.inc. */
#include "runtime/kernel.h"

#include <stdatomic.h>
#include <string.h>

#include "elements/half.h"
#include "products/gemm_constants.h"
#include "products/gemm_rows.h"
#include "products/matmul.cdef.h"
#include "products/transpose.inc"

#define T float
#define SUFFIX pairs
#define VECTOR floats
#define LOOSE loose_floats
#define LOAD_PART load_floats
#define STORE_PART store_floats
#define N_TILE 512
#define TURN transpose_float
#include "products/gemm_pairs.inc"
#include "products/gemm_pairs_vector.inc"
#include "products/gemm.inc"
#include "products/gemm_plan.inc"

static int64_t matmul(const void *plan, int64_t *args)
{
    return matmul_pairs(plan, args, BRAIN);
}

static void plan_matmul(struct facula_matmul *plan, int threads)
{
    plan_matmul_pairs(plan, threads, BRAIN);
}

FACULA_KERNEL("matmul", matmul, 7, BFLOAT16, BFLOAT16, BFLOAT16)
FACULA_KERNEL("matmul_planner", plan_matmul, 0, BFLOAT16)
