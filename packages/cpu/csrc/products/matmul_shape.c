/* Plans of products of matrices for given layouts. */
#include "products/matmul.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

/* A matrix: its rows, columns and strides. */
struct matrix {
    int64_t rows, columns, row, column;
};

/* The matrices of a layout with at least two dimensions. */
static struct matrix matrix_of(const struct layout *layout, int turned)
{
    const int64_t last = layout->ndim - 1;
    const struct matrix matrix = {layout->shape[last - 1], layout->shape[last], layout->strides[last - 1],
                                  layout->strides[last]};
    if (turned)
        return (struct matrix){matrix.columns, matrix.rows, matrix.column, matrix.row};
    return matrix;
}

/* The stride along a batch dimension, which is `before` the last one; 0 where the operand broadcasts. */
static int64_t batch_step(const struct layout *layout, int64_t before)
{
    const int64_t d = layout->ndim - 3 - before;
    return d < 0 || layout->shape[d] == 1 ? 0 : layout->strides[d];
}

static int64_t whole(int64_t step)
{
    return step ? step : 1;
}

/* Layouts: o, a, b and a bias that may be omitted. a may be one row (k), and b one column (k); o then lacks that
   dimension. A bias must be contiguous. */
static int64_t shape_product(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_matmul *plan = into;
    if (count < 3 || count > 4)
        return -1;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts), b = next_layout(&layouts);
    const struct layout bias = count > 3 ? next_layout(&layouts) : (struct layout){-1, NULL, NULL};
    int64_t *nest = plan ? plan->nest : NULL, dims = 0, rest = o.ndim;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * 4 * (o.ndim + 1);
    if (a.ndim < 1 || b.ndim < 1 || o.ndim < (a.ndim > 1) + (b.ndim > 1) || (bias.ndim >= 0 && !is_row_major(&bias)))
        return -1;
    memset(plan, 0, sizeof *plan);
    const struct matrix left = a.ndim > 1 ? matrix_of(&a, form->a_turned) : (struct matrix){1, a.shape[0], 0, a.strides[0]};
    const struct matrix right = b.ndim > 1 ? matrix_of(&b, form->b_turned) : (struct matrix){b.shape[0], 1, b.strides[0], 0};
    plan->m = left.rows;
    plan->n = right.columns;
    plan->k = left.columns;
    plan->a_row = left.row;
    plan->a_col = left.column;
    plan->b_row = right.row;
    plan->b_col = right.column;
    if (b.ndim > 1)
        plan->o_col = o.strides[--rest];
    if (a.ndim > 1)
        plan->o_row = o.strides[--rest];
    for (int64_t before = 0; before < rest; before++) {
        const int64_t d = rest - 1 - before;
        dims = add_dim(nest, dims, 4, 0,
                       (int64_t[]){o.shape[d], batch_step(&a, before), batch_step(&b, before), o.strides[d]});
    }
    if (dims)
        dims = merge_dims(nest, dims, 4);
    /* One b for all rows of all batches: merge them into one taller product. */
    while (dims && !nest[2] && (plan->m == 1 || (nest[1] == plan->m * plan->a_row && nest[3] == plan->m * plan->o_row))) {
        if (plan->m == 1) {
            plan->a_row = nest[1];
            plan->o_row = nest[3];
        }
        plan->m *= nest[0];
        memmove(nest, nest + 4, sizeof *nest * 4 * (size_t)--dims);
    }
    /* Strides of dimensions of one element are irrelevant: choose values that look contiguous. */
    if (plan->m == 1) {
        plan->a_row = whole(plan->a_col * plan->k);
        plan->o_row = whole(plan->o_col * plan->n);
    }
    if (plan->k == 1) {
        plan->a_col = 1;
        plan->b_row = whole(plan->b_col * plan->n);
    }
    if (plan->n == 1)
        plan->b_col = plan->o_col = 1;
    plan->batches = 1;
    for (int64_t d = 0; d < dims; d++)
        plan->batches *= nest[4 * d];
    plan->batch_dims = (int32_t)dims;
    plan->arg_a = 1;
    plan->arg_b = 2;
    plan->arg_bias = bias.ndim >= 0 ? 3 : 0;
    plan->arg_o = (int8_t)count; /* a bias that is omitted also has an address */
    const double cost = (double)form->cost * (double)plan->k;
    ((facula_matmul_planner)form->part)(plan, facula_threads());
    *workspace = plan->workspace;
    return release_at(cost);
}

FACULA_KERNEL("matmul_shape", shape_product, 0, 0)
