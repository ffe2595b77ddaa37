/* The plans of cross entropy and related losses. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

enum { FACULA_STRIP = 16 };

/* Some rows: one number per class, and the index of the target class. Steps are in bytes. */
struct facula_class_rows {
    int64_t count; /* number of rows, 1 to FACULA_STRIP */
    const char *x[16];
    int64_t target[16]; /* -1: ignored */
    const char *weight; /* weight of each class; NULL: all 1 */
    int64_t classes, step;
    double smoothing, weights; /* the share of the target distributed over all classes; the sum of the weights */
};

/* The functions that compute the losses of rows, and their gradients times `scale`. */
struct facula_class_kernel {
    void (*losses)(const struct facula_class_rows *rows, double *loss);
    void (*gradients)(const struct facula_class_rows *rows, const double *scale, char *const *o, int64_t o_step);
};

struct facula_cross_entropy {
    const struct facula_class_kernel *kernel;
    int64_t rows, classes, x_step, o_step; /* steps between classes; o_step for the gradient */
    int64_t group;                         /* rows in a task; at most 64 tasks */
    int32_t itemsize, mean, each;          /* each: one loss per row; otherwise their sum or mean */
    int32_t gradient, serial, dims;
    int64_t nest[]; /* dimensions of rows: extent, steps of x, target, loss and gradient; innermost first */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_cross_entropy(T, K, S, A, E) K(T, kernel)
#define FACULA_NUMBERS_cross_entropy (5.0 * plan->dims)
