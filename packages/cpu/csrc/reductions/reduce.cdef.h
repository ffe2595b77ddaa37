/* The plan of a reduction. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* The functions with which an operator reduces elements of one dtype. A state describes the elements reduced so far.
   Steps are in bytes. `first` is the index of the first element in the order of the reduced dimensions. */
struct facula_reducer {
    int64_t state_bytes; /* at most 32 */
    void (*start)(void *states, int64_t count);
    /* reduces n elements into each of `count` states; the first elements of two states have a distance of `next` */
    void (*rows)(void *states, int64_t count, const char *a, int64_t next, int64_t n, int64_t step, int64_t first);
    /* reduces n rows with a distance of row_step, of `count` elements each, into `count` states */
    void (*column)(void *states, int64_t count, const char *a, int64_t step, int64_t n, int64_t row_step, int64_t first);
    /* joins the states of later elements to those of earlier ones */
    void (*join)(void *states, const void *later, int64_t count);
    void (*finish)(const void *states, int64_t count, char *o, int64_t step);
    void (*finish_index)(const void *states, int64_t count, char *o, int64_t step); /* NULL: no index */
    /* replace start and finish if these depend on the plan; otherwise NULL */
    void (*start_with)(void *states, int64_t count, double number);
    void (*finish_with)(const void *states, int64_t count, char *o, int64_t step, double number, int32_t root);
};

/* The kept and the reduced dimensions; see Note [Reductions] in reduce.c. */
struct facula_reduce {
    const struct facula_reducer *reducer;
    int64_t outputs, reduced; /* number of outputs, and number of elements reduced into each */
    int64_t segment;          /* outputs that are reduced together: neighbours along the first kept dimension */
    int64_t segments;         /* number of segments */
    int64_t group;            /* segments in a task */
    int64_t pieces, piece;    /* number and size of the pieces, whose states are joined */
    int32_t serial;           /* run on one thread */
    int32_t by_column;
    int32_t kept_dims, reduced_dims;
    double number; /* variance: the number subtracted from the number of elements; norm: the exponent */
    int32_t root;  /* the result is the square root */
    int8_t arg_values, arg_indices; /* indices in args; 0: not wanted. The workspace follows both. */

    int64_t nest[]; /* kept: extent, steps of a, values, indices; then reduced: extent, step of a. Innermost first. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_reduce(T, K, S, A, E) K(T, reducer)
#define FACULA_NUMBERS_reduce (4.0 * plan->kept_dims + 2.0 * plan->reduced_dims)
