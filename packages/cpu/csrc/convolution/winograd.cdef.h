/* The plan of a convolution by Winograd's algorithm. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Float arrays in row-major order: the input (images, groups * channels, height, width), the result (images, groups *
   filters, out_height, out_width) and the weights (groups * filters, channels, taps, taps). The derivative of the input
   is itself such a convolution: its input is the gradient of the results, and its weights are reversed and transposed.
   See Note [Winograd] in winograd.dispatch.c. */
struct facula_winograd {
    int64_t images, groups, channels, filters; /* channels and filters of one group */
    int64_t height, width, out_height, out_width;
    int64_t taps, top, left;                   /* taps is 3 or 5; the padding may be negative */
    int64_t pooled, rectified; /* whether maxima of 2 x 2 results are stored; whether relu is applied */
    int64_t normalized;        /* whether batch normalization is applied first, with `epsilon` */
    double epsilon;

    /* Set by facula_complete_winograd for the instruction set and the threads. */
    int64_t lanes;          /* floats of a vector */
    int64_t across;         /* tiles of a strip, at most */
    int64_t block;          /* strips that are transformed at a time */
    int64_t panels;         /* panels of transformed weights, or of their gradient, that exist at a time */
    int64_t by_panel;       /* whether tasks are panels, and the whole input is transformed first */
    int64_t slots;          /* maximum number of concurrent tasks */
    int64_t shared, private; /* floats of the workspace: for all tasks, and for each slot */
};

/* Sets the second part of a plan, for `conv2d_weight` or the other operators. Returns the bytes of the workspace, or -1
   if the sizes are not those of such a convolution. */
int64_t facula_complete_winograd(struct facula_winograd *plan, int weights, int lanes, int threads);

/* For files; see portable.h. */
#define FACULA_FIELDS_winograd(T, K, S, A, E)
#define FACULA_NUMBERS_winograd (0)
