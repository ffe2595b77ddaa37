/* The plan of a transposing copy. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

#include "loops/calls.cdef.h"

/* Rows of the output (along which it is contiguous) and rows of the input. Starts and steps in bytes; steps may be
   negative. */
struct facula_transpose {
    facula_transpose_block block;
    facula_loop cast;     /* from the input to the output's dtype; NULL if they are equal and the input's rows are
                             contiguous */
    facula_loop round;    /* NULL, or from the float32 result of `cast` to the output's dtype */
    int64_t gather;       /* whether a tile of the input is gathered, and converted as a whole: its elements are no
                             larger */
    int64_t source_start; /* the first element of the input, after its address */
    int64_t target_start; /* of the output */
    int64_t rows;         /* the dimension along which the input has the smaller steps */
    int64_t columns;      /* the dimension along which the output has no gaps */
    int64_t source_row;   /* step of the input along the rows */
    int64_t source_step;  /* of the input along the columns */
    int64_t target_step;  /* of the output along the rows */
    int64_t band;         /* rows in a task */
    int64_t bands;        /* rows / band, rounded up */
    int64_t serial;       /* the maximum number of elements for a single thread */
    int64_t dims;         /* of the nest around them */
    int64_t nest[];       /* a dimension: its extent, the input's step, the output's */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_transpose(T, K, S, A, E) K(T, block) K(T, cast) K(T, round)
#define FACULA_NUMBERS_transpose (3.0 * plan->dims)
