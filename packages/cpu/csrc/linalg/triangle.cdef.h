/* The plan of copying one triangle of matrices. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Contiguous matrices in and out; elements on the other side of the diagonal become zero. */
struct facula_triangle {
    int64_t matrices, rows, columns, itemsize;
    int64_t diagonal; /* 0 is the main one, 1 the next above */
    int64_t group;    /* rows in a task */
    int32_t upper;    /* keeps the diagonal and the part above it; otherwise the diagonal and the part below */
    int32_t serial;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_triangle(T, K, S, A, E)
#define FACULA_NUMBERS_triangle (0)
