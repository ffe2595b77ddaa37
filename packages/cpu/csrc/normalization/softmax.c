/* Runs softmax and related operators over operands with any strides; softmax.inc computes rows. */
#include "runtime/kernel.h"

#include <stddef.h>

#include "normalization/softmax.cdef.h"

struct work {
    const struct facula_softmax *plan;
    const char *x, *y;
    char *o;
};

static void run_segment(const struct work *work, int64_t number)
{
    const struct facula_softmax *plan = work->plan;
    const int64_t *dims = plan->nest, in_row = (dims[0] + plan->segment - 1) / plan->segment;
    const int64_t start = number % in_row * plan->segment;
    const int64_t count = dims[0] - start < plan->segment ? dims[0] - start : plan->segment;
    struct facula_rows rows = {
        plan->n, plan->fold,
        work->x + start * dims[1], work->y + start * dims[2], work->o + start * dims[3],
        plan->x_step, plan->y_step, plan->o_step,
    };
    int64_t rest = number / in_row;
    for (int d = 1; d < plan->dims; d++) {
        const int64_t *dim = dims + 4 * d, index = rest % dim[0];
        rest /= dim[0];
        rows.x += index * dim[1];
        rows.y += index * dim[2];
        rows.o += index * dim[3];
    }
    (plan->by_column ? plan->kernel->column : plan->kernel->row)(&rows, count, dims[1], dims[2], dims[3]);
}

static void run_task(void *context, int64_t number)
{
    const struct work *work = context;
    const int64_t first = number * work->plan->group, end = first + work->plan->group;
    for (int64_t i = first; i < end && i < work->plan->segments; i++)
        run_segment(work, i);
}

static int64_t softmax(const void *plan_, int64_t *args)
{
    const struct facula_softmax *plan = plan_;
    struct work work = {plan, (const char *)args[1], plan->operands > 2 ? (const char *)args[2] : NULL,
                        (char *)args[plan->operands]};
    const int64_t tasks = plan->n ? (plan->segments + plan->group - 1) / plan->group : 0;
    if (plan->serial)
        for (int64_t number = 0; number < tasks; number++)
            run_task(&work, number);
    else
        facula_parallel(tasks, run_task, &work);
    return FACULA_OK;
}

FACULA_KERNEL("rows", softmax, 0, 0)
