/* Runs the step of an optimizer over any number of parameters. The loops over elements are in sgd_adam.inc (SGD,
   Adam and AdamW) and optimizer_variants.inc (Adamax, NAdam, RAdam, RMSprop, Adagrad, Adadelta, Rprop, ASGD);
   Adafactor has its own files.

   Note [Optimizer steps]
   ~~~~~~~~~~~~~~~~~~~~~~
   A launch has the number of parameters, the numbers (learning rate and so on), and addresses, parameter by
   parameter: the parameter, its gradient, and its optimizer state. Work is split into pieces of equal size
   regardless of tensor boundaries, so that threads share one large tensor or many small ones equally. Each element
   depends only on its own parameter, and loops and their remainders round identically: the boundaries do not affect
   the results. Step counts are incremented before the first piece begins. Other single numbers of a parameter change
   after the last piece has ended (`finish`), so that all pieces read the same values. */
#include <math.h>

#include "elements/optimizer_numbers.h"
#include "optimizers/optimizer.cdef.h"
#include "runtime/kernel.h"

enum { MOST_TENSORS = 8 };

struct work {
    const struct facula_step *plan;
    const double *numbers;
    const int64_t *addresses;
};

/* Returns the parameter that contains element `at`: the first that ends after it. */
static int64_t parameter_at(const struct facula_step *plan, int64_t at)
{
    int64_t low = 0, high = plan->parameters - 1;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (plan->ends[middle] > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static void run_piece(void *context, int64_t index)
{
    const struct work *work = context;
    const struct facula_step *plan = work->plan;
    const int64_t all = plan->ends[plan->parameters - 1], width = plan->operands + plan->kept;
    int64_t at = index * plan->grain, end = at + plan->grain < all ? at + plan->grain : all;
    for (int64_t i = parameter_at(plan, at); at < end; i++) {
        const int64_t *addresses = work->addresses + i * width, start = i ? plan->ends[i - 1] : 0;
        const int64_t to = plan->ends[i] < end ? plan->ends[i] : end;
        char *tensors[MOST_TENSORS];
        for (int64_t k = 0; k < width; k++)
            tensors[k] = (char *)addresses[k] + (k < plan->operands ? (at - start) * plan->itemsize : 0);
        if (to > at)
            plan->update(to - at, tensors, work->numbers);
        at = to;
    }
}

static int64_t optimizer_step(const void *plan_, int64_t *args)
{
    const struct facula_step *plan = plan_;
    const int64_t all = plan->ends[plan->parameters - 1], width = plan->operands + plan->kept;
    struct work work = {plan, (const double *)(args + 1), args + 1 + plan->numbers};
    for (int64_t i = 0; plan->kept && i < plan->parameters; i++)
        *(float *)work.addresses[(i + 1) * width - 1] += 1;
    const int64_t pieces = (all + plan->grain - 1) / plan->grain;
    if (plan->serial)
        for (int64_t index = 0; index < pieces; index++)
            run_piece(&work, index);
    else
        facula_parallel(pieces, run_piece, &work);
    for (int64_t i = 0; plan->finish && i < plan->parameters; i++)
        plan->finish(work.addresses + i * width + plan->operands, work.numbers);
    return FACULA_OK;
}

FACULA_KERNEL("optimizer_step", optimizer_step, 0, 0)

/* Updates the product of the factors of all steps. */
static void nadam_finish(const int64_t *kept, const double *numbers)
{
    const float count = *(const float *)kept[1];
    *(float *)kept[0] *= (float)nadam_factor(numbers, count);
}

FACULA_KERNEL("nadam_step_finish", nadam_finish, 0, 0)

static void asgd_finish(const int64_t *kept, const double *numbers)
{
    const double count = *(const float *)kept[2], rate = numbers[ASGD_RATE];
    *(float *)kept[0] = (float)(rate / pow(1 + numbers[ASGD_LAMBDA] * rate * count, numbers[ASGD_POWER]));
    *(float *)kept[1] = (float)(1 / fmax(1, count - numbers[ASGD_START]));
}

FACULA_KERNEL("asgd_step_finish", asgd_finish, 0, 0)
