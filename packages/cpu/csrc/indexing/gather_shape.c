/* Plans of gathering and scattering for given layouts; see Note [Gathering] in gather.inc. */
#include "indexing/gather.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum { WIDTH = 4, COST = 2500 /* picoseconds per element */, SHORT = 16, WORTH_SHARING = 8, MANY = 64 /* extents */ };

/* Layouts: the result, then the operands. The array, the index and the values have the places of the form; a fourth is
   copied to the array first. */
static int64_t shape_gather(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_gather *plan = into;
    struct layout given[4];
    int64_t dims = 0, longest = 0, split = -1;
    (void)workspace;
    if (count < 3 || count > 4)
        return -1;
    for (int64_t i = 0; i < count; i++)
        given[i] = next_layout(&layouts);
    const struct layout array = given[form->array], index = given[form->index], values = given[form->values];
    const int64_t ndim = array.ndim;
    if (ndim < 1 || index.ndim != ndim || values.ndim != ndim || (form->fresh && !is_row_major(&array)))
        return -1;
    const int64_t size = form->itemsize, dim = (form->dim % ndim + ndim) % ndim;
    for (int64_t d = 0; d < ndim; d++)
        if (index.shape[d] != values.shape[d] || (d != dim && index.shape[d] > array.shape[d]))
            return -1;
    if (count > 3) {
        const struct layout copied = given[6 - form->array - form->index - form->values];
        if (copied.ndim != ndim || !is_row_major(&copied) || memcmp(copied.shape, array.shape, sizeof *array.shape * (size_t)ndim))
            return -1;
    }
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * WIDTH * (ndim + 1);
    memset(plan, 0, sizeof *plan);
    for (int64_t d = ndim - 1; d >= 0; d--)
        dims = add_dim(plan->nest, dims, WIDTH, 0,
                       (int64_t[]){index.shape[d], d == dim ? 0 : array.strides[d] * size, 8 * index.strides[d],
                                   values.strides[d] * size});
    dims = merge_dims(plan->nest, dims, WIDTH);
    const int64_t *nest = plan->nest;
    for (int64_t d = 0; d < dims; d++) {
        const int64_t extent = nest[WIDTH * d];
        if (extent > nest[WIDTH * longest])
            longest = d;
        /* Targets along it are distinct. The outermost dimension that has enough entries keeps tasks on separate memory. */
        if ((nest[WIDTH * d + 1] || form->option == FACULA_GATHER) &&
            (split < 0 || extent >= MANY || extent > nest[WIDTH * split]))
            split = d;
    }
    plan->size = array.shape[dim];
    plan->step = array.strides[dim] * size;
    plan->clear = form->fresh ? elements_of(&array) * size : 0;
    plan->mode = (int32_t)form->option;
    plan->itemsize = (int32_t)size;
    plan->dtype = (int32_t)form->dtype;
    plan->dims = (int32_t)dims;
    plan->inner = nest[0] < SHORT && nest[WIDTH * longest] >= 4 * nest[0] ? (int32_t)longest : 0;
    plan->split = split >= 0 && nest[WIDTH * split] >= WORTH_SHARING ? (int32_t)split : -1;
    const double work = (double)elements_of(&index) * COST + (double)plan->clear * 10;
    const int64_t results = elements_of(&given[0]);
    plan->serial = work <= SERIAL_COST;
    return release_at(work / (double)(results ? results : 1));
}

FACULA_KERNEL("gather_shape", shape_gather, 0, 0)
