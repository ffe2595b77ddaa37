/* Plans of batch, layer, group and root-mean-square normalization, of rows of length 1, and of cosines of rows, for given
   layouts. */
#include "normalization/batch_norm.cdef.h"
#include "normalization/layer_norm.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum {
    SIDE_BY_SIDE = 64,                      /* channels of single elements, as in the kernel */
    MOST_TASKS = 64, MOST_SUMS = 1 << 24,   /* tasks of a gradient, and bytes of their sums */
    LINE = 64,
};

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t parts_of(int64_t length, int64_t step)
{
    return (length + step - 1) / step;
}

/* The number of units of this cost, in picoseconds, that a thread should have at least. */
static int64_t share_of(double cost)
{
    return (int64_t)(SERIAL_COST / (2 * cost));
}

/* Read the layout at `place`; whether all are in row-major order. */
static int read_layouts(struct layout *wanted, int64_t place, const struct facula_form *form, int64_t count,
                        const int64_t *layouts)
{
    for (int i = 0; i < form->arrays; i++) {
        const struct layout one = i < count ? next_layout(&layouts) : (struct layout){0};
        if (i >= count || (one.ndim >= 0 && !is_row_major(&one)))
            return 0;
        if (i == place)
            *wanted = one;
    }
    return 1;
}

static int64_t shape_batch_norm(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_batch_norm *plan = into;
    struct layout o;
    (void)workspace;
    if (!read_layouts(&o, 0, form, count, layouts) || o.ndim < 2)
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan;
    const int64_t elements = elements_of(&o), batch = o.shape[0], channels = o.shape[1];
    const int64_t each = channels ? elements / channels : 0, inner = batch ? each / batch : 1;
    const double cost = (double)form->cost;
    const int64_t group = most_of(most_of(1, channels / 64), share_of(each ? (double)each * cost : 1));
    *plan = (struct facula_batch_norm){
        (facula_norm)(intptr_t)form->part, batch, channels, inner,
        inner == 1 ? parts_of(group, SIDE_BY_SIDE) * SIDE_BY_SIDE : group, (double)elements * cost <= SERIAL_COST,
        (int32_t)form->option, (int64_t)form->dims};
    return release_at(cost);
}

static int64_t shape_row_norm(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_row_norm *plan = into;
    const int by_group = form->keepdim, gradient = form->backwards, by_length = form->root;
    int64_t rows = 1, groups = 1, runs = 1, inner = 1;
    const int compares = by_length == 2 && !gradient; /* three results, with a number for each row */
    struct layout o;
    if (!read_layouts(&o, compares ? 3 : 0, form, count, layouts) || o.ndim < (by_group ? 2 : form->dim))
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan;
    if (by_group) {
        groups = form->dim;
        rows = o.shape[0] * groups;
        runs = o.shape[1] / groups;
        inner = rows && runs ? elements_of(&o) / (rows * runs) : 0;
    } else {
        for (int64_t d = 0; d < o.ndim; d++)
            *(d < o.ndim - form->dim ? &rows : &runs) *= o.shape[d];
    }
    const int64_t row = most_of(1, runs * inner) * form->cost;
    const double work = (double)rows * (double)row;
    int64_t each = most_of(most_of(1, share_of((double)row)), parts_of(rows, 1024)), task_bytes = 0;
    *workspace = gradient && !by_length ? LINE : 0;
    if (form->finish) {
        task_bytes = most_of(LINE, parts_of(2 * groups * runs * (8 + form->valuesize), LINE) * LINE);
        int64_t tasks = MOST_SUMS / task_bytes < MOST_TASKS ? MOST_SUMS / task_bytes : MOST_TASKS;
        tasks = work / SERIAL_COST < (double)tasks ? (int64_t)(work / SERIAL_COST) : tasks;
        tasks = most_of(1, tasks);
        each = most_of(1, parts_of(rows, tasks));
        *workspace = tasks * task_bytes;
    }
    *plan = (struct facula_row_norm){
        (facula_row_norm_rows)(intptr_t)form->part, (facula_row_norm_finish)(intptr_t)form->finish, rows, groups, runs, inner,
        each, parts_of(rows, each), task_bytes, work <= SERIAL_COST, form->flag, gradient, by_length};
    return release_at((double)(compares ? row : form->cost));
}

FACULA_KERNEL("batch_norm_shape", shape_batch_norm, 0, 0)
FACULA_KERNEL("row_norm_shape", shape_row_norm, 0, 0)
