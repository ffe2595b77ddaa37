/* The plan of connectionist temporal classification. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Log-probabilities (steps, batch, classes) of any strides, in bytes; all else is contiguous. */
struct facula_ctc {
    int64_t steps, batch, classes, targets; /* targets: how many there are of all examples together */
    int64_t longest;                        /* of the targets of one example: states are 2 longest + 1 */
    int64_t step, example, class_step;      /* strides of the log-probabilities */
    int64_t scratch;                        /* bytes of the workspace an example */
    int32_t gradient, serial;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_ctc(T, K, S, A, E)
#define FACULA_NUMBERS_ctc (0)
