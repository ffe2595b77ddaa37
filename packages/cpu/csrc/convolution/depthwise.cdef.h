/* The plan of a depthwise convolution and of its two derivatives. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Limits of buffers on the stack: the taps of a sum, the bytes of bands and of lines that are not final, the sums of a
   task for the weights' gradient. */
enum {
    FACULA_DEPTHWISE_TAPS = 128,
    FACULA_DEPTHWISE_BAND = 20480,
    FACULA_DEPTHWISE_LINES = 16384,
    FACULA_DEPTHWISE_SUMS = 256
};

/* Arrays in row-major order: images (images, groups, height, width), results (images, groups * filters, out_height,
   out_width), weights (groups * filters, 1, kernel_height, kernel_width). Strides are 1 or 2. See Note [Depthwise] in
   depthwise.inc. */
struct facula_depthwise {
    int64_t images, groups, filters; /* filters of each group, which has one channel */
    int64_t height, width, out_height, out_width;
    int64_t kernel_height, kernel_width, row_stride, column_stride, row_dilation, column_dilation;
    int64_t top, left;                 /* padding */
    int64_t block_rows, block_columns; /* of the plane that is computed (of results, for the weights' gradient) */
    int64_t group;                     /* units of a task: planes, or channels for the weights' gradient */
    int64_t serial;
    int64_t pooled, rectified; /* whether maxima of 2 x 2 results are stored; whether relu is applied */
    int64_t normalized;        /* whether batch normalization is applied first, with `epsilon` */
    double epsilon;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_depthwise(T, K, S, A, E)
#define FACULA_NUMBERS_depthwise (0)
