/* The plans of cross entropy and its kin. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* One row: a number for each class, and the class that is right. Steps are in bytes. */
struct facula_class_row {
    const char *x, *weight; /* weight of each class, or NULL: all 1 */
    int64_t classes, step, target;
    double smoothing, weights; /* the share that all classes have in the target; the sum of the weights */
};

/* How the loss of a row is computed, and its gradient times `scale`. */
struct facula_class_kernel {
    double (*loss)(const struct facula_class_row *row);
    void (*gradient)(const struct facula_class_row *row, double scale, char *o, int64_t o_step);
};

struct facula_cross_entropy {
    const struct facula_class_kernel *kernel;
    int64_t rows, classes, x_step, o_step; /* steps from class to class; o_step of the gradient */
    int64_t group;                         /* rows in a task; at most 64 tasks */
    int32_t itemsize, mean, each;          /* each: a loss for every row, else their sum, or mean */
    int32_t gradient, serial, dims;
    int64_t nest[]; /* dimensions of rows: extent, steps of x, of the target, of the loss, of the gradient. Innermost
                       first, one at least. */
};
