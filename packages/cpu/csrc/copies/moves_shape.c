/* Plans of boxes that are copied or added, for given extents and steps; see Note [Moves] in moves.dispatch.c. */
#include "copies/moves.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum {
    PIECE = 16384, LEAST_PIECE = 2048, /* bytes: pieces that several boxes touch should fit in the L1 cache */
    RUN = 4096,                        /* the elements of a run of a one-dimensional box, which threads share */
    BOX = 3,                           /* whether a box is added, places in source and target; then its dimensions: */
    DIM = 3,                           /* extent, steps of source and target */
    MOST_GIVEN = 3 * MOST_DIMS,        /* dimensions before they are merged, as of `tile` */
};
static const double GRAIN = 2e6; /* picoseconds: the smallest piece worth handing to a thread */

static int64_t elements_in(const int64_t *box, int64_t ndim)
{
    int64_t elements = 1;
    for (int64_t d = 0; d < ndim; d++)
        elements *= box[BOX + DIM * d];
    return elements;
}

/* The largest divisor of `extent` from `most` down to `least`; 0 if there is none. */
static int64_t divisor(int64_t extent, int64_t most, int64_t least)
{
    while (most >= least && extent % most)
        most--;
    return most >= least ? most : 0;
}

/* Whether a box with only `count` entries along dimension `at` is in a block of the target of `block` elements. */
static int is_within(const int64_t *box, int64_t ndim, int64_t at, int64_t count, int64_t block)
{
    const int64_t *dims = box + BOX, step = dims[DIM * at + 2];
    int64_t reach = box[2] + (count - 1) * step;
    for (int64_t d = 0; d < ndim; d++)
        if (dims[DIM * d + 2] < step)
            reach += (dims[DIM * d] - 1) * dims[DIM * d + 2];
    return reach < block;
}

/* Move dimensions of the boxes around the pieces, outermost first, to `outer`, and return their number. `cleared` is the
   number of elements that are filled first; those of a piece must be adjacent. */
static int64_t split_dims(int64_t *boxes, int64_t count, int64_t ndim, int64_t cleared, int64_t size, int64_t *outer)
{
    const int64_t width = BOX + DIM * ndim;
    int64_t order[MOST_GIVEN], dims = 0, left = cleared; /* elements of a piece */
    for (int64_t d = 0; d < ndim; d++) {
        int64_t place = d;
        for (; place && boxes[BOX + DIM * order[place - 1] + 2] < boxes[BOX + DIM * d + 2]; place--)
            order[place] = order[place - 1];
        order[place] = d;
    }
    for (int64_t i = 0; i < count && !cleared; i++)
        left += elements_in(boxes + i * width, ndim);
    for (int64_t i = 0; i < ndim; i++) {
        const int64_t at = order[i], *first = boxes + BOX + DIM * at;
        const int64_t extent = first[0], step = first[1], to_step = first[2];
        int alike = left * size > PIECE;
        for (int64_t box = 1; box < count && alike; box++)
            alike = !memcmp(boxes + box * width + BOX + DIM * at, first, DIM * sizeof *first);
        if (!alike || extent > left)
            break;
        if (extent == 1)
            continue;
        int64_t most = PIECE / (left / extent * size);
        most = most < 1 ? 1 : most > extent ? extent : most;
        const int64_t within = divisor(extent, most, 1), rest = left / extent * within;
        int fits = rest * size >= LEAST_PIECE && within != extent && (!cleared || to_step * extent == left);
        for (int64_t box = 0; box < count && cleared && fits; box++)
            fits = is_within(boxes + box * width, ndim, at, within, rest);
        if (!fits)
            break;
        memcpy(outer + DIM * dims++, (int64_t[]){extent / within, step * within, to_step * within}, DIM * sizeof *outer);
        for (int64_t box = 0; box < count; box++)
            boxes[box * width + BOX + DIM * at] = within;
        left = rest;
        if (within > 1)
            break;
    }
    return dims;
}

/* Merge the dimensions of a box, with room for two, and return their number. A long single dimension is divided, if its
   length allows it, so that threads can share it. */
static int64_t merge_box(int64_t *dims, int64_t ndim)
{
    int64_t given[DIM * MOST_GIVEN], count = 0;
    memcpy(given, dims, sizeof *dims * (size_t)(DIM * ndim));
    for (int64_t d = ndim - 1; d >= 0; d--)
        count = add_dim(dims, count, DIM, 2, given + DIM * d);
    count = merge_dims(dims, count, DIM);
    if (count > 1 || dims[0] < 2 * RUN)
        return count;
    const int64_t part = divisor(dims[0], RUN, RUN / 8 + 1), run = part ? part : dims[0];
    memcpy(dims + DIM, (int64_t[]){dims[0] / run, dims[1] * run, dims[2] * run}, DIM * sizeof *dims);
    dims[0] = run;
    return 2;
}

/* Complete a plan whose nest has `count` boxes of `ndim` dimensions, in elements, from place DIM * (ndim + 1) on. */
static int64_t complete(struct facula_moves *plan, const struct facula_form *form, int64_t count, int64_t ndim,
                        int64_t elements, int filled)
{
    const int64_t size = form->itemsize, width = BOX + DIM * (ndim > 2 ? ndim : 2);
    int64_t outer[DIM * MOST_GIVEN], *boxes = plan->nest + DIM * (ndim + 1), *to = plan->nest, lengths = 2;
    int64_t moved = 0, pieces = elements ? 1 : 0;
    if (!elements)
        count = 0;
    /* dimensions beyond ndim have extent 1 */
    const int64_t all = (width - BOX) / DIM;
    const int64_t split = count ? split_dims(boxes, count, all, filled ? elements : 0, size, outer) : 0;
    plan->outer = 0;
    for (int64_t d = split - 1; d >= 0; d--)
        plan->outer = add_dim(to, plan->outer, DIM, 2, outer + DIM * d);
    if (plan->outer)
        plan->outer = merge_dims(to, plan->outer, DIM);
    for (int64_t d = 0; d < plan->outer; d++, to += DIM) {
        pieces *= to[0];
        to[1] *= size;
        to[2] *= size;
    }
    for (int64_t box = 0; box < count; box++) {
        int64_t *dims = boxes + box * width + BOX;
        int64_t used = merge_box(dims, all);
        lengths = used > lengths ? used : lengths;
        for (; used < all; used++)
            memcpy(dims + DIM * used, (int64_t[]){1, 0, 0}, DIM * sizeof *dims);
        moved += elements_in(dims - BOX, all);
    }
    for (int64_t box = 0; box < count; box++, to += BOX + DIM * lengths) {
        memmove(to, boxes + box * width, sizeof *to * (size_t)(BOX + DIM * lengths));
        for (int64_t place = 1; place < BOX + DIM * lengths; place++)
            if (place < BOX || place % DIM)
                to[place] *= size;
    }
    if (lengths > MOST_DIMS || plan->outer > MOST_DIMS)
        return -1;
    const double work = (double)pieces * (double)moved * (double)form->cost;
    const int64_t group = (int64_t)(GRAIN / (double)(form->cost * (moved ? moved : 1)));
    plan->pieces = pieces;
    plan->group = group > 1 ? group : 1;
    plan->serial = work <= SERIAL_COST;
    plan->clear = filled ? elements * size / (pieces ? pieces : 1) : 0;
    plan->value[0] = plan->value[1] = 0;
    plan->boxes = count;
    plan->dims = lengths;
    return release_at(work / (double)(elements ? elements : 1));
}

static int64_t bytes_of(int64_t count, int64_t ndim)
{
    return (int64_t)sizeof(struct facula_moves) + 8 * (DIM * (ndim + 1) + count * (BOX + DIM * (ndim > 2 ? ndim : 2)));
}

/* For `count` boxes, numbers: elements of the target, whether it is filled first, the dimensions of each box, and the
   boxes, in elements. */
static int64_t shape_boxes(void *into, const void *from, int64_t count, const int64_t *numbers, int64_t *workspace)
{
    const int64_t elements = numbers[0], filled = numbers[1], ndim = numbers[2];
    struct facula_moves *plan = into;
    (void)workspace;
    if (ndim > MOST_GIVEN)
        return -1;
    if (!plan)
        return bytes_of(count, ndim);
    int64_t *boxes = plan->nest + DIM * (ndim + 1);
    numbers += 3;
    for (int64_t box = 0; box < count; box++) {
        for (int64_t place = 0; place < BOX + DIM * ndim; place++)
            *boxes++ = *numbers++;
        for (int64_t d = ndim; d < 2; d++, boxes += DIM)
            memcpy(boxes, (int64_t[]){1, 0, 0}, DIM * sizeof *boxes);
    }
    return complete(plan, from, count, ndim, elements, filled != 0);
}

/* Layouts: a contiguous result, and the operand, which is reversed along some dimensions. Operands that are not
   contiguous may be copied faster by tiles. */
static int64_t shape_flip(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_moves *plan = into;
    if (count != 2)
        return -1;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    (void)workspace;
    if (o.ndim < 0 || a.ndim != o.ndim || !is_row_major(&a))
        return -1;
    if (!plan)
        return bytes_of(1, o.ndim);
    int64_t *box = plan->nest + DIM * (o.ndim + 1), *dims = box + BOX;
    box[0] = box[1] = box[2] = 0;
    for (int64_t d = 0; d < o.ndim; d++, dims += DIM) {
        const int turned = (int)(form->dims >> d & 1);
        if (turned)
            box[1] += (a.shape[d] - 1) * a.strides[d];
        memcpy(dims, (int64_t[]){a.shape[d], turned ? -a.strides[d] : a.strides[d], o.strides[d]}, DIM * sizeof *dims);
    }
    for (int64_t d = o.ndim; d < 2; d++, dims += DIM)
        memcpy(dims, (int64_t[]){1, 0, 0}, DIM * sizeof *dims);
    return complete(plan, form, 1, o.ndim, elements_of(&o), 0);
}

FACULA_KERNEL("moves_shape", shape_boxes, 0, 0)
FACULA_KERNEL("flip_shape", shape_flip, 0, 0)
