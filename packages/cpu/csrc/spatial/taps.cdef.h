/* The plan of sums of elements at given positions. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Contiguous inputs (images, channels, length), outputs (images, channels, count), and for each output of an image
   `taps` places and weights: (images, taps, count). See Note [Given taps] in given_taps.inc. */
struct facula_taps {
    int64_t images, channels, length, taps, count;
    int64_t group; /* units in a task: lines of channels, or parts of `span` outputs of an image */
    int64_t span;
    int64_t serial;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_taps(T, K, S, A, E)
#define FACULA_NUMBERS_taps (0)
