/* Runs kernels that need a complete line of elements: sorts, scans, and gathers and scatters along a dimension.

   Note [Lines]
   ~~~~~~~~~~~~
   A kernel receives adjacent lines, so that it may process them together (`by_column`: the lines are closer together
   than the elements of a line), and allocates its scratch space once for all of them. Other threads may change
   memory while it runs: a kernel checks each address after its last read. */
#include "runtime/kernel.h"

#include <stdatomic.h>

#include "lines/lines.cdef.h"

struct work {
    const struct facula_lines *plan;
    char *at[4];
    _Atomic int64_t status;
};

static void run_segment(struct work *work, int64_t number)
{
    const struct facula_lines *plan = work->plan;
    const int64_t *dims = plan->nest, in_row = (dims[0] + plan->segment - 1) / plan->segment;
    const int64_t start = number % in_row * plan->segment;
    const int64_t count = dims[0] - start < plan->segment ? dims[0] - start : plan->segment;
    char *at[4];
    int64_t rest = number / in_row;
    for (int k = 0; k < 4; k++)
        at[k] = work->at[k] + start * dims[1 + k];
    for (int d = 1; d < plan->dims; d++) {
        const int64_t *dim = dims + 5 * d, index = rest % dim[0];
        rest /= dim[0];
        for (int k = 0; k < 4; k++)
            at[k] += index * dim[1 + k];
    }
    const int64_t status = plan->run(plan, at, count);
    if (status)
        atomic_store(&work->status, status);
}

static void run_task(void *context, int64_t number)
{
    struct work *work = context;
    const int64_t first = number * work->plan->group, end = first + work->plan->group;
    for (int64_t i = first; i < end && i < work->plan->segments; i++)
        run_segment(work, i);
}

static int64_t lines(const void *plan_, int64_t *args)
{
    const struct facula_lines *plan = plan_;
    struct work work = {.plan = plan, .status = FACULA_OK};
    for (int k = 0; k < 4; k++)
        work.at[k] = (char *)args[1 + (k < plan->operands ? k : 0)] + plan->start[k];
    const int64_t tasks = (plan->segments + plan->group - 1) / plan->group;
    if (plan->serial)
        for (int64_t number = 0; number < tasks; number++)
            run_task(&work, number);
    else
        facula_parallel(tasks, run_task, &work);
    const int64_t status = atomic_load(&work.status);
    if (status)
        args[0] = status == FACULA_MEMORY ? plan->n[0] * 16 : 0;
    return status;
}

FACULA_KERNEL("lines", lines, 0, 0)
