/* The plan of a transposing copy. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Rows of the output (along which it has no gaps) against rows of the input. Steps in bytes. */
struct facula_transpose {
    void (*block)(int64_t rows, int64_t columns, int64_t source, int64_t source_step, int64_t target,
                  int64_t target_step);
    int64_t rows;         /* the dimension along which the input has no gaps */
    int64_t columns;      /* the dimension along which the output has no gaps */
    int64_t source_step;  /* of the input along the columns */
    int64_t target_step;  /* of the output along the rows */
    int64_t band;         /* rows in a piece of work */
    int64_t bands;        /* rows / band, rounded up */
    int64_t serial;       /* up to so many elements one thread does it all */
    int64_t itemsize;
    int64_t dims;         /* of the nest around them */
    int64_t nest[];       /* a dimension: its extent, the input's step, the output's */
};
