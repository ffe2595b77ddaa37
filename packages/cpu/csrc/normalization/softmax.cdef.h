/* The plan of softmax and related operators on whole rows. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Inputs x and y (NULL for operators with one input) and output o. Steps are in bytes: along a row, and between
   rows. */
struct facula_rows {
    int64_t n;    /* elements in a row */
    int64_t fold; /* how many elements of a row share a vector with those of other rows; a power of two */
    const char *x, *y;
    char *o;
    int64_t x_step, y_step, o_step;
};

/* The functions of one operator: for `count` rows of adjacent elements, and for `count` interleaved rows of any
   strides. */
struct facula_row_kernel {
    void (*row)(const struct facula_rows *rows, int64_t count, int64_t x_next, int64_t y_next, int64_t o_next);
    void (*column)(const struct facula_rows *rows, int64_t count, int64_t x_next, int64_t y_next, int64_t o_next);
};

struct facula_softmax {
    const struct facula_row_kernel *kernel;
    int64_t n, fold, x_step, y_step, o_step;
    int64_t segment, segments, group; /* rows in a segment; number of segments; segments in a task */
    int32_t operands;                 /* 2, or 3 with y */
    int32_t by_column, serial, dims;
    int64_t nest[]; /* the other dimensions: extent, then steps of x, y and o; innermost first, at least one */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_softmax(T, K, S, A, E) K(T, kernel)
#define FACULA_NUMBERS_softmax (4.0 * plan->dims)
