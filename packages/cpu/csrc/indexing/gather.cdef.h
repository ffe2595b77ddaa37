/* The plan of gathering and scattering. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

enum { FACULA_GATHER_DIMS = 64 };

/* How an element of the values changes its target in the array. */
enum facula_scatter_mode {
    FACULA_GATHER = 0, /* the value is assigned */
    FACULA_SCATTER = 1,
    FACULA_SCATTER_ADD = 2,
    FACULA_SCATTER_MULTIPLY = 3,
    FACULA_SCATTER_MAX = 4,
    FACULA_SCATTER_MIN = 5
};

/* An element of an array for each index: at the index along one dimension, at the index's own position along the
   others. Steps are in bytes; see Note [Gathering] in gather.inc. */
struct facula_gather {
    int64_t size, step; /* of the array's indexed dimension */
    int64_t clear;      /* bytes of the array that are initialized first: all or none */
    int32_t mode, itemsize, dtype;
    int32_t dims, inner, split; /* the innermost dimension, and the one that is divided among tasks; -1: targets are */
    int32_t serial;
    int64_t nest[]; /* dimensions of the index: extent, steps of the array (0 in the indexed one), of the index, of the
                       values. Innermost first, one at least. */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_gather(T, K, S, A, E)
#define FACULA_NUMBERS_gather (4.0 * plan->dims)
