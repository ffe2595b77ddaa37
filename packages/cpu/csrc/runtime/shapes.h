/* Layouts as functions of the kind FACULA_SHAPE receive them, and dimensions of plans. */
#pragma once
#include <stdint.h>
#include <string.h>

#include "runtime/shapes.cdef.h"

enum { MOST_DIMS = 64 };
static const double SERIAL_COST = 5e6, RELEASE_COST = 5e7; /* picoseconds; see Note [When to share] in planners.py */

/* A negative number of dimensions stands for an omitted operand. */
struct layout {
    int64_t ndim;
    const int64_t *shape, *strides;
};

/* Reads a layout and advances to the next one. */
static inline struct layout next_layout(const int64_t **numbers)
{
    const int64_t ndim = **numbers;
    const struct layout layout = {ndim, *numbers + 1, *numbers + 1 + ndim};
    *numbers += ndim > 0 ? 1 + 2 * ndim : 1;
    return layout;
}

/* Parameters of a call. */
struct numbers {
    int64_t count;
    const int64_t *values;
};

static inline struct numbers next_numbers(const int64_t **at)
{
    const struct numbers numbers = {**at, *at + 1};
    *at += 1 + numbers.count;
    return numbers;
}

static inline int64_t elements_of(const struct layout *layout)
{
    int64_t elements = 1;
    for (int64_t d = 0; d < layout->ndim; d++)
        elements *= layout->shape[d];
    return elements;
}

/* Whether elements are in row-major order without gaps. */
static inline int is_row_major(const struct layout *layout)
{
    int64_t step = 1;
    int fits = 1;
    for (int64_t d = layout->ndim - 1; d >= 0; d--) {
        fits &= layout->shape[d] == 1 || layout->strides[d] == step;
        step *= layout->shape[d];
    }
    return fits || !step; /* or there are none */
}

/* Add a dimension, {extent, steps}, to `dims`, `width` numbers each, and return their new number. They are ordered by
   the number at `key`, or if that is 0 as they were added. Extents of 1 are omitted. */
static inline int64_t add_dim(int64_t *dims, int64_t count, int width, int key, const int64_t *dim)
{
    const size_t bytes = sizeof *dims * (size_t)width;
    int64_t place = count;
    if (dim[0] == 1)
        return count;
    for (; key && place && dims[(place - 1) * width + key] > dim[key]; place--)
        memcpy(dims + place * width, dims + (place - 1) * width, bytes);
    memcpy(dims + place * width, dim, bytes);
    return count + 1;
}

/* Merge neighbours that form a single dimension for every operand, and return the number of dimensions. If there are
   none, the result is one of extent 1. */
static inline int64_t merge_dims(int64_t *dims, int64_t count, int width)
{
    int64_t merged = 0;
    for (int64_t d = 0; d < count; d++) {
        const int64_t *dim = dims + d * width;
        int64_t *inner = dims + (merged - 1) * width;
        int as_one = merged > 0;
        for (int i = 1; as_one && i < width; i++)
            as_one = dim[i] == inner[i] * inner[0];
        if (as_one)
            inner[0] *= dim[0];
        else
            memmove(dims + merged++ * width, dim, sizeof *dims * (size_t)width);
    }
    if (!merged) {
        memset(dims, 0, sizeof *dims * (size_t)width);
        dims[0] = merged = 1;
    }
    return merged;
}

/* The number of elements from which a launch releases the GIL. */
static inline int64_t release_at(double cost)
{
    return cost > 0 ? (int64_t)(RELEASE_COST / cost) : (int64_t)1 << 62;
}
