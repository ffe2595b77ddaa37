/* Positions in two merged dimensions, of positions in the first one and in the second one. Negative ones count from the
   end. Others that are out of range are found by the signs of differences, without branches: vectors compute all. */
#include "runtime/kernel.h"

#include <stdatomic.h>

#include "indexing/index.cdef.h"
#include "runtime/library.cdef.h"
#include "runtime/vector.h"

struct merging {
    const struct facula_merge *plan;
    const char *first, *second;
    int64_t *o;
    int64_t rows;
    _Atomic int is_wrong;
};

/* Returns a negative number if a position is out of range. */
static ALWAYS_INLINE int64_t merge_run(const struct facula_merge *plan, const char *first, int64_t first_step, const char *second,
                                       int64_t second_step, int64_t *restrict o)
{
    const int64_t n = plan->nest[0], size = plan->size, length = plan->length;
    int64_t signs = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t a = *(const int64_t *)(first + i * first_step), b = *(const int64_t *)(second + i * second_step);
        a += a >> 63 & size;
        b += b >> 63 & length;
        signs |= a | b | (int64_t)((uint64_t)size - 1 - (uint64_t)a) | (int64_t)((uint64_t)length - 1 - (uint64_t)b);
        o[i] = (int64_t)((uint64_t)a * (uint64_t)length + (uint64_t)b);
    }
    return signs;
}

static void merge_rows(void *context, int64_t task)
{
    struct merging *work = context;
    const struct facula_merge *plan = work->plan;
    const int64_t n = plan->nest[0], first_step = plan->nest[1], second_step = plan->nest[2];
    const int64_t begin = task * plan->group, end = work->rows - begin < plan->group ? work->rows : begin + plan->group;
    int64_t signs = 0;
    for (int64_t row = begin; row < end; row++) {
        const char *a = work->first, *b = work->second;
        int64_t rest = row, *o = work->o + row * n;
        for (int32_t d = 1; d < plan->dims; d++) {
            const int64_t *dim = plan->nest + 3 * d;
            a += rest % dim[0] * dim[1];
            b += rest % dim[0] * dim[2];
            rest /= dim[0];
        }
        if (first_step == 8 && second_step == 8)
            signs |= merge_run(plan, a, 8, b, 8, o);
        else if (first_step == 0 && second_step == 8)
            signs |= merge_run(plan, a, 0, b, 8, o);
        else
            signs |= merge_run(plan, a, first_step, b, second_step, o);
    }
    if (signs < 0)
        atomic_store_explicit(&work->is_wrong, 1, memory_order_relaxed);
}

/* args: n, positions in the first dimension, in the second, in both. */
static int64_t merged_positions(const void *plan_, int64_t *args)
{
    const struct facula_merge *plan = plan_;
    struct merging work = {.plan = plan, .first = (const char *)args[1], .second = (const char *)args[2],
                           .o = (int64_t *)args[3], .rows = plan->nest[0] > 0};
    for (int32_t d = 1; d < plan->dims; d++)
        work.rows *= plan->nest[3 * d];
    const int64_t tasks = (work.rows + plan->group - 1) / plan->group;
    if (plan->serial)
        for (int64_t task = 0; task < tasks; task++)
            merge_rows(&work, task);
    else
        facula_parallel(tasks, merge_rows, &work);
    return atomic_load_explicit(&work.is_wrong, memory_order_relaxed) ? FACULA_REQUIRED : FACULA_OK;
}

FACULA_KERNEL("merged_positions", merged_positions, 0, 0)
