/* Plans of taking and putting by index for given layouts; see Note [Indexing] in index.inc. */
#include "indexing/index.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum { WIDTH = 3, INDEX_COST = 4000, BYTE_COST = 50 /* picoseconds: per index and row, and per byte moved */ };

/* Write the dimensions of `shape`, innermost first and merged where possible; return their number. `steps` are of the
   array or the index, `size` bytes each, and of the values. With a key, dimensions are ordered by that number. */
static int64_t add_level(int64_t *nest, int64_t ndim, const int64_t *shape, const int64_t *strides, int64_t size,
                         const int64_t *value_strides, int64_t value_size, int key)
{
    int64_t dims = 0;
    for (int64_t d = ndim - 1; d >= 0; d--)
        dims = add_dim(nest, dims, WIDTH, key, (int64_t[]){shape[d], strides[d] * size, value_strides[d] * value_size});
    return merge_dims(nest, dims, WIDTH);
}

static int64_t product(const int64_t *shape, int64_t ndim)
{
    return elements_of(&(struct layout){ndim, shape, NULL});
}

/* Layouts: the result, then the operands, in which the array and the values have the places of the form. */
static int64_t shape_index(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_index *plan = into;
    struct layout given[3];
    (void)workspace;
    if (count != 3)
        return -1;
    for (int i = 0; i < 3; i++)
        given[i] = next_layout(&layouts);
    const struct layout array = given[form->array], index = given[form->index], values = given[form->values];
    if (array.ndim < 1 || index.ndim < 0 || values.ndim != array.ndim - 1 + index.ndim ||
        (form->fresh && !is_row_major(&array)))
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * WIDTH * (array.ndim + index.ndim + 2);
    memset(plan, 0, sizeof *plan);
    const int64_t size = form->itemsize, dim = (form->dim % array.ndim + array.ndim) % array.ndim;
    const int64_t rest = array.ndim - dim - 1, *inner = array.shape + dim + 1;
    int64_t *nest = plan->nest;
    plan->outer_dims = (int32_t)add_level(nest, dim, array.shape, array.strides, size, values.strides, size, 0);
    nest += WIDTH * plan->outer_dims;
    plan->index_dims =
        (int32_t)add_level(nest, index.ndim, index.shape, index.strides, 8, values.strides + dim, size, 0);
    nest += WIDTH * plan->index_dims;
    plan->inner_dims = (int32_t)add_level(nest, rest, inner, array.strides + dim + 1, size,
                                          values.strides + dim + index.ndim, size, 2);
    plan->size = array.shape[dim];
    plan->step = array.strides[dim] * size;
    plan->lowest = form->negative ? -plan->size : 0;
    plan->skip = form->option;
    plan->clear = form->fresh ? elements_of(&array) * size : 0;
    plan->count = elements_of(&index);
    plan->outer = product(array.shape, dim);
    plan->inner = product(inner, rest);
    plan->itemsize = (int32_t)size;
    plan->dtype = (int32_t)form->dtype;
    plan->accumulate = form->flag;
    const double each = INDEX_COST + (double)plan->inner * (double)(size * BYTE_COST);
    const double work = (double)plan->outer * (double)plan->count * each + (double)plan->clear * (BYTE_COST / 4.0);
    const int64_t results = elements_of(&given[0]);
    plan->serial = work <= SERIAL_COST;
    plan->group = (int64_t)(SERIAL_COST / (2 * each));
    if (plan->group < 1)
        plan->group = 1;
    return release_at(work / (double)(results ? results : 1));
}

FACULA_KERNEL("index_shape", shape_index, 0, 0)
