/* Runs layer, group and root-mean-square normalization, divides rows by their lengths, and compares rows; layer_norm.inc
   computes rows. The division into tasks does not depend on the number of threads, so results do not either. */
#include "runtime/kernel.h"

#include <string.h>

#include "normalization/layer_norm.cdef.h"

struct work {
    const struct facula_row_norm *plan;
    struct facula_row_norm_operands at;
    char *totals;
};

static void run_task(void *context, int64_t task)
{
    const struct work *work = context;
    const struct facula_row_norm *plan = work->plan;
    const int64_t first = task * plan->each, rest = plan->rows - first;
    double *totals = plan->finish ? (double *)(work->totals + task * plan->task_bytes) : NULL;
    if (totals)
        memset(totals, 0, (size_t)plan->task_bytes);
    plan->run(plan, &work->at, first, rest < plan->each ? rest : plan->each, totals);
}

static int64_t row_norm(const void *plan_, int64_t *args)
{
    const struct facula_row_norm *plan = plan_;
    struct work work = {.plan = plan};
    struct facula_row_norm_operands *at = &work.at;
    char *address[9];
    /* Without the mean there are fewer operands: no bias and, in the forward pass, no mean among the results. */
    const int pairs = plan->by_length == 2, counts[6] = {plan->centred ? 6 : 4, plan->centred ? 8 : 6, 3, 4, 5, 7};
    const int count = counts[2 * plan->by_length + plan->gradient];
    memcpy(address, args + 1, (size_t)count * sizeof *address);
    if (pairs && plan->gradient) {
        at->weight = address[0], at->x = address[1], at->g = address[2], at->bias = address[3];
        at->inverse = address[4], at->mean = address[5], at->o = address[6];
    } else if (pairs) {
        at->x = address[0], at->g = address[1], at->o = address[2], at->inverse = address[3], at->mean = address[4];
    } else if (plan->by_length && plan->gradient) {
        at->g = address[0], at->x = address[1], at->inverse = address[2], at->o = address[3];
    } else if (plan->by_length) {
        at->x = address[0], at->o = address[1], at->inverse = address[2];
    } else if (plan->gradient && plan->centred) {
        at->g = address[0], at->x = address[1], at->mean = address[2], at->inverse = address[3];
        at->weight = address[4], at->o = address[5], at->weight_gradient = address[6], at->bias_gradient = address[7];
    } else if (plan->gradient) {
        at->g = address[0], at->x = address[1], at->inverse = address[2], at->weight = address[3];
        at->o = address[4], at->weight_gradient = address[5];
    } else if (plan->centred) {
        at->x = address[0], at->weight = address[1], at->bias = address[2];
        at->o = address[3], at->mean = address[4], at->inverse = address[5];
    } else {
        at->x = address[0], at->weight = address[1], at->o = address[2], at->inverse = address[3];
    }
    if (plan->gradient && !plan->by_length)
        work.totals = (char *)args[1 + count];
    else if (!plan->gradient)
        memcpy(&at->epsilon, &args[1 + count], sizeof at->epsilon);
    if (plan->serial)
        for (int64_t task = 0; task < plan->tasks; task++)
            run_task(&work, task);
    else
        facula_parallel(plan->tasks, run_task, &work);
    if (plan->finish)
        plan->finish(plan, at, work.totals);
    return FACULA_OK;
}

FACULA_KERNEL("row_norm", row_norm, 0, 0)
