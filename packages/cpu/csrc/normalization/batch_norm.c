/* Runs batch normalization over channels; batch_norm.inc computes them. One task processes a whole channel, so results
   do not depend on the number of threads. */
#include "runtime/kernel.h"

#include <string.h>

#include "normalization/batch_norm.cdef.h"

struct work {
    const struct facula_batch_norm *plan;
    struct facula_norm_operands at;
};

static void run_group(void *context, int64_t task)
{
    const struct work *work = context;
    const struct facula_batch_norm *plan = work->plan;
    const int64_t first = task * plan->group, rest = plan->channels - first;
    plan->run(plan, &work->at, first, rest < plan->group ? rest : plan->group);
}

static double real_argument(int64_t argument)
{
    double value;
    memcpy(&value, &argument, sizeof value);
    return value;
}

static int64_t batch_norm(const void *plan_, int64_t *args)
{
    const struct facula_batch_norm *plan = plan_;
    struct work work = {.plan = plan};
    struct facula_norm_operands *at = &work.at;
    static const int addresses[] = {8, 6, 8, 9};
    char *address[10];
    for (int i = 1; i <= addresses[plan->form]; i++)
        address[i] = (char *)args[i];
    if (plan->form == 2) {
        at->g = address[1], at->x = address[2], at->kept_mean = address[3], at->kept_inverse = address[4];
        at->weight = address[5], at->o = address[6], at->weight_gradient = address[7], at->bias_gradient = address[8];
    } else if (plan->form == 3) { /* the running statistics become the means over `count` batches and this one */
        at->x = address[1], at->weight = address[2], at->bias = address[3], at->mean = address[4];
        at->variance = address[5], at->o = address[7], at->kept_mean = address[8], at->kept_inverse = address[9];
        at->momentum = 1.0 / ((double)*(const int64_t *)address[6] + 1);
        at->epsilon = real_argument(args[10]);
    } else {
        at->x = address[1], at->weight = address[2], at->bias = address[3], at->mean = address[4];
        at->variance = address[5], at->o = address[6];
        if (plan->form == 0) {
            at->kept_mean = address[7], at->kept_inverse = address[8];
            at->momentum = real_argument(args[9]);
        }
        at->epsilon = real_argument(args[plan->form == 0 ? 10 : 7]);
    }
    const int64_t tasks = (plan->channels + plan->group - 1) / plan->group;
    if (plan->serial || facula_threads() == 1) {
        if (plan->channels)
            plan->run(plan, at, 0, plan->channels);
    } else
        facula_parallel(tasks, run_group, &work);
    return FACULA_OK;
}

FACULA_KERNEL("batch_norm", batch_norm, 0, 0)
