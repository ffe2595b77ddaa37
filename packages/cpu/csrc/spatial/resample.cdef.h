/* The plan of weighted sums along one or two dimensions. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

enum { FACULA_RESAMPLE_ROOM = 49152 }; /* bytes: `columns` have rows of at most this length */

/* Maps contiguous arrays (outer, length, inner) to (outer, count, inner); with `columns` (outer, length, columns->length)
   to (outer, count, columns->count): see Note [Taps] in resample.inc. */
struct facula_resample {
    int64_t outer, length, count, inner;
    int64_t taps;          /* number of taps of each output element if it is constant; otherwise 0 */
    int64_t group;         /* output rows in a task, of one image if there are `columns`; of count elements if inner is 1 */
    const int64_t *starts; /* count + 1 elements: the first tap of each output element, and the number of all taps */
    const int64_t *places; /* per tap: the index in the dimension */
    const void *weights;   /* per tap, in the element type */
    int64_t serial;
    const struct facula_resample *columns; /* NULL, or the plan of the columns: length, count, taps and the arrays */
    int64_t columns_first;                 /* whether columns are resampled before rows */
};

/* Matrices with as many taps in each row. */
enum facula_taps_kind {
    FACULA_NEAREST_TAPS, FACULA_LINEAR_TAPS, FACULA_CUBIC_TAPS, /* element i is at (i + shift) * step + offset */
    FACULA_REFLECTED_TAPS, FACULA_REPEATED_TAPS, FACULA_CIRCULAR_TAPS /* `shift` elements before, and `step` after */
};

/* Fills in a matrix of this kind: count + 1 starts, places, and weights, which are double or float. `numbers` are shift,
   step and offset. Returns the number of taps of each row, or -1 if a place is out of range. */
int facula_regular_taps(int kind, const double *numbers, int64_t length, int64_t count, int is_double, int64_t *starts,
                        int64_t *places, void *weights);

/* For files; see portable.h. */
#define FACULA_FIELDS_resample(T, K, S, A, E) A(T, starts) A(T, places) A(T, weights) S(T, columns, facula_resample)
#define FACULA_NUMBERS_resample (0)
