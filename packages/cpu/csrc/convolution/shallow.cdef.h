/* The plan of a convolution of few channels. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* The most terms of a sum, and the bytes of the sums of a task for the weights' gradient. */
enum { FACULA_SHALLOW_TAPS = 1600, FACULA_SHALLOW_SUMS = 128 << 10 };

/* Arrays in row-major order: the input (images, groups * channels, height, width), the result (images, groups *
   filters, out_height, out_width) and the weights (groups * filters, channels, kernel_height, kernel_width). The
   derivative of the input is itself such a convolution if strides are 1: its input is the gradient of the results, and
   its weights are reversed and transposed. See Note [Shallow] in shallow.inc. */
struct facula_shallow {
    int64_t images, groups, channels, filters; /* channels and filters of one group */
    int64_t height, width, out_height, out_width;
    int64_t kernel_height, kernel_width, row_stride, column_stride, row_dilation, column_dilation;
    int64_t top, left;                /* padding, which may be negative */
    int64_t block_lines;              /* of results of one image: a unit of work */
    int64_t joined;                   /* whether the lines of a block are computed as one */
    int64_t together;                 /* units whose bands are in memory at once; 1 if units are parts of images */
    int64_t parts;                    /* tasks that share the units of a group, for the weights' gradient */
    int64_t pooled, rectified;        /* whether maxima of 2 x 2 results are stored; whether relu is applied */
    int64_t normalized;               /* whether batch normalization is applied first, with `epsilon` */
    double epsilon;

    /* Set by facula_complete_shallow. */
    int64_t slots;                    /* maximum number of concurrent tasks */
    int64_t shared_bytes, slot_bytes; /* of the workspace: for all tasks, and for each slot */
};

enum { FACULA_SHALLOW_RESULTS, FACULA_SHALLOW_INPUT, FACULA_SHALLOW_WEIGHTS };

/* Sets the last part of a plan for that operator. Returns the bytes of the workspace, or -1 if the sizes are not those
   of such a convolution. */
int64_t facula_complete_shallow(struct facula_shallow *plan, int kind, int itemsize, int threads);

/* For files; see portable.h. */
#define FACULA_FIELDS_shallow(T, K, S, A, E)
#define FACULA_NUMBERS_shallow (0)
