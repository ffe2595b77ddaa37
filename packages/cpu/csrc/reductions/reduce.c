/* Runs reductions over operands of any strides; a reducer (reduce.inc) defines the operation.

   Note [Reductions]
   ~~~~~~~~~~~~~~~~~
   Outputs are computed in segments, neighbours along the first kept dimension. If that dimension is the densest in
   memory, a segment is reduced row by row (`by_column`: each output is a column); otherwise each output is reduced
   separately along the first reduced dimension.

   With few outputs and many elements, the reduced elements are split into pieces, reduced in parallel, and their states
   joined in order. Pieces depend only on shapes, so results do not depend on the number of threads.

   Sums: a lane adds at most a few dozen elements before it is added to a state, which has twice the precision (float32:
   a double; float64: a sum and its rounding error). So errors are close to those of pairwise summation. */
#include "runtime/kernel.h"

#include <stddef.h>

#include "reductions/reduce.cdef.h"
#include "runtime/library.cdef.h"

enum { MOST_DIMS = 64, MOST_SEGMENT = 512, MOST_STATE = 32, TASKS_PER_THREAD = 8 };

struct work {
    const struct facula_reduce *plan;
    const char *a;
    char *values, *indices;
    char *states; /* of all outputs, one piece after another */
    int64_t parts, run; /* number of parts, and number of parts in a task */
};

/* Reduces the elements [from, to) of the reduced dimensions into each of `count` states, whose elements are `step`
   bytes from one another. */
static void fold(const struct facula_reduce *plan, char *states, int64_t count, const char *a, int64_t step,
                 int64_t from, int64_t to)
{
    const int64_t *dims = plan->nest + 4 * plan->kept_dims;
    int64_t index[MOST_DIMS], rest = from;
    if (from >= to)
        return; /* avoids a division by the length 0 */
    for (int d = 0; d < plan->reduced_dims; d++) {
        index[d] = rest % dims[2 * d];
        rest /= dims[2 * d];
        a += index[d] * dims[2 * d + 1];
    }
    while (from < to) {
        int64_t run = dims[0] - index[0];
        if (run > to - from)
            run = to - from;
        if (plan->by_column)
            plan->reducer->column(states, count, a, step, run, dims[1], from);
        else
            plan->reducer->rows(states, count, a, step, run, dims[1], from);
        from += run;
        a -= index[0] * dims[1];
        index[0] = 0;
        for (int d = 1; d < plan->reduced_dims; d++) {
            a += dims[2 * d + 1];
            if (++index[d] < dims[2 * d])
                break;
            a -= index[d] * dims[2 * d + 1];
            index[d] = 0;
        }
    }
}

/* The position of a segment: the index of its first output, its number of outputs, and the addresses. */
struct place {
    int64_t first, count;
    const char *a;
    char *values, *indices;
};

static struct place find_segment(const struct work *work, int64_t number)
{
    const struct facula_reduce *plan = work->plan;
    const int64_t *dims = plan->nest;
    const int64_t in_row = (dims[0] + plan->segment - 1) / plan->segment;
    const int64_t start = number % in_row * plan->segment;
    int64_t rest = number / in_row;
    struct place place = {rest * dims[0] + start, dims[0] - start, work->a + start * dims[1],
                          work->values + start * dims[2], work->indices + start * dims[3]};
    if (place.count > plan->segment)
        place.count = plan->segment;
    for (int d = 1; d < plan->kept_dims; d++) {
        const int64_t *dim = dims + 4 * d, index = rest % dim[0];
        rest /= dim[0];
        place.a += index * dim[1];
        place.values += index * dim[2];
        place.indices += index * dim[3];
    }
    return place;
}

static void deliver(const struct work *work, const struct place *place, const char *states)
{
    const struct facula_reduce *plan = work->plan;
    if (plan->reducer->finish_with)
        plan->reducer->finish_with(states, place->count, place->values, plan->nest[2], plan->number, plan->root);
    else if (plan->arg_values)
        plan->reducer->finish(states, place->count, place->values, plan->nest[2]);
    if (plan->arg_indices)
        plan->reducer->finish_index(states, place->count, place->indices, plan->nest[3]);
}

static void fold_segment(const struct work *work, int64_t number, int64_t piece)
{
    const struct facula_reduce *plan = work->plan;
    const struct facula_reducer *reducer = plan->reducer;
    const int64_t from = piece * plan->piece;
    const int64_t to = from + plan->piece < plan->reduced ? from + plan->piece : plan->reduced;
    const struct place place = find_segment(work, number);
    char own[MOST_SEGMENT * MOST_STATE] __attribute__((aligned(64)));
    char *states = own;
    if (plan->pieces > 1)
        states = work->states + (piece * plan->outputs + place.first) * reducer->state_bytes;
    if (reducer->start_with)
        reducer->start_with(states, place.count, plan->number);
    else
        reducer->start(states, place.count);
    fold(plan, states, place.count, place.a, plan->nest[1], from, to);
    if (plan->pieces == 1)
        deliver(work, &place, states);
}

static void run_part(const struct work *work, int64_t number)
{
    const struct facula_reduce *plan = work->plan;
    const int64_t piece = number % plan->pieces, first = number / plan->pieces * plan->group;
    for (int64_t i = first; i < first + plan->group && i < plan->segments; i++)
        fold_segment(work, i, piece);
}

/* Runs consecutive parts, so that a thread reads memory in long runs. */
static void run_task(void *context, int64_t number)
{
    const struct work *work = context;
    for (int64_t i = number * work->run; i < (number + 1) * work->run && i < work->parts; i++)
        run_part(work, i);
}

static int64_t reduce(const void *plan_, int64_t *args)
{
    const struct facula_reduce *plan = plan_;
    const struct facula_reducer *reducer = plan->reducer;
    if (!plan->outputs)
        return FACULA_OK;
    const int last = plan->arg_indices > plan->arg_values ? plan->arg_indices : plan->arg_values;
    struct work work = {
        .plan = plan,
        .a = (const char *)args[1],
        .values = plan->arg_values ? (char *)args[plan->arg_values] : NULL,
        .indices = plan->arg_indices ? (char *)args[plan->arg_indices] : NULL,
        .states = plan->pieces > 1 ? (char *)args[last + 1] : NULL,
    };
    work.parts = (plan->segments + plan->group - 1) / plan->group * plan->pieces;
    if (plan->serial)
        for (int64_t number = 0; number < work.parts; number++)
            run_part(&work, number);
    else {
        const int64_t run = work.parts / (TASKS_PER_THREAD * facula_threads());
        work.run = run > 1 ? run : 1;
        facula_parallel((work.parts + work.run - 1) / work.run, run_task, &work);
    }
    if (plan->pieces == 1)
        return FACULA_OK;
    const int64_t bytes = reducer->state_bytes;
    for (int64_t piece = 1; piece < plan->pieces; piece++)
        reducer->join(work.states, work.states + piece * plan->outputs * bytes, plan->outputs);
    for (int64_t number = 0; number < plan->segments; number++) {
        const struct place place = find_segment(&work, number);
        deliver(&work, &place, work.states + place.first * bytes);
    }
    return FACULA_OK;
}

FACULA_KERNEL("reduce", reduce, 0, 0)
