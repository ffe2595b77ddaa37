/* Sizes that the planner and the kernels of Winograd convolutions share; see Note [Winograd] in winograd.dispatch.c. */
#pragma once
#include <stdint.h>

#include "convolution/winograd.cdef.h"

enum { SIDE = 6, POINTS = SIDE * SIDE };      /* of a transformed tile */
enum { MOST_CHANNELS = 8192 };                /* a larger panel of transformed weights would exceed the workspace */

static inline int64_t winograd_pieces(int64_t length, int64_t piece)
{
    return (length + piece - 1) / piece;
}

/* Pixels of the result along a side of a tile. */
static inline int64_t winograd_out(const struct facula_winograd *plan)
{
    return SIDE + 1 - plan->taps;
}

static inline int64_t winograd_tiles_x(const struct facula_winograd *plan)
{
    return winograd_pieces(plan->out_width, winograd_out(plan));
}

static inline int64_t winograd_tiles_y(const struct facula_winograd *plan)
{
    return winograd_pieces(plan->out_height, winograd_out(plan));
}

/* Strips of a row of tiles, and of all images. */
static inline int64_t winograd_strips_x(const struct facula_winograd *plan)
{
    return winograd_pieces(winograd_tiles_x(plan), plan->across);
}

static inline int64_t winograd_strips(const struct facula_winograd *plan)
{
    return plan->images * winograd_tiles_y(plan) * winograd_strips_x(plan);
}

/* All tiles before a strip. */
static inline int64_t winograd_tiles_before(const struct facula_winograd *plan, int64_t strip)
{
    const int64_t each = winograd_strips_x(plan), tiles = winograd_tiles_x(plan), begin = strip % each * plan->across;
    return strip / each * tiles + (begin < tiles ? begin : tiles);
}

static inline int64_t winograd_panels(const struct facula_winograd *plan)
{
    return winograd_pieces(plan->filters, 2 * plan->lanes);
}

/* Floats from one row of V to the next. A vector more than the channels: rows at distances of a power of two would compete
   for the same lines of the cache. */
static inline int64_t winograd_pitch(const struct facula_winograd *plan)
{
    return (winograd_pieces(plan->channels, plan->lanes) + 1) * plan->lanes;
}

/* Floats of one of the matrices of V for so many tiles, of M or dM, and of U; with a vector between them. */
static inline int64_t winograd_v(const struct facula_winograd *plan, int64_t tiles)
{
    return tiles * winograd_pitch(plan) + plan->lanes;
}

static inline int64_t winograd_m(const struct facula_winograd *plan, int64_t tiles, int64_t panels)
{
    return (2 * tiles * panels + 1) * plan->lanes;
}

static inline int64_t winograd_u(const struct facula_winograd *plan, int64_t panels)
{
    return winograd_m(plan, plan->channels, panels);
}
