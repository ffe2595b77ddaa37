/* Plans of reductions for given layouts; see Note [Reductions] in reduce.c. */
#include "reductions/reduce.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum {
    SEGMENT = 512, /* the maximum number of outputs that are reduced together */
    COLUMNS = 64,  /* the minimum number of columns that are reduced together */
    WIDE = 16,     /* the minimum number of outputs that are reduced by column because rows are short */
    MOST_PIECES = 64,
    STATE_BYTES = 32,
    STRIDED_COST = 500,   /* picoseconds per element */
    OUTPUT_COST = 10000,  /* picoseconds per output */
    INDEX_SIZE = 8,
};
static const int64_t PIECE = 1 << 15; /* the minimum number of reduced elements of a separate piece */

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Divide the outputs into segments and the reduced elements into pieces. `reduced` are the reduced dimensions.
   With `ordered`, the pieces of a single dimension are the same for every layout of the operand. */
static void divide(struct facula_reduce *plan, const int64_t *reduced, int64_t cost, int ordered)
{
    const int64_t outputs = plan->outputs, total = plan->reduced, first = plan->nest[0];
    const int64_t rows = first ? outputs / first : 0;
    const double work = (double)outputs * ((double)total * (double)cost + OUTPUT_COST);
    /* Outputs inside the reduced dimensions are read together, in memory order; the reduced dimensions are split into
       pieces. */
    int64_t run = 1;
    for (int d = 0; d < plan->reduced_dims; d++)
        if (reduced[2 * d + 1] < plan->nest[1])
            run *= reduced[2 * d];
    const int inside = !plan->by_column && run > 1 && run < total;
    plan->segment = larger(smaller(first, SEGMENT), 1);
    if (work > SERIAL_COST && !inside) {
        /* Prefer more segments to longer ones for large work; columns have at least the width of four cache lines. */
        const int64_t least = smaller(plan->by_column ? COLUMNS : 1, plan->segment);
        plan->segment = larger(smaller(plan->segment, (first * rows + 31) / 32), least);
    }
    plan->segments = (first + plan->segment - 1) / plan->segment * rows;
    plan->pieces = 1;
    plan->piece = larger(total, 1);
    const int64_t parts = ordered ? (outputs + COLUMNS - 1) / COLUMNS : plan->segments;
    const double elements = (ordered ? (double)outputs : (double)plan->segments * (double)plan->segment) * (double)total;
    if (parts < 16 && elements >= 2 * (double)PIECE) {
        const int64_t most = larger(MOST_PIECES / parts, 1);
        const double wanted = elements / (double)PIECE;
        plan->pieces = wanted < (double)most ? (int64_t)wanted : most;
        plan->piece = (total + plan->pieces - 1) / plan->pieces;
        if (!plan->by_column || ordered) {
            const int64_t whole = inside ? run : 4096;
            plan->piece = (plan->piece + whole - 1) / whole * whole;
        }
        plan->pieces = (total + plan->piece - 1) / plan->piece;
    }
    /* `serial` and `group` concern threads only. */
    plan->serial = work <= SERIAL_COST;
    plan->group = work > 0 ? larger(1, (int64_t)((double)plan->segments * SERIAL_COST / (2 * work))) : 1;
}

/* Layouts: the results, then the operand. */
static int64_t shape_reduction(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_reduce *plan = into;
    int64_t reduced[2 * (MOST_DIMS + 1)], kept_dims = 0, reduced_dims = 0;
    if (count < 2 || count > 3)
        return -1;
    const struct layout first = next_layout(&layouts), last = count > 2 ? next_layout(&layouts) : first;
    const struct layout a = next_layout(&layouts);
    int64_t ndim = a.ndim;
    for (int64_t d = 0; d < a.ndim && !form->keepdim; d++)
        ndim -= (int64_t)(form->dims >> d & 1);
    if (a.ndim < 0 || first.ndim != ndim || last.ndim != ndim)
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * 6 * (a.ndim + 1);
    memset(plan, 0, sizeof *plan);
    const int64_t size = form->itemsize, outputs = elements_of(&first), elements = elements_of(&a);
    int whole = is_row_major(&a);
    for (int64_t d = a.ndim - 1, at = first.ndim - 1; d >= 0; d--) {
        const int64_t step = a.strides[d] * size;
        if (form->dims >> d & 1) {
            reduced_dims = add_dim(reduced, reduced_dims, 2, !(form->results & 2), (int64_t[]){a.shape[d], step});
            at -= form->keepdim;
            continue;
        }
        whole = 0;
        const int64_t to = form->results & 1 ? first.strides[at] * form->valuesize : 0;
        const int64_t index = form->results & 2 ? last.strides[at] * INDEX_SIZE : 0;
        kept_dims = add_dim(plan->nest, kept_dims, 4, 1, (int64_t[]){a.shape[d], step, to, index});
        at--;
    }
    plan->kept_dims = (int32_t)merge_dims(plan->nest, kept_dims, 4);
    plan->reduced_dims = (int32_t)merge_dims(reduced, reduced_dims, 2);
    if (whole) { /* one run, also of one element */
        reduced[0] = elements;
        reduced[1] = size;
        plan->reduced_dims = 1;
    }
    plan->outputs = outputs;
    plan->reduced = outputs ? elements / outputs : 0;
    const int64_t *kept = plan->nest;
    plan->by_column = (kept[0] > 1 && kept[1] < reduced[1]) ||
                      (reduced[0] < form->short_row && kept[0] >= WIDE && !(form->vectors && reduced[1] == size));
    const int64_t cost = (plan->by_column ? kept[1] : reduced[1]) == size ? form->cost : larger(form->cost, STRIDED_COST);
    divide(plan, reduced, cost, form->ordered);
    memcpy(plan->nest + 4 * plan->kept_dims, reduced, sizeof *reduced * 2 * (size_t)plan->reduced_dims);
    plan->reducer = form->part;
    plan->number = form->number;
    plan->root = form->root;
    plan->arg_values = form->results & 1 ? 2 : 0;
    plan->arg_indices = form->results & 2 ? (int8_t)count : 0;
    if (plan->pieces > 1)
        *workspace = plan->pieces * outputs * STATE_BYTES;
    return release_at((double)cost * (double)plan->reduced + OUTPUT_COST);
}

FACULA_KERNEL("reduce_shape", shape_reduction, 0, 0)
