/* The plan of pooling and its gradients. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Windows over contiguous planes (height, width), one output (out_height, out_width) each; see Note [Pooling] in
   pooling.inc. For gradients, planes have the same sizes: they map outputs to planes. */
struct facula_pooling {
    int64_t planes, height, width, out_height, out_width;
    /* For columns of equal windows, clipped at the borders: left is the padding before the first one. Otherwise
       kernel_width is 0. */
    int64_t kernel_width, row_dilation, column_dilation, column_stride, left;
    int64_t group; /* output rows in a task, or planes if a whole plane is written at once */
    int64_t serial;
    int64_t windows[]; /* per output row, then per output column: first element, length, factor of divisor */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_pooling(T, K, S, A, E)
#define FACULA_NUMBERS_pooling (3.0 * plan->out_height + 3.0 * plan->out_width)
