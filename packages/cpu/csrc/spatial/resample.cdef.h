/* The plan of weighted sums along a dimension. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Maps contiguous arrays (outer, length, inner) to (outer, count, inner): see Note [Taps] in resample.inc. */
struct facula_resample {
    int64_t outer, length, count, inner;
    int64_t taps;          /* number of taps of each output element if it is constant; otherwise 0 */
    int64_t group;         /* output rows in a task: inner elements each, or count if inner is 1 */
    const int64_t *starts; /* count + 1 elements: the first tap of each output element, and the number of all taps */
    const int64_t *places; /* per tap: the index in the dimension */
    const void *weights;   /* per tap, in the element type */
    int64_t serial;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_resample(T, K, S, A, E) A(T, starts) A(T, places) A(T, weights)
#define FACULA_NUMBERS_resample (0)
