/* Plans of transposing copies for given layouts; none where tiles are not worthwhile. */
#include <stdlib.h>

#include "copies/transposing_copy.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum {
    WORTH_TILES = 4, /* the minimum of both dimensions, or */
    LONG = 64,       /* of one of them if the other is long and is read or written without gaps */
    LINE = 64,       /* bytes of a cache line; and the minimum number of rows of a task: full lines for any dtype */
    TASK = 8192,     /* approximate elements of a task */
    DIM = 3,         /* extent, steps of source and target in bytes */
};

/* Return the one of `dims` that is transposed against the first; 0 if there is none for which tiles are worthwhile. */
static int64_t find_rows(const int64_t *dims, int64_t count, int64_t itemsize)
{
    const int64_t columns = dims[0], column_step = llabs(dims[1]);
    int64_t at = 0, least = 0;
    for (int64_t d = 0; d < count; d++) {
        const int64_t step = llabs(dims[DIM * d + 1]);
        if (step && (!least || step < least)) {
            least = step;
            at = d;
        }
    }
    if (dims[2] != itemsize || !column_step || least >= LINE)
        return 0;
    const int64_t rows = dims[DIM * at], shorter = rows < columns ? rows : columns;
    return shorter >= WORTH_TILES || rows >= LONG || (columns >= LONG && column_step == rows * least) ? at : 0;
}

/* Layouts: the result, and the operand, which broadcasts to it; then dimensions along which it is read in reverse order,
   if there are any. */
static int64_t shape_transposing(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_transpose *plan = into;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    const int64_t size = form->itemsize, to_size = form->sizes[1], missing = o.ndim - a.ndim;
    int64_t dims = 0, source = 0, target = 0;
    uint64_t turned = 0;
    (void)workspace;
    if (count > 3 || o.ndim < 1 || a.ndim < 0 || missing < 0)
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * DIM * o.ndim;
    if (count > 2) {
        const struct numbers given = next_numbers(&layouts);
        for (int64_t i = 0; i < given.count; i++)
            turned |= (uint64_t)1 << given.values[i];
    }
    for (int64_t d = o.ndim - 1; d >= 0; d--) {
        const int64_t extent = o.shape[d], own = d < missing ? 1 : a.shape[d - missing];
        int64_t step = own == 1 ? 0 : a.strides[d - missing] * size;
        if (!extent || (own != extent && own != 1))
            return -1;
        if (turned >> d & 1) {
            source += (extent - 1) * step;
            step = -step;
        }
        dims = add_dim(plan->nest, dims, DIM, 2, (int64_t[]){extent, step, o.strides[d] * to_size});
    }
    dims = merge_dims(plan->nest, dims, DIM);
    const int64_t at = find_rows(plan->nest, dims, to_size), *rows = plan->nest + DIM * at;
    if (!at)
        return -1;
    plan->columns = plan->nest[0];
    plan->source_step = plan->nest[1];
    plan->rows = rows[0];
    plan->source_row = rows[1];
    plan->target_step = rows[2];
    if (rows[1] < 0) { /* reverse the target instead: tiles are read forwards */
        source += (rows[0] - 1) * rows[1];
        target = (rows[0] - 1) * rows[2];
        plan->source_row = -rows[1];
        plan->target_step = -rows[2];
    }
    plan->source_start = source;
    plan->target_start = target;
    plan->dims = dims - 2; /* the others */
    memmove(plan->nest, plan->nest + DIM, sizeof *plan->nest * (size_t)(DIM * (at - 1)));
    memmove(plan->nest + DIM * (at - 1), rows + DIM, sizeof *plan->nest * (size_t)(DIM * (dims - at - 1)));
    int64_t cost = form->cost;
    plan->block = (facula_transpose_block)(intptr_t)form->part;
    plan->cast = plan->round = NULL;
    if (form->flag || plan->source_row != size) {
        plan->cast = (facula_loop)(intptr_t)form->cast;
        plan->round = (facula_loop)(intptr_t)form->round;
        cost += form->option;
    }
    plan->gather = plan->cast && plan->source_row == size && size <= to_size;
    plan->band = TASK / plan->columns / LINE * LINE;
    if (plan->band < LINE)
        plan->band = LINE;
    plan->bands = (plan->rows + plan->band - 1) / plan->band;
    plan->serial = (int64_t)SERIAL_COST / cost;
    return release_at((double)cost);
}

FACULA_KERNEL("transposing_shape", shape_transposing, 0, 0)
