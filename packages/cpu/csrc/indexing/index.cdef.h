/* The plans of taking and putting by index, and of positions. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Moves elements between an array and values, in which the dimensions of an index replace one of the array's. Steps are
   in bytes; see Note [Indexing] in index.inc. */
struct facula_index {
    int64_t size, step;   /* of the array's indexed dimension */
    int64_t lowest;       /* index: 0, or -size where negative ones count from the end */
    int64_t skip;         /* putting: an index whose values are skipped; below -size: none */
    int64_t clear;        /* putting: bytes of the array that are zeroed first: all or none */
    int64_t count;        /* indices */
    int64_t outer, inner; /* elements of the dimensions before the indexed one, and after it */
    int32_t itemsize, dtype;
    int32_t accumulate;   /* add instead of assigning */
    int32_t serial;
    int32_t outer_dims, index_dims, inner_dims;
    int64_t group;        /* taking: outer times indices in a task */
    int64_t nest[]; /* outer, index and inner dimensions: extent, step of the array (for index dimensions: of the index),
                       step of the values. Innermost first; at least one of each. */
};

/* Positions of a mask's true elements: flat, or as coordinates. */
struct facula_positions {
    int64_t dims, columns; /* of the nest, merged; and of a row of coordinates */
    int64_t nest[];        /* extent, step. Innermost first, one at least. Then the extent of each column, last first. */
};

/* Merges positions in a dimension of `size` elements and in the next one, of `length`, into contiguous ones of both. */
struct facula_merge {
    int64_t size, length;
    int64_t group; /* rows in a task */
    int32_t dims, serial;
    int64_t nest[]; /* extent, steps of both operands in bytes. Innermost first, which is a row; one at least. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_index(T, K, S, A, E)
#define FACULA_NUMBERS_index (3.0 * plan->outer_dims + 3.0 * plan->index_dims + 3.0 * plan->inner_dims)
#define FACULA_FIELDS_positions(T, K, S, A, E)
#define FACULA_NUMBERS_positions (2.0 * plan->dims + plan->columns)
#define FACULA_FIELDS_merge(T, K, S, A, E)
#define FACULA_NUMBERS_merge (3.0 * plan->dims)
