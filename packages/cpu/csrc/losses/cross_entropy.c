/* Runs cross entropy and the negative log likelihood over rows; cross_entropy.inc computes a row.

   Note [Classes]
   ~~~~~~~~~~~~~~
   All targets are checked before any write: one that is out of range is reported with its position. The check also
   adds up their weights, which the mean requires. Losses are added in groups of rows that do not depend on the
   number of threads, in double precision. The gradient uses only the operands of the forward pass: it needs the
   exponentials in any case, and their sum is a byproduct. */
#include "runtime/kernel.h"

#include <string.h>

#include "losses/cross_entropy.cdef.h"

enum { MOST_TASKS = 64 };

struct work {
    const struct facula_cross_entropy *plan;
    const char *x, *target, *weight, *g;
    char *o;
    int64_t ignored;
    double smoothing, weights, total;
    double *sums; /* of the losses of each task */
};

struct place {
    const char *x;
    int64_t target, loss, gradient; /* offsets in bytes */
};

static double number_at(const struct work *work, const char *address)
{
    return work->plan->itemsize == 4 ? *(const float *)address : *(const double *)address;
}

static double weight_of(const struct work *work, int64_t class)
{
    return work->weight ? number_at(work, work->weight + class * work->plan->itemsize) : 1;
}

/* Returns the place of a row, and the number of rows that follow it at equal steps, those of the first dimension. */
static struct place locate(const struct work *work, int64_t row, int64_t *run)
{
    struct place at = {work->x, 0, 0, 0};
    const int count = work->plan->dims;
    *run = count > 1 ? work->plan->nest[0] - row % work->plan->nest[0] : work->plan->rows - row;
    for (int d = 0; d < count; d++) {
        const int64_t *dim = work->plan->nest + 5 * d, index = d == count - 1 ? row : row % dim[0];
        row = d == count - 1 ? 0 : row / dim[0];
        at.x += index * dim[1];
        at.target += index * dim[2];
        at.loss += index * dim[3];
        at.gradient += index * dim[4];
    }
    return at;
}

/* Checks the targets and adds up their weights. */
static int64_t check_targets(struct work *work, int64_t *args)
{
    const int64_t rows = work->plan->rows, classes = work->plan->classes, ignored = work->ignored;
    const int64_t step = work->plan->dims ? work->plan->nest[2] : 0;
    double total = 0;
    int64_t counted = 0;
    for (int64_t row = 0, run; row < rows; row += run) {
        const char *at = work->target + locate(work, row, &run).target;
        for (int64_t i = 0; i < run; i++) {
            const int64_t target = *(const int64_t *)(at + i * step);
            if (target == ignored)
                continue;
            if (target < 0 || target >= classes) {
                args[0] = target;
                args[1] = row + i;
                args[2] = classes;
                args[3] = ignored;
                return FACULA_TARGET;
            }
            counted++;
            if (work->weight)
                total += weight_of(work, target);
        }
    }
    work->total = work->weight ? total : (double)counted;
    work->weights = 0;
    for (int64_t class = 0; work->smoothing && class < classes; class++)
        work->weights += weight_of(work, class);
    return FACULA_OK;
}

static void write_number(const struct work *work, char *address, double value)
{
    if (work->plan->itemsize == 4)
        *(float *)address = (float)value;
    else
        *(double *)address = value;
}

static void run_rows(void *context, int64_t task)
{
    struct work *work = context;
    const struct facula_cross_entropy *plan = work->plan;
    const int64_t end = (task + 1) * plan->group < plan->rows ? (task + 1) * plan->group : plan->rows;
    struct facula_class_rows rows; /* not cleared: its arrays are long */
    rows.weight = work->weight;
    rows.classes = plan->classes;
    rows.step = plan->x_step;
    rows.smoothing = work->smoothing;
    rows.weights = work->weights;
    const int64_t none[5] = {0}, *step = plan->dims ? plan->nest : none;
    char *to[FACULA_STRIP];
    double number[FACULA_STRIP], sum = 0; /* per row: the factor of its gradient, then its loss */
    int64_t run = 0;
    struct place at;
    for (int64_t i = task * plan->group; i < end;) {
        for (rows.count = 0; i < end && rows.count < FACULA_STRIP; i++, run--) {
            if (!run)
                at = locate(work, i, &run);
            const int64_t k = rows.count++, target = *(const int64_t *)(work->target + at.target);
            rows.x[k] = at.x;
            rows.target[k] = target == work->ignored ? -1 : target;
            to[k] = work->o + (plan->gradient ? at.gradient : at.loss);
            if (plan->gradient)
                number[k] = number_at(work, work->g + at.loss) / (plan->mean ? work->total : 1);
            at.x += step[1];
            at.target += step[2];
            at.loss += step[3];
            at.gradient += step[4];
        }
        if (plan->gradient) {
            plan->kernel->gradients(&rows, number, to, plan->o_step);
            continue;
        }
        plan->kernel->losses(&rows, number);
        for (int64_t k = 0; k < rows.count; k++) {
            if (plan->each)
                write_number(work, to[k], number[k]);
            sum += number[k];
        }
    }
    work->sums[task] = sum;
}

static int64_t cross_entropy(const void *plan_, int64_t *args)
{
    const struct facula_cross_entropy *plan = plan_;
    const int64_t *given = args + 1 + plan->gradient;
    double sums[MOST_TASKS];
    struct work work = {.plan = plan, .x = (const char *)given[0], .target = (const char *)given[1],
                        .weight = (const char *)given[2], .g = (const char *)args[1], .o = (char *)given[3],
                        .ignored = given[4], .sums = sums};
    memcpy(&work.smoothing, &given[5], sizeof work.smoothing);
    const int64_t status = check_targets(&work, args);
    if (status)
        return status;
    const int64_t tasks = (plan->rows + plan->group - 1) / plan->group;
    if (plan->serial)
        for (int64_t task = 0; task < tasks; task++)
            run_rows(&work, task);
    else
        facula_parallel(tasks, run_rows, &work);
    if (plan->gradient || plan->each)
        return FACULA_OK;
    double sum = 0;
    for (int64_t task = 0; task < tasks; task++)
        sum += sums[task];
    write_number(&work, work.o, plan->mean ? sum / work.total : sum);
    return FACULA_OK;
}

FACULA_KERNEL("cross_entropy", cross_entropy, 0, 0)
