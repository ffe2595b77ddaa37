/* The plan of solving triangular systems. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* X with A X = B, for each of several matrices: A (n, n), B and X (n, columns), all row-major and contiguous. The other
   triangle of A is never read, nor, with `unit`, its diagonal. In plans of
   `solve_factors`, A contains the two factors of a matrix, or with `unit` their conjugate transpose. */
struct facula_triangular_solve {
    int64_t matrices, n, columns;
    int64_t a_step;       /* elements from one A to the next: n * n, or 0 if all systems share one A */
    int64_t tile, tiles;  /* columns that are solved together, and the number of such tiles in a matrix */
    int64_t group;        /* tiles in a task */
    int32_t upper, unit, serial;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_triangular_solve(T, K, S, A, E)
#define FACULA_NUMBERS_triangular_solve (0)
