/* The plan of a reduction. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* How one operator reduces elements of one dtype. A state describes the elements reduced so far. Steps are in bytes.
   `first` is the number of the first element in the order of the reduced dimensions. */
struct facula_reducer {
    int64_t state_bytes; /* at most 32 */
    void (*start)(void *states, int64_t count);
    /* n elements into each of `count` states, whose first elements are `next` apart */
    void (*rows)(void *states, int64_t count, const char *a, int64_t next, int64_t n, int64_t step, int64_t first);
    /* n rows, row_step apart, of `count` elements each, into as many states */
    void (*column)(void *states, int64_t count, const char *a, int64_t step, int64_t n, int64_t row_step, int64_t first);
    /* the states of later elements into those of earlier ones */
    void (*join)(void *states, const void *later, int64_t count);
    void (*finish)(const void *states, int64_t count, char *o, int64_t step);
    void (*finish_index)(const void *states, int64_t count, char *o, int64_t step); /* NULL: finds no index */
    /* in the place of start and finish, where these depend on the plan; or NULL */
    void (*start_with)(void *states, int64_t count, double number);
    void (*finish_with)(const void *states, int64_t count, char *o, int64_t step, double number, int32_t root);
};

/* Dimensions that stay and dimensions that go; see Note [Reductions] in reduce.c. */
struct facula_reduce {
    const struct facula_reducer *reducer;
    int64_t outputs, reduced; /* elements made, and elements folded into each */
    int64_t segment;          /* outputs that are folded together: neighbours along the first kept dimension */
    int64_t segments;         /* of all outputs */
    int64_t group;            /* segments in a task */
    int64_t pieces, piece;    /* the reduced elements are folded piece by piece, `piece` in each, then joined */
    int32_t serial;           /* one thread does it all */
    int32_t by_column;
    int32_t kept_dims, reduced_dims;
    double number; /* of a variance what is taken off the number of elements, of a norm the exponent */
    int32_t root;  /* the root of the result is wanted */
    int8_t arg_values, arg_indices; /* positions in args, 0: not wanted. The workspace comes after both. */

    int64_t nest[]; /* kept: extent, steps of a, values and indices; then reduced: extent, step of a. Innermost first. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_reduce(T, K, S, A, E) K(T, reducer)
#define FACULA_NUMBERS_reduce (4.0 * plan->kept_dims + 2.0 * plan->reduced_dims)
