/* Runs Adafactor's step over any number of parameters, one parameter per task; adafactor.inc computes it.

   Unlike the steps that optimizer.c runs, the change of an element depends on its whole parameter, through means
   along rows and columns and the total size. So a parameter is never split. */
#include "optimizers/adafactor.cdef.h"
#include "optimizers/adafactor_numbers.h"
#include "runtime/kernel.h"

enum { MOST_TENSORS = 5 };

struct work {
    const struct facula_adafactor *plan;
    const double *numbers;
    const int64_t *addresses;
};

static void run_parameter(void *context, int64_t index)
{
    const struct work *work = context;
    const struct facula_adafactor *plan = work->plan;
    const int64_t *addresses = work->addresses + index * plan->width;
    char *tensors[MOST_TENSORS];
    for (int64_t k = 0; k < plan->width; k++)
        tensors[k] = (char *)addresses[k];
    *(float *)tensors[plan->width - 1] += 1;
    plan->update(plan->sizes + 3 * index, tensors, work->numbers);
}

static int64_t adafactor_run(const void *plan_, int64_t *args)
{
    const struct facula_adafactor *plan = plan_;
    struct work work = {plan, (const double *)(args + 1), args + 1 + ADAFACTOR_NUMBERS};
    if (plan->serial)
        for (int64_t index = 0; index < plan->parameters; index++)
            run_parameter(&work, index);
    else
        facula_parallel(plan->parameters, run_parameter, &work);
    return FACULA_OK;
}

FACULA_KERNEL("adafactor_run", adafactor_run, 0, 0)
