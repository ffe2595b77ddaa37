/* The plan of decompositions and solutions by elimination. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Matrices A (rows, columns) and B (rows, sides) of any strides, in elements; results are contiguous. The inverse has as
   many sides as rows. */
struct facula_elimination {
    int64_t matrices, rows, columns, sides;
    int64_t a_row, a_column, b_row, b_column;
    int64_t group; /* matrices in a task */
    int32_t upper, serial;
    int64_t batch_dims; /* length of nest */
    int64_t nest[];     /* a batch dimension: extent, then steps of A, B and a third operand. Innermost first. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_elimination(T, K, S, A, E)
#define FACULA_NUMBERS_elimination (4.0 * (double)plan->batch_dims)
