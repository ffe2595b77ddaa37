/* Plans of softmax and related operators for given layouts. */
#include "normalization/softmax.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum {
    LANES = 16, BATCH = 16, STRIP = 256, FOLDED = 1024,   /* as in the kernels */
    WIDTH = 128,                                          /* adjacent numbers that fill vectors */
    ROW_COST = 40000, COLUMN_COST = 5000,                 /* picoseconds */
};

/* The number of adjacent elements per column, a power of two, if rows are close together: rows of `columns` numbers are
   too short for vectors, or leave a remainder. */
static int64_t folded(int64_t n, int64_t columns)
{
    int64_t fold = 1;
    while (fold * columns % LANES)
        fold *= 2;
    if (fold * columns > FOLDED)
        return 1;
    while (2 * fold * columns <= WIDTH && 8 * fold <= n)
        fold *= 2;
    return fold;
}

/* Layouts: the result, then one or two operands of its shape. */
static int64_t shape_softmax(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_softmax *plan = into;
    if (count < 2 || count > 3)
        return -1;
    const struct layout o = next_layout(&layouts), x = next_layout(&layouts);
    const struct layout y = count > 2 ? next_layout(&layouts) : x;
    const int64_t size = form->itemsize, elements = elements_of(&o);
    const int64_t dim = o.ndim ? (form->dim % o.ndim + o.ndim) % o.ndim : 0;
    int64_t along[3] = {size, size, size}, dims = 0;
    (void)workspace;
    if (o.ndim < 0 || x.ndim != o.ndim || y.ndim != o.ndim)
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * 4 * (o.ndim + 1);
    memset(plan, 0, sizeof *plan);
    plan->n = 1; /* a scalar is a row of one element */
    for (int64_t d = o.ndim - 1; d >= 0; d--) {
        const int64_t steps[4] = {o.shape[d], x.strides[d] * size, y.strides[d] * size, o.strides[d] * size};
        if (d != dim) {
            dims = add_dim(plan->nest, dims, 4, 3, steps);
            continue;
        }
        plan->n = steps[0];
        if (plan->n > 1)
            memcpy(along, steps + 1, sizeof along);
    }
    dims = merge_dims(plan->nest, dims, 4);
    if (!elements) {
        memset(plan->nest, 0, sizeof *plan->nest * 4);
        dims = 1;
    }
    const int64_t n = plan->n, first = plan->nest[0], rows = n ? elements / n : 0;
    plan->by_column = along[0] != size || along[1] != size || along[2] != size;
    const int64_t row = n * form->cost + (plan->by_column ? COLUMN_COST : ROW_COST);
    const double work = (double)rows * (double)row;
    plan->segment = first ? first : 1;
    if (work > SERIAL_COST) {
        const int64_t whole = plan->by_column ? STRIP : BATCH, wanted = (int64_t)(SERIAL_COST / (2.0 * (double)row));
        if (plan->segment > wanted)
            plan->segment = wanted > 1 ? wanted : 1;
        plan->segment = (plan->segment + whole - 1) / whole * whole;
        if (plan->segment > first)
            plan->segment = first;
    }
    const int64_t packed = first * size, *inner = plan->nest + 1;
    plan->fold = 1;
    if (first > 1 && plan->segment == first && along[0] == packed && along[1] == packed && along[2] == packed &&
        inner[0] == size && inner[1] == size && inner[2] == size)
        plan->fold = folded(n, first);
    plan->kernel = form->part;
    plan->x_step = along[0];
    plan->y_step = along[1];
    plan->o_step = along[2];
    plan->segments = first ? (first + plan->segment - 1) / plan->segment * (rows / first) : 0;
    plan->group = (int64_t)(SERIAL_COST / (2.0 * (double)plan->segment * (double)row));
    if (plan->group < 1)
        plan->group = 1;
    plan->operands = (int32_t)count;
    plan->serial = work <= SERIAL_COST;
    plan->dims = (int32_t)dims;
    return release_at(work / (double)(elements ? elements : 1));
}

FACULA_KERNEL("softmax_shape", shape_softmax, 0, 0)
