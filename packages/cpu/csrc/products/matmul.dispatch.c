/* Products of floating-point and complex matrices; see Note [Gemm] in gemm.inc. Requires contraction to fused
   multiply-adds (-ffp-contract=fast). */
#include "runtime/kernel.h"

#include <stdatomic.h>
#include <string.h>

#include "elements/half.h"
#include "products/gemm_constants.h"
#include "products/gemm_rows.h"
#include "products/matmul.cdef.h"
#include "products/transpose.inc"

#define TURN PASTE(transpose, SUFFIX)

#define T float
#define SUFFIX float
#define VECTOR floats
#define LOOSE loose_floats
#define LOAD_PART load_floats
#define STORE_PART store_floats
#define N_TILE 1024
#define HALVES
#include "products/gemm_micro.inc"
#define S float
#define READ(x) (x)
#define FORMAT SUFFIX
#define TRANSPOSE TURN
#include "products/gemm_pack.inc"
#define S uint16_t
#define READ(x) float_of_float16(x)
#define FORMAT half_float
#include "products/gemm_pack.inc"
#define S uint16_t
#define READ(x) float_of_bfloat16(x)
#define FORMAT brain_float
#include "products/gemm_pack.inc"
#include "products/gemm_vector.inc"
#include "products/gemm.inc"
#include "products/gemm_plan.inc"
#undef T
#undef SUFFIX
#undef VECTOR
#undef LOOSE
#undef LOAD_PART
#undef STORE_PART
#undef N_TILE
#undef HALVES

#define T double
#define SUFFIX double
#define VECTOR doubles
#define LOOSE loose_doubles
#define LOAD_PART load_doubles
#define STORE_PART store_doubles
#define N_TILE 256
#include "products/gemm_micro.inc"
#define S double
#define READ(x) (x)
#define FORMAT SUFFIX
#define TRANSPOSE TURN
#include "products/gemm_pack.inc"
#include "products/gemm_vector.inc"
#include "products/gemm.inc"
#include "products/gemm_plan.inc"

/* Picoseconds per multiply-add, as a rough cost in the table; the planner knows the precise figure. */
#define MATMUL(name, suffix, format, code)                                                            \
    static int64_t matmul_##name(const void *plan, int64_t *args)                                     \
    {                                                                                                 \
        return matmul_##suffix(plan, args, format);                                                   \
    }                                                                                                 \
    static void plan_##name(struct facula_matmul *plan, int threads)                                  \
    {                                                                                                 \
        plan_matmul_##suffix(plan, threads, format);                                                  \
    }                                                                                                 \
    FACULA_KERNEL("matmul", matmul_##name, 10, code, code, code)                                      \
    FACULA_KERNEL("matmul_planner", plan_##name, 0, code)

MATMUL(float32, float, NATIVE, FLOAT32)
MATMUL(float64, double, NATIVE, FLOAT64)
MATMUL(float16, float, HALF, FLOAT16)
MATMUL(bfloat16, float, BRAIN, BFLOAT16)
MATMUL(complex64, float, COMPLEX, COMPLEX64)
MATMUL(complex128, double, COMPLEX, COMPLEX128)

/* The parts of a product in matmul.cdef.h: packed rows are in blocks of K_BLOCK. */
#define PARTS(name, suffix, type, code)                                                                                \
    static void pack_b_##name(int64_t k, int64_t n, const void *b, int64_t row, int64_t col, void *packed)             \
    {                                                                                                                  \
        const int64_t pitch = whole_panels_##suffix(n);                                                                \
        for (int64_t p = 0; p < k; p += K_BLOCK)                                                                       \
            pack_##suffix(k - p < K_BLOCK ? k - p : K_BLOCK, n, (const type *)b + p * row, row, col,                   \
                          (type *)packed + p * pitch);                                                                 \
    }                                                                                                                  \
    static void multiply_packed_##name(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_step,                 \
                                       const void *packed, void *o, int64_t o_step, const void *bias, int accumulate)  \
    {                                                                                                                  \
        const int64_t pitch = whole_panels_##suffix(n), panel = 2 * (VECTOR_BYTES / (int64_t)sizeof(type));            \
        for (int64_t p = 0; m && p < k; p += K_BLOCK) {                                                                \
            const int64_t terms = k - p < K_BLOCK ? k - p : K_BLOCK;                                                   \
            multiply_panels_##suffix(m, n, terms, (const type *)a + p, a_step, 0, (const type *)packed + p * pitch,    \
                                     panel, terms * panel, NULL, o, o_step, p + terms == k ? bias : NULL,              \
                                     accumulate || p);                                                                 \
        }                                                                                                              \
    }                                                                                                                  \
    FACULA_KERNEL("pack_b", pack_b_##name, 0, code)                                                                    \
    FACULA_KERNEL("multiply_packed", multiply_packed_##name, 0, code)

PARTS(float32, float, float, FLOAT32)
PARTS(float64, double, double, FLOAT64)
