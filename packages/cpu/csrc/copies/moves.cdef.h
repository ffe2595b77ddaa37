/* The plan of strided copies and additions. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Pieces of a source and a target, in an outer nest of dimensions. In each piece a few boxes are copied, or added,
   one after the other; see Note [Moves] in moves.dispatch.c. Steps, which may be negative, and places are in bytes. */
struct facula_moves {
    int64_t pieces;   /* the product of the outer extents */
    int64_t group;    /* pieces in a task */
    int64_t serial;   /* whether one thread does everything */
    int64_t clear;    /* bytes of a piece's target that are filled first */
    int64_t value[2]; /* with this element */
    int64_t outer;    /* dimensions around the pieces */
    int64_t boxes;
    int64_t dims;     /* of each box, at least 2 */
    int64_t nest[];   /* The outer dimensions: extent, step of the source, step of the target, innermost first. Then for
                         each box: whether it is added, its place in the source, its place in the target; and its
                         dimensions. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_moves(T, K, S, A, E)
#define FACULA_NUMBERS_moves (3.0 * plan->outer + plan->boxes * (3.0 + 3.0 * plan->dims))
