/* The plan of an elementwise kernel. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* A loop over n elements of each operand: inputs, then the output. Addresses and steps are in bytes. */
typedef void (*facula_loop)(int64_t n, const int64_t *address, const int64_t *step);

/* A loop run over a nest of dimensions; see elementwise.c. At most 6 operands. */
struct facula_elementwise {
    facula_loop loop;
    int64_t serial;         /* up to so many elements one thread does it all */
    int64_t grain;          /* elements in a piece of work, at least */
    int64_t release;        /* from so many elements on, the launch gives the GIL away */
    int64_t cost;           /* picoseconds an element */
    int32_t operands;       /* inputs and the output, which is last */
    int32_t dims;           /* length of the nest; 0 if dense, any element count */
    int8_t argument[8];     /* where in args operand i has its address, or its scalar */
    uint8_t scalar[8];      /* 0: operand i is an array; else how the scalar came: an enum scalar_kind */
    uint8_t dtype[8];       /* the dtype code the scalar becomes */
    uint8_t itemsize[8];    /* bytes of an element of array i; 0 for a scalar */
    int16_t repeats;        /* bit i: short runs of operand i are repeated in a tile; see run_blocks */
    int16_t block;          /* runs in that tile; 0: none are repeated */
    facula_loop convert[6]; /* NULL, or the loop from (for the output: to) the array's half-precision type */
    int64_t nest[];         /* a dimension: its extent, then a step for each operand. Innermost first. */
};
