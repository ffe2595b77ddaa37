/* The nest of an elementwise kernel: the fewest dimensions that visit the same elements. */

#include <string.h>

#include "launch.h"

enum { MAX_DIMENSIONS = 64 };

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

int64_t facula_cuda_shape(void *into, const void *form, int64_t ndim, const int64_t *shape, const int64_t *strides)
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
