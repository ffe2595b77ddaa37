/* The plan of a product of matrices. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* o = a @ b, o is m x n, the sum is over k. Python sets the first part, the planning function of the instruction set
   the second (see gemm_plan.inc). Strides are in elements. */
struct facula_matmul {
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col, o_row, o_col;
    int64_t batches;                      /* product of the extents in nest */
    int32_t batch_dims;                   /* length of nest */
    int8_t arg_a, arg_b, arg_bias, arg_o; /* positions in args; no bias: 0. The workspace comes after o. */

    int32_t swapped;           /* a and b are swapped: this is the transposed product, and bias is per row */
    int32_t vector;            /* one operand is a vector: 1, rows of a are multiplied with b; 2, rows of b are
                                  added up */
    int32_t b_direct;          /* rows of b are read in place, not packed */
    int32_t a_copied;          /* blocks of a are copied, to avoid cache conflicts or convert them */
    int32_t through;           /* results go through a private tile, because o has another type or order, */
    int32_t reused;            /* of m_block rows, because sums have one block of terms */
    int64_t m_tile, n_tile;    /* a task computes an m_tile x n_tile piece of o, */
    int64_t gang, gangs;       /* for `gang` batches of the innermost dimension, if they share b; and their number */
    int64_t m_block, k_block;  /* the block of a that is copied, and the rows of b that are packed, at a time */
    int64_t k_part;            /* terms of the sum that one task adds up */
    int64_t m_tiles, n_tiles, parts, tasks;
    int64_t slots, slot_bytes; /* the number of concurrent tasks, and the workspace of each */
    int64_t b_bytes, a_bytes;  /* inside a slot: packed b, then copied a, then the private tile */
    int64_t workspace;

    int64_t nest[]; /* a batch dimension: extent, then steps of a, b and o. Innermost first. */
};

/* Fills the second part of the plan for so many threads. */
typedef void (*facula_matmul_planner)(struct facula_matmul *plan, int threads);

/* The parts of a product, for kernels that multiply with one b many times: b (k x n, any strides), packed once into at
   least k * (n + 64) elements, and o = a @ b + bias for contiguous rows of a and o, or o += a @ b + bias. */
typedef void (*facula_pack_b)(int64_t k, int64_t n, const void *b, int64_t row, int64_t col, void *packed);
typedef void (*facula_multiply_packed)(int64_t m, int64_t n, int64_t k, const void *a, int64_t a_step, const void *packed,
                                       void *o, int64_t o_step, const void *bias, int accumulate);

/* For files; see portable.h. */
#define FACULA_FIELDS_matmul(T, K, S, A, E)
#define FACULA_NUMBERS_matmul (4.0 * plan->batch_dims)
