/* The blocking of Winograd convolutions; see Note [Winograd] in winograd.dispatch.c. */
#include "convolution/winograd.h"

#include <math.h>

#include "runtime/kernel.h"

static const double LARGEST = 70368744177664.; /* 2^46: a file may contain any number */
static const double SERIAL = 5e6, MULTIPLY = 10; /* picoseconds: work that is not worth distributing; a multiplication */

/* Bytes of the workspace, and of transformed weights (or their gradient) within it. */
static const int64_t WORKSPACE = 64 << 20, OF_WEIGHTS = 40 << 20;

/* The constants below were determined by measurement. */
enum { FEW_TILES = 100 };               /* so few are multiplied by each panel as soon as it is made */
enum { BLOCK_TILES = 16 };              /* that make it worthwhile to read a large U for a block */
static const int64_t SMALL_U = 5 << 19; /* bytes of U that stay in a cache between blocks */
static const int64_t SLICE = 192 << 10, SMALL_SLICE = 12 << 10; /* bytes of one matrix of V in a block */

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int is_sane(const struct facula_winograd *p, int weights)
{
    const int64_t sizes[] = {p->images, p->groups, p->channels, p->filters, p->height, p->width, p->out_height,
                             p->out_width};
    for (int i = 0; i < 8; i++)
        if (sizes[i] < 1 || (double)sizes[i] > LARGEST)
            return 0;
    const double images = (double)p->images * (double)p->groups;
    const double in = images * (double)p->channels * (double)p->height * (double)p->width;
    const double out = images * (double)p->filters * ((double)p->out_height + SIDE) * ((double)p->out_width + SIDE);
    const double numbers = (double)p->groups * ((double)p->filters + 64) * (double)p->channels * POINTS;
    return (p->taps == 3 || p->taps == 5) && (!weights || (!p->pooled && !p->rectified && !p->normalized)) &&
           p->channels <= MOST_CHANNELS && in <= LARGEST && out <= LARGEST &&
           numbers <= LARGEST && fabs((double)p->top) <= LARGEST && fabs((double)p->left) <= LARGEST;
}

/* Divides rows of tiles into strips of equal length, at most `tiles` long. */
static void set_across(struct facula_winograd *p, int64_t tiles)
{
    const int64_t row = winograd_tiles_x(p);
    p->across = winograd_pieces(row, winograd_pieces(row, most(tiles, 1)));
}

/* Sets the strips of a block to those of at most so many tiles; the number of blocks is a multiple of `multiple`. */
static void set_block(struct facula_winograd *p, int64_t tiles, int64_t multiple)
{
    const int64_t strips = winograd_strips(p);
    const int64_t blocks = winograd_pieces(winograd_pieces(strips, most(tiles / p->across, 1)), multiple) * multiple;
    p->block = winograd_pieces(strips, least(blocks, strips));
}

/* Floats of a strip before its input is transformed, or after its results are. */
static int64_t strip_floats(const struct facula_winograd *p, int64_t filters)
{
    const int64_t out = winograd_out(p), columns = p->across * out;
    return most(SIDE * (columns + SIDE) * winograd_pitch(p), out * columns * filters);
}

FACULA_PUBLIC int64_t facula_complete_winograd(struct facula_winograd *p, int weights, int lanes, int threads)
{
    if (!is_sane(p, weights))
        return -1;
    p->lanes = lanes;
    const int64_t wide = 2 * lanes, all = winograd_panels(p), tiles = p->images * winograd_tiles_y(p) * winograd_tiles_x(p);
    const int64_t panel = 4 * POINTS * winograd_u(p, 1), u = all * panel;
    const double work = (double)p->groups * POINTS * MULTIPLY * (double)tiles * (double)p->channels * (double)p->filters;
    p->slots = work > SERIAL ? threads : 1;
    p->panels = least(most(OF_WEIGHTS / panel, 1), all);
    const int64_t tile = 4 * POINTS * (winograd_pitch(p) + p->panels * wide); /* bytes of V, and of M or dM */
    const int64_t few = least(tiles, FEW_TILES);
    const int64_t of_few = POINTS * (winograd_v(p, few) + (weights ? winograd_m(p, few, all) : 0)); /* floats */
    p->by_panel = tiles == few && u > SMALL_U && 4 * of_few < WORKSPACE - OF_WEIGHTS;
    if (p->by_panel) {
        p->panels = weights ? all : 1;
        set_across(p, tiles);
        p->block = winograd_strips(p);
        p->shared = of_few;
        p->private = POINTS * (winograd_u(p, 1) + (weights ? 0 : winograd_m(p, tiles, 1))) +
                     strip_floats(p, weights ? all * wide : wide);
    } else if (weights) { /* blocks affect the order of sums, so they do not depend on the threads */
        const int64_t bytes = u > 4 << 20 ? 16 << 20 : u > 1 << 20 ? 4 << 20 : 1 << 20;
        set_across(p, bytes / tile);
        set_block(p, bytes / tile, 1);
        const int64_t in_block = p->block * p->across;
        p->shared = POINTS * (winograd_v(p, in_block) + winograd_m(p, in_block, p->panels) + winograd_u(p, p->panels));
        p->private = strip_floats(p, p->panels * wide);
    } else {
        p->shared = POINTS * winograd_u(p, p->panels);
        const int64_t room = (WORKSPACE - 4 * p->shared) / 8 * 7; /* the rest is for strips */
        p->slots = most(least(p->slots, room / (BLOCK_TILES * tile)), 1);
        const int64_t in_block = least((u > SMALL_U ? SLICE : SMALL_SLICE) / (4 * winograd_pitch(p)), room / p->slots / tile);
        set_across(p, in_block);
        set_block(p, in_block, p->slots);
        p->private = POINTS * (winograd_v(p, p->block * p->across) + winograd_m(p, p->block * p->across, p->panels)) +
                     strip_floats(p, wide);
    }
    p->slots = most(least(p->slots, (WORKSPACE - 4 * p->shared) / (4 * p->private)), 1);
    return 4 * (p->shared + p->slots * p->private + (p->normalized ? 3 * p->groups * p->filters : 0));
}
