/* The plan of connectionist temporal classification. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* The log-probabilities (steps, batch, classes) may have any strides, in bytes; other arrays are contiguous. */
struct facula_ctc {
    int64_t steps, batch, classes, targets; /* targets: total number over all examples */
    int64_t longest;                        /* maximum number of targets of an example, for 2 longest + 1 states */
    int64_t step, example, class_step;      /* strides of the log-probabilities */
    int64_t scratch;                        /* bytes of the workspace per example */
    int32_t gradient, serial;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_ctc(T, K, S, A, E)
#define FACULA_NUMBERS_ctc (0)
