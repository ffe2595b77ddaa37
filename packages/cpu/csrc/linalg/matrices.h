/* Tasks of operators on matrices of any strides, each the work of one thread. */
#pragma once
#include <stdatomic.h>
#include <string.h>

#include "linalg/elimination.cdef.h"
#include "linalg/loops.h"
#include "runtime/kernel.h"

enum { MOST_OPERANDS = 5 };

/* Computes the result of one matrix, and returns a status. `places` are the addresses of the operands: those of A and B
   point to this matrix, the others to the first. */
typedef int64_t (*matrix_function)(const struct facula_elimination *plan, int64_t matrix, char *const *places);

struct elimination_work {
    const struct facula_elimination *plan;
    matrix_function compute;
    char *const *places;
    int64_t itemsize;
    int inputs;
    _Atomic int64_t status;
};

static void eliminate_task(void *context, int64_t task)
{
    struct elimination_work *work = context;
    const int64_t first = task * work->plan->group, all = work->plan->matrices;
    for (int64_t i = first; i < all && i < first + work->plan->group; i++) {
        char *places[MOST_OPERANDS];
        memcpy(places, work->places, sizeof places);
        int64_t rest = i;
        for (int64_t d = 0; d < work->plan->batch_dims; d++) {
            const int64_t *dim = work->plan->nest + 4 * d;
            for (int input = 0; input < work->inputs; input++)
                places[input] += rest % dim[0] * dim[1 + input] * work->itemsize;
            rest /= dim[0];
        }
        const int64_t status = work->compute(work->plan, i, places);
        if (status != FACULA_OK)
            work->status = status;
    }
}

/* `operands` counts the arrays, `inputs` those with the strides of A or B. */
static int64_t eliminate_all(const struct facula_elimination *plan, const int64_t *args, matrix_function compute,
                             int64_t itemsize, int inputs, int operands)
{
    char *places[MOST_OPERANDS] = {0};
    memcpy(places, args + 1, (size_t)operands * sizeof *places);
    struct elimination_work work = {plan, compute, places, itemsize, inputs, FACULA_OK};
    const int64_t tasks = (plan->matrices + plan->group - 1) / plan->group;
    if (plan->serial || plan->matrices == 1) /* a large matrix divides its own updates */
        for (int64_t task = 0; task < tasks; task++)
            eliminate_task(&work, task);
    else
        facula_parallel(tasks, eliminate_task, &work);
    return work.status;
}
