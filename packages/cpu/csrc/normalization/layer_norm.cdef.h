/* The plans of layer, group and root-mean-square normalization, of rows divided by their lengths, and of cosines of rows.
   Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Addresses of a kernel's operands. Weight, bias and their gradients may be NULL. */
struct facula_row_norm_operands {
    const char *x, *g, *weight, *bias;
    char *o, *mean, *inverse, *weight_gradient, *bias_gradient;
    double epsilon;
};

struct facula_row_norm;

/* Processes `count` rows, starting with row `first`. `totals` are the sums of the task, for the gradients of weight
   and bias. */
typedef void (*facula_row_norm_rows)(const struct facula_row_norm *plan, const struct facula_row_norm_operands *at,
                                     int64_t first, int64_t count, double *totals);
/* Adds the sums of all tasks to form the gradients of weight and bias. */
typedef void (*facula_row_norm_finish)(const struct facula_row_norm *plan, const struct facula_row_norm_operands *at,
                                       const char *totals);

/* x is contiguous: rows of `runs` runs of `inner` elements. Row r belongs to group r % groups. Each run of a group
   has its own weight; the weights of a group are adjacent. */
struct facula_row_norm {
    facula_row_norm_rows run;
    facula_row_norm_finish finish; /* NULL in the forward pass and without a weight */
    int64_t rows, groups, runs, inner;
    int64_t each, tasks, task_bytes; /* rows of a task; number of tasks; bytes of a task's sums */
    int32_t serial, centred, gradient; /* centred: the mean is subtracted */
    int32_t by_length; /* 1: rows are divided by their lengths: no weights, and gradients have o in place of x; 2: cosines of
                          pairs of rows, see row_cosines.inc */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_row_norm(T, K, S, A, E) K(T, run) K(T, finish)
#define FACULA_NUMBERS_row_norm (0)
