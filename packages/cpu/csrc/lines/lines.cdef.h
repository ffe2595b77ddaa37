/* The plan of operators on whole lines, along one dimension. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* A kernel processes `count` adjacent lines: at[i] is the first element of operand i, and next the distance to the
   next line. Steps are in bytes. Returns a status; see Note [Lines] in lines.c. */
struct facula_lines {
    int64_t (*run)(const struct facula_lines *plan, char *const *at, int64_t count);
    int64_t n[4], step[4];            /* per operand, inputs first: elements in a line, and the step between them */
    int64_t next[4];                  /* step between lines */
    int64_t start[4];                 /* from an operand's first byte to the start of its first line */
    int64_t dtype, itemsize;          /* of the first operand */
    int64_t option, flag;             /* their meaning depends on the kernel */
    int64_t segment, segments, group; /* lines in a segment; number of segments; segments in a task */
    int32_t operands, by_column, serial, dims;
    int64_t nest[]; /* the other dimensions: extent, then steps of the four operands; innermost first, at least one */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_lines(T, K, S, A, E) K(T, run)
#define FACULA_NUMBERS_lines (5.0 * plan->dims)
