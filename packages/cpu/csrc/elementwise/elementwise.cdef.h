/* The plan of an elementwise kernel. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

#include "loops/calls.cdef.h"

/* One step of a program. Values are numbered: the plan's operands, the program's constants, then tiles. */
struct facula_instruction {
    facula_loop loop;       /* NULL: requires that value[0] has no false element */
    int32_t values;         /* the number of values, including the written one, which is last */
    uint8_t value[6];
    uint8_t tile;           /* whether it writes a tile; otherwise a single element, from single elements */
};

/* Loops run in order on tiles of the operands; see Note [Programs] in elementwise.c. */
struct facula_program {
    int32_t constants, tiles; /* the number of each */
    int32_t length;           /* elements of a tile */
    int32_t room;             /* bytes of a tile */
    int32_t instructions;
    uint8_t constant[256];    /* 16 bytes for each */
    uint8_t itemsize[32];     /* bytes of an element of each tile */
    struct facula_instruction instruction[];
};

struct facula_reducer;

/* A loop, or a program, run over a nest of dimensions; see elementwise.c. At most 16 operands. */
struct facula_elementwise {
    facula_loop loop;
    const struct facula_program *program; /* NULL, or the program that runs instead of the loop */
    const struct facula_reducer *reducer; /* NULL, or the reducer of the only result to one element */
    facula_transpose_block turn; /* for elements of the largest input; NULL if there are no arrays among the inputs */
    int64_t serial;         /* the maximum number of elements for a single thread */
    int64_t grain;          /* the minimum number of elements in a task */
    int64_t release;        /* the number of elements from which the launch releases the GIL */
    int64_t cost;           /* picoseconds per element */
    int32_t operands;       /* inputs and outputs, which are last */
    int32_t mean;           /* whether the reducer's result is divided by the number of elements */
    int32_t results;        /* the number of outputs: arrays of one shape and the same strides */
    int32_t dims;           /* length of the nest; 0 if dense, any element count */
    int8_t argument[16];    /* the position in args of operand i's address, or of its scalar */
    uint8_t scalar[16];     /* 0: operand i is an array; otherwise how the scalar is passed: an enum scalar_kind */
    uint8_t dtype[16];      /* the dtype code to which the scalar is converted */
    uint8_t itemsize[16];   /* bytes of an element of array i; 0 for a scalar */
    int32_t repeats;        /* bit i: short runs of operand i are repeated in a tile; see run_blocks */
    int32_t block;          /* runs in that tile; 0: none are repeated */
    int32_t apart;          /* bit i: elements of operand i are strided and pass through a tile; see run_apart */
    int32_t chunk;          /* elements of these tiles */
    int32_t turned;         /* bit i: operand i is contiguous along the second dimension, and transposed; see run_turned */
    int32_t width, height;  /* of the transposed tiles */
    int64_t nest[];         /* a dimension: its extent, then a step for each operand. Innermost first. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_program(T, K, S, A, E) E(T, instruction, loop)
#define FACULA_NUMBERS_program (3.0 * plan->instructions)
#define FACULA_FIELDS_elementwise(T, K, S, A, E) K(T, loop) S(T, program, facula_program) K(T, reducer) K(T, turn)
#define FACULA_NUMBERS_elementwise ((plan->dims ? plan->dims : 1.0) * (1.0 + plan->operands))
