/* The nest of an elementwise kernel: the fewest dimensions that visit the same elements. */

#include <string.h>

#include "launch.h"

enum { MAX_DIMENSIONS = 64 }; /* of a layout */

struct dimension {
    int64_t extent, step[MAX_ARRAYS];
};

/* Sort the dimensions by the output's steps, innermost first, so that neighbouring threads write neighbouring elements;
   return their number. */
static int64_t sort_dimensions(const struct facula_cuda_elementwise *form, int64_t ndim, const int64_t *shape,
                               const int64_t *strides, struct dimension *dims)
{
    const int32_t arrays = form->arrays, inputs = arrays - form->outputs;
    int64_t count = 0;
    for (int64_t d = ndim - 1; d >= 0; d--) {
        struct dimension dim = {shape[d], {0}};
        int64_t place = count;
        if (shape[d] == 1)
            continue;
        for (int32_t i = 0; i < arrays; i++)
            dim.step[i] = strides[(i < inputs ? i : inputs) * ndim + d] * form->itemsize[i];
        for (; place && dims[place - 1].step[arrays - 1] > dim.step[arrays - 1]; place--)
            dims[place] = dims[place - 1];
        dims[place] = dim;
        count++;
    }
    return count;
}

/* Make one dimension of neighbours that are one for every array; return the number that remains. */
static int64_t merge_dimensions(int32_t arrays, int64_t count, struct dimension *dims)
{
    int64_t merged = 0;
    for (int64_t d = 0; d < count; d++) {
        int single = merged > 0;
        for (int32_t i = 0; single && i < arrays; i++)
            single = dims[d].step[i] == dims[merged - 1].step[i] * dims[merged - 1].extent;
        if (single)
            dims[merged - 1].extent *= dims[d].extent;
        else
            dims[merged++] = dims[d];
    }
    return merged;
}

int64_t facula_cuda_nest(void *into, const void *form, int64_t ndim, const int64_t *shape, const int64_t *strides)
{
    struct facula_cuda_elementwise *plan = into;
    struct dimension dims[MAX_DIMENSIONS];
    if (!plan)
        return (int64_t)sizeof *plan;
    memcpy(plan, form, sizeof *plan);
    const int32_t arrays = plan->arrays;
    const int64_t count = merge_dimensions(arrays, sort_dimensions(plan, ndim, shape, strides, dims), dims);
    if (count > MAX_NEST)
        return -1;
    memset(plan->nest, 0, sizeof plan->nest);
    plan->nest[0] = count;
    for (int64_t d = 0; d < count; d++) {
        plan->nest[1 + d] = dims[d].extent;
        memcpy(plan->nest + 1 + MAX_NEST + d * arrays, dims[d].step, 8 * (size_t)arrays);
    }
    return (int64_t)1 << 62;
}

int64_t facula_cuda_shape(void *into, const void *form, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const int64_t ndim = layouts[0], *shape = layouts + 1;
    int64_t strides[MAX_ARRAYS * MAX_DIMENSIONS];
    (void)workspace;
    if (!into)
        return facula_cuda_nest(NULL, form, ndim, shape, NULL);
    if (count > MAX_ARRAYS)
        return -1;
    const int64_t *layout = layouts;
    for (int64_t i = 0; i < count; i++, layout += 1 + 2 * layout[0]) {
        const int64_t own = layout[0], *extents = layout + 1, *steps = extents + own;
        int64_t *to = strides + (i ? i - 1 : count - 1) * ndim; /* the output is the last one */
        if (own > ndim)
            return -1;
        for (int64_t d = 0; d < ndim; d++) {
            const int64_t at = d - (ndim - own), extent = at < 0 ? 1 : extents[at];
            if (extent != shape[d] && extent != 1)
                return -1;
            to[d] = at < 0 || extent != shape[d] ? 0 : steps[at];
        }
    }
    return facula_cuda_nest(into, form, ndim, shape, strides);
}
