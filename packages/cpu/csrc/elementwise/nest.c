/* Plans of elementwise kernels for given lengths and strides: the nest of dimensions; see Note [Elementwise] in
   elementwise.c. */
#include "elementwise/elementwise.h"
#include "runtime/shapes.h"

enum {
    STRIDED_COST = 700, /* picoseconds: an element that is not adjacent to the previous one */
    LEAST_APART = 16,   /* elements of a run */
    APART_COST = 70,    /* picoseconds, of 4 bytes: compilers vectorize such strided loops directly */
    LEAST_TURNED = 8,   /* elements along both dimensions of a transposed operand, and of its tiles */
    TURNED_RUN = 128,   /* bytes of a transposed operand that are read at once */
};

/* Write the fewest dimensions that visit the same elements, innermost first, into the plan's nest; return their number.
   They are sorted by the steps of the output, so that it is written in memory order; neighbours that form a single
   dimension for every operand are merged. `arrays` are those of the launch, without the outputs, whose layout is `o`.
   Return -1 if one does not broadcast to it. */
static int64_t make_nest(struct facula_elementwise *plan, const struct layout *o, const struct layout *arrays, int64_t count)
{
    const int operands = plan->operands, inputs = operands - plan->results;
    int64_t dims = 0;
    if (count != plan->argument[operands - 1] - plan->results)
        return -1;
    for (int64_t i = 0; i < count; i++)
        if (arrays[i].ndim > o->ndim)
            return -1;
    for (int64_t d = o->ndim - 1; d >= 0; d--) {
        int64_t dim[1 + MOST_OPERANDS] = {o->shape[d]}, steps[MOST_OPERANDS + 1];
        for (int64_t i = 0; i < count; i++) {
            const int64_t own = d - (o->ndim - arrays[i].ndim);
            const int64_t extent = own < 0 ? 1 : arrays[i].shape[own];
            if (extent != o->shape[d] && extent != 1)
                return -1;
            steps[i] = own < 0 || extent != o->shape[d] ? 0 : arrays[i].strides[own];
        }
        for (int i = 0; i < operands; i++) {
            const int64_t step = i >= inputs ? o->strides[d] : plan->scalar[i] ? 0 : steps[plan->argument[i] - 1];
            dim[1 + i] = step * plan->itemsize[i];
        }
        dims = add_dim(plan->nest, dims, 1 + operands, operands, dim);
    }
    return merge_dims(plan->nest, dims, 1 + operands);
}

/* Choose the operands that are transposed, and move the dimension along which they are contiguous to the second place.
   Sums of reduced results keep the order of the output. */
static void find_turned(struct facula_elementwise *plan)
{
    const int operands = plan->operands, inputs = operands - plan->results;
    const int64_t stride = 1 + operands, *inner = plan->nest + 1;
    int64_t size = 0, bytes = 0;
    plan->turned = 0;
    if (!plan->turn || plan->reducer || plan->nest[0] < LEAST_TURNED)
        return;
    for (int i = 0; i < inputs; i++)
        size = plan->itemsize[i] > size ? plan->itemsize[i] : size;
    for (int64_t d = 1; d < plan->dims && !bytes; d++) {
        int64_t *dim = plan->nest + d * stride, moved[1 + MOST_OPERANDS];
        int turned = 0;
        if (dim[0] < LEAST_TURNED)
            continue;
        for (int i = 0; i < inputs; i++)
            if (plan->itemsize[i] == size && inner[i] && inner[i] != size && dim[1 + i] == size) {
                turned |= 1 << i;
                bytes += size;
            }
        const int64_t parts = (dim[0] * size + TURNED_RUN - 1) / TURNED_RUN; /* of about one length */
        const int64_t height = ((dim[0] + parts - 1) / parts + 7) / 8 * 8;
        const int64_t width = bytes ? TILES_ROOM / height / bytes / 16 * 16 : 0;
        if (width < LEAST_TURNED) {
            bytes = 0;
            continue;
        }
        memcpy(moved, dim, sizeof *dim * (size_t)stride);
        memmove(plan->nest + 2 * stride, plan->nest + stride, sizeof *dim * (size_t)(stride * (d - 1)));
        memcpy(plan->nest + stride, moved, sizeof *dim * (size_t)stride);
        plan->turned = turned;
        plan->height = (int32_t)height;
        plan->width = (int32_t)width;
    }
}

/* Choose the operands that repeat in each of many short runs, or within each of them, and the number of runs per tile.
   None if no operand repeats, or if another one's runs are not adjacent. */
static void find_repeats(struct facula_elementwise *plan)
{
    const int operands = plan->operands;
    const int64_t extent = plan->nest[0], *inner = plan->nest + 1, *outer = inner + 1 + operands;
    int repeats = 0, count = 0;
    if (plan->dims < 2 || !extent || TILE / extent < 2)
        return;
    for (int i = 0; i < operands; i++) {
        const int spread = !inner[i] && outer[i] && plan->itemsize[i] <= (int64_t)sizeof(uint64_t);
        if (outer[i] == inner[i] * extent)
            continue;
        if (!spread && (outer[i] || inner[i] != plan->itemsize[i]))
            return;
        repeats |= 1 << i;
        count++;
    }
    if (!count || count > MOST_REPEATS)
        return;
    plan->repeats = repeats;
    plan->block = (int32_t)(TILE / extent);
}

/* Return whether tiles are worthwhile: not for short runs, and not for the cheapest loops over elements of one size,
   which compilers vectorize directly. */
static int is_worth_tiles(const struct facula_elementwise *plan)
{
    const int size = plan->itemsize[plan->operands - 1];
    int even = !plan->program && plan->cost * 4 <= APART_COST * (size < 4 ? 4 : size);
    for (int i = 0; i < plan->operands; i++)
        even &= (!plan->itemsize[i] || plan->itemsize[i] == size) && plan->nest[1 + i] != 2 * size;
    return plan->nest[0] >= LEAST_APART && !even;
}

/* Choose the operands that pass through tiles, strided ones and a reduced result, and the tiles' length. */
static void find_apart(struct facula_elementwise *plan)
{
    const int worth = is_worth_tiles(plan);
    int64_t bytes = 0;
    plan->apart = 0;
    for (int i = 0; i < plan->operands; i++) {
        const int folded = plan->reducer && i == plan->operands - 1;
        const int strided = plan->nest[1 + i] && plan->nest[1 + i] != plan->itemsize[i];
        if (!folded && (!(strided && worth) || plan->turned >> i & 1))
            continue;
        plan->apart |= 1 << i;
        bytes += plan->itemsize[i];
    }
    if (bytes)
        plan->chunk = (int32_t)(TILES_ROOM / bytes / 64 * 64 < TILE ? TILES_ROOM / bytes / 64 * 64 : TILE);
}

/* Layouts: the output, then the arrays among the operands, in the order of the launch. */
static int64_t shape_plan(void *into, const void *form, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    struct facula_elementwise *plan = into;
    const int operands = ((const struct facula_elementwise *)form)->operands;
    const struct layout o = next_layout(&layouts);
    struct layout arrays[MOST_OPERANDS];
    (void)workspace;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * (o.ndim + 1) * (1 + operands);
    memcpy(plan, form, sizeof *plan);
    for (int64_t i = 0; i < count - 1 && i < MOST_OPERANDS; i++)
        arrays[i] = next_layout(&layouts);
    plan->dims = (int32_t)make_nest(plan, &o, arrays, count - 1);
    if (plan->dims < 0 || plan->dims > MOST_DIMS)
        return -1;
    int dense = plan->dims == 1, strided = 0;
    for (int i = 0; i < operands; i++) {
        dense &= plan->nest[1 + i] == plan->itemsize[i];
        strided |= plan->nest[1 + i] && plan->nest[1 + i] != plan->itemsize[i];
    }
    find_turned(plan);
    if (!plan->turned)
        find_repeats(plan);
    find_apart(plan);
    if (dense)
        plan->dims = 0;
    if (strided && plan->cost < STRIDED_COST) {
        plan->serial = plan->serial * plan->cost / STRIDED_COST;
        plan->grain = plan->grain * plan->cost / STRIDED_COST;
        plan->release = plan->release * plan->cost / STRIDED_COST;
    }
    return plan->release;
}

FACULA_KERNEL("elementwise_shape", shape_plan, 0, 0)
