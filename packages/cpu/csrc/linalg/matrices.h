/* Tasks of operators on matrices of any strides, each the work of one thread. */
#pragma once
#include <stdatomic.h>
#include <string.h>

#include "linalg/elimination.cdef.h"
#include "linalg/loops.h"
#include "runtime/kernel.h"

enum {
    MOST_OPERANDS = 5,
    PREPARED = MOST_OPERANDS, /* a further place: what `prepare` computed for this matrix, or NULL */
    MOST_LANES = 16,
    PREPARED_BYTES = 1 << 14,
    SMALL = 8, /* rows of a matrix that is prepared with others; it has twice as many columns, sides included */
};

/* Computes the result of one matrix, and returns a status. `places` are the addresses of the operands: those of A and B
   point to this matrix, the others to the first. */
typedef int64_t (*matrix_function)(const struct facula_elimination *plan, int64_t matrix, char *const *places);

/* Computes a part of the results of several small matrices at once: `size` bytes for each at `results`. */
typedef void (*prepare_function)(const struct facula_elimination *plan, int inputs, char *(*places)[PREPARED + 1],
                                 char *results);
struct preparation {
    prepare_function prepare; /* NULL: none */
    int lanes;
    int64_t size;
};

#define UNPREPARED ((struct preparation){NULL, 1, 0})

struct elimination_work {
    const struct facula_elimination *plan;
    matrix_function compute;
    struct preparation preparation;
    char *const *places;
    int64_t itemsize;
    int inputs;
    _Atomic int64_t status;
};

static void eliminate_task(void *context, int64_t task)
{
    struct elimination_work *work = context;
    const struct facula_elimination *plan = work->plan;
    const struct preparation *preparation = &work->preparation;
    const int64_t first = task * plan->group, end = plan->matrices - first < plan->group ? plan->matrices : first + plan->group;
    const int is_small = preparation->prepare && plan->rows <= SMALL && plan->columns + plan->sides <= 2 * SMALL;
    char prepared[PREPARED_BYTES] __attribute__((aligned(64)));
    char *places[MOST_LANES][PREPARED + 1];
    for (int64_t i = first, count; i < end; i += count) {
        count = is_small && end - i >= preparation->lanes ? preparation->lanes : 1;
        for (int64_t lane = 0; lane < count; lane++) {
            int64_t rest = i + lane;
            memcpy(places[lane], work->places, MOST_OPERANDS * sizeof **places);
            places[lane][PREPARED] = count > 1 ? prepared + lane * preparation->size : NULL;
            for (int64_t d = 0; d < plan->batch_dims; d++) {
                const int64_t *dim = plan->nest + 4 * d, index = d < plan->batch_dims - 1 ? rest % dim[0] : rest;
                for (int input = 0; input < work->inputs; input++)
                    places[lane][input] += index * dim[1 + input] * work->itemsize;
                rest = d < plan->batch_dims - 1 ? rest / dim[0] : 0;
            }
        }
        if (count > 1)
            preparation->prepare(plan, work->inputs, places, prepared);
        for (int64_t lane = 0; lane < count; lane++) {
            const int64_t status = work->compute(plan, i + lane, places[lane]);
            if (status != FACULA_OK)
                work->status = status;
        }
    }
}

/* `operands` counts the arrays, `inputs` those with the strides of A or B. */
static int64_t eliminate_all(const struct facula_elimination *plan, const int64_t *args, matrix_function compute,
                             struct preparation preparation, int64_t itemsize, int inputs, int operands)
{
    char *places[MOST_OPERANDS] = {0};
    memcpy(places, args + 1, (size_t)operands * sizeof *places);
    struct elimination_work work = {plan, compute, preparation, places, itemsize, inputs, FACULA_OK};
    const int64_t tasks = (plan->matrices + plan->group - 1) / plan->group;
    if (plan->serial || plan->matrices == 1) /* a large matrix divides its own updates */
        for (int64_t task = 0; task < tasks; task++)
            eliminate_task(&work, task);
    else
        facula_parallel(tasks, eliminate_task, &work);
    return work.status;
}
