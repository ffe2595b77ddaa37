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

/* The largest divisor of `extent` from `most` down to `least`; 0 if there is none. Searches for it or for the quotient,
   whichever has fewer candidates. */
static int64_t divisor(int64_t extent, int64_t most, int64_t least)
{
    const int64_t first = (extent + most - 1) / most, last = extent / least;
    if (last - first < most - least) {
        for (int64_t quotient = first; quotient <= last; quotient++)
            if (extent % quotient == 0)
                return extent / quotient;
        return 0;
    }
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

static int64_t *put_box(int64_t *box, int64_t from, int64_t to)
{
    memcpy(box, (int64_t[]){0, from, to}, BOX * sizeof *box);
    return box + BOX;
}

static int64_t *put_dim(int64_t *dims, int64_t extent, int64_t from, int64_t to)
{
    memcpy(dims, (int64_t[]){extent, from, to}, DIM * sizeof *dims);
    return dims + DIM;
}

/* Add dimensions of extent 1 to a box of fewer than two. */
static int64_t *end_box(int64_t *dims, int64_t ndim)
{
    for (; ndim < 2; ndim++)
        dims = put_dim(dims, 1, 0, 0);
    return dims;
}

static int64_t *boxes_of(struct facula_moves *plan, int64_t ndim)
{
    return plan->nest + DIM * (ndim + 1);
}

/* Layouts: the result, and the operand, which broadcasts to it. Only for copies that the loops for short, strided and
   interleaved runs perform best. */
static int64_t shape_runs(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    enum { LONG_RUN = 256, LEAST_BOX = 1024 }; /* bytes: of a run that a loop without gaps copies well; of an array */
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    const int64_t size = ((const struct facula_form *)from)->itemsize, missing = o.ndim - a.ndim;
    int64_t inner[DIM * MOST_DIMS], lengths = 0;
    struct facula_moves *plan = into;
    (void)workspace;
    if (count != 2 || o.ndim < 0 || a.ndim < 0 || missing < 0 || elements_of(&o) * size < LEAST_BOX)
        return -1;
    if (!plan)
        return bytes_of(1, o.ndim);
    int64_t *dims = put_box(boxes_of(plan, o.ndim), 0, 0);
    for (int64_t d = 0; d < o.ndim; d++) {
        const int64_t extent = o.shape[d], own = d < missing ? 1 : a.shape[d - missing];
        if (own != extent && own != 1)
            return -1;
        put_dim(dims + DIM * d, extent, own == 1 ? 0 : a.strides[d - missing], o.strides[d]);
    }
    end_box(dims + DIM * o.ndim, o.ndim);
    for (int64_t d = o.ndim - 1; d >= 0; d--)
        lengths = add_dim(inner, lengths, DIM, 2, dims + DIM * d);
    merge_dims(inner, lengths, DIM);
    if (inner[2] != 1 || (inner[0] * size >= LONG_RUN && inner[1] != 2))
        return -1;
    return complete(plan, from, 1, o.ndim, elements_of(&o), 0);
}

/* The following functions receive the layouts of a contiguous result and of the operand, then parameters. */

/* Parameter: the dimensions along which elements are in reverse order. */
static int64_t shape_flip(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    if (count != 3)
        return -1;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    struct facula_moves *plan = into;
    uint64_t turned = 0;
    (void)workspace;
    if (o.ndim < 0 || a.ndim != o.ndim)
        return -1;
    if (!plan)
        return bytes_of(1, o.ndim);
    const struct numbers given = next_numbers(&layouts);
    for (int64_t i = 0; i < given.count; i++)
        turned |= (uint64_t)1 << given.values[i];
    int64_t *box = boxes_of(plan, o.ndim), *dims = put_box(box, 0, 0);
    for (int64_t d = 0; d < o.ndim; d++) {
        const int64_t step = a.strides[d], reversed = (int64_t)(turned >> d & 1);
        box[1] += reversed * (a.shape[d] - 1) * step;
        dims = put_dim(dims, a.shape[d], reversed ? -step : step, o.strides[d]);
    }
    end_box(dims, o.ndim);
    return complete(plan, from, 1, o.ndim, elements_of(&o), 0);
}

enum { MOST_ROLLED = 16 };

/* Parameters: the shifts, in range, and their dimensions, which are distinct. */
static int64_t shape_roll(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    if (count != 4)
        return -1;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    struct facula_moves *plan = into;
    int64_t halves = 1, boxes = 0;
    (void)workspace;
    if (o.ndim < 0 || a.ndim != o.ndim)
        return -1;
    const struct numbers shifts = next_numbers(&layouts), along = next_numbers(&layouts);
    if (shifts.count != along.count || along.count > MOST_ROLLED)
        return -1;
    for (int64_t i = 0; i < along.count; i++)
        halves *= 1 + (shifts.values[i] > 0 && shifts.values[i] < a.shape[along.values[i]]);
    if (!plan)
        return bytes_of(halves, o.ndim);
    int64_t *box = boxes_of(plan, o.ndim);
    for (int64_t choice = 0; choice < (int64_t)1 << along.count && elements_of(&a); choice++) {
        int64_t extents[MOST_DIMS], start = 0, end = 0, is_empty = 0;
        memcpy(extents, a.shape, sizeof *extents * (size_t)a.ndim);
        for (int64_t i = 0; i < along.count; i++) {
            const int64_t dim = along.values[i], by = shifts.values[i], rest = a.shape[dim] - by;
            const int is_last = (int)(choice >> (along.count - 1 - i) & 1);
            extents[dim] = is_last ? by : rest;
            start += is_last ? rest * a.strides[dim] : 0;
            end += is_last ? 0 : by * o.strides[dim];
            is_empty |= !extents[dim];
        }
        if (is_empty)
            continue;
        int64_t *dims = put_box(box, start, end);
        for (int64_t d = 0; d < o.ndim; d++)
            dims = put_dim(dims, extents[d], a.strides[d], o.strides[d]);
        box = end_box(dims, o.ndim);
        boxes++;
    }
    return complete(plan, from, boxes, o.ndim, elements_of(&o), 0);
}

/* Parameters: how often each dimension is repeated as a whole, and each of its elements. */
static int64_t shape_tile(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    if (count != 4)
        return -1;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    struct facula_moves *plan = into;
    int64_t step = 1;
    (void)workspace;
    if (o.ndim < 0 || a.ndim != o.ndim)
        return -1;
    const struct numbers outer = next_numbers(&layouts), inner = next_numbers(&layouts);
    if (outer.count != a.ndim || inner.count != a.ndim)
        return -1;
    if (!plan)
        return bytes_of(1, 3 * a.ndim);
    int64_t *dims = put_box(boxes_of(plan, 3 * a.ndim), 0, 0);
    for (int64_t d = a.ndim - 1; d >= 0; d--) {
        const int64_t extents[] = {outer.values[d], a.shape[d], inner.values[d]}, steps[] = {0, a.strides[d], 0};
        for (int64_t part = 2; part >= 0; part--) {
            put_dim(dims + DIM * (3 * d + part), extents[part], steps[part], step);
            step *= extents[part];
        }
    }
    end_box(dims + DIM * 3 * a.ndim, 3 * a.ndim);
    return complete(plan, from, 1, 3 * a.ndim, elements_of(&o), 0);
}

/* Parameters: the lengths, the strides and the first of the elements of the operand that are copied. */
static int64_t shape_windows(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    if (count != 5)
        return -1;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    struct facula_moves *plan = into;
    (void)workspace;
    if (o.ndim < 0 || a.ndim < 0)
        return -1;
    const struct numbers size = next_numbers(&layouts), strides = next_numbers(&layouts), first = next_numbers(&layouts);
    if (size.count != o.ndim || strides.count != o.ndim)
        return -1;
    if (!plan)
        return bytes_of(1, o.ndim);
    int64_t *dims = put_box(boxes_of(plan, o.ndim), first.values[0], 0);
    for (int64_t d = 0; d < o.ndim; d++)
        dims = put_dim(dims, size.values[d], strides.values[d], o.strides[d]);
    end_box(dims, o.ndim);
    return complete(plan, from, 1, o.ndim, elements_of(&o), 0);
}

/* Parameters: the lengths of the result, and the strides and the first of its elements to which the operand is copied,
   which are distinct. */
static int64_t shape_inset(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    if (count != 5)
        return -1;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    const struct facula_form *form = from;
    struct facula_moves *plan = into;
    (void)workspace;
    if (o.ndim < 0 || a.ndim < 0)
        return -1;
    next_numbers(&layouts);
    const struct numbers strides = next_numbers(&layouts), first = next_numbers(&layouts);
    if (strides.count != a.ndim)
        return -1;
    if (!plan)
        return bytes_of(1, a.ndim);
    const int64_t elements = elements_of(&a), wanted = elements_of(&o);
    int64_t *dims = put_box(boxes_of(plan, a.ndim), 0, first.values[0]);
    for (int64_t d = 0; d < a.ndim; d++)
        dims = put_dim(dims, a.shape[d], a.strides[d], strides.values[d]);
    end_box(dims, a.ndim);
    const int64_t release = complete(plan, form, elements > 0, a.ndim, wanted, elements != wanted);
    memcpy(plan->value, form->value, sizeof plan->value);
    return release;
}

FACULA_KERNEL("moves_shape", shape_boxes, 0, 0)
FACULA_KERNEL("runs_shape", shape_runs, 0, 0)
FACULA_KERNEL("flip_shape", shape_flip, 0, 0)
FACULA_KERNEL("roll_shape", shape_roll, 0, 0)
FACULA_KERNEL("tile_shape", shape_tile, 0, 0)
FACULA_KERNEL("windows_shape", shape_windows, 0, 0)
FACULA_KERNEL("inset_shape", shape_inset, 0, 0)
