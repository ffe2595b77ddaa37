/* Runs a loop over operands of any strides: the two kernels behind every elementwise plan.

   Note [Elementwise]
   ~~~~~~~~~~~~~~~~~~
   A plan names a loop and a nest of dimensions, merged and ordered for the output (nest.c). Plans for different lengths
   and strides differ only in the nest. Elements are numbered along the nest, innermost dimension first, and pieces
   [from, to) of that numbering are the unit of parallel work. Each element is computed by the same operations wherever
   the pieces are cut, so the number of threads never changes a result.

   A scalar becomes an operand with step 0. Starting a run of a few elements costs more than computing it, so short runs
   of operands that repeat are first copied into one longer run (`run_blocks`). Operands that are contiguous along
   another dimension than the output are transposed tile by tile (`run_turned`).

   Note [Programs]
   ~~~~~~~~~~~~~~~
   An operator that combines others is a program: loops of the kernel table in order. Each reads operands, constants
   (step 0) and tiles, and writes a tile, or a result. The tiles of a program fit in the L1 cache together, and are
   reused after their last read. float16 and bfloat16 operands are handled in the same way: loops that convert to
   float32 come first and those that convert back last, so half types need no loops of their own. Values that depend
   only on single elements (scalars, operands that broadcast) are computed once per tile. The planner lets an
   instruction write a result only if no later one reads an operand, which may be the same memory.

   The result may be reduced (a loss, and its mean): then it is never stored as a whole. Pieces depend only on the
   number of elements, and their states are joined in order, as in Note [Reductions]. */
#include "elementwise/elementwise.h"

#include <string.h>

#include "copies/transposing_copy.cdef.h"
#include "elementwise/scalars.h"
#include "loops/tiles.h"
#include "reductions/reduce.cdef.h"

/* Shared by the pieces of a launch. */
struct work {
    const struct facula_elementwise *plan;
    const int64_t *address;
    int64_t total, grain;
    int *failed; /* set if a requirement does not hold */
    char *states; /* of the reducer, one for each piece */
};

/* Whether any of n bools is false. */
static int any_false(int64_t n, int64_t address, int64_t step)
{
    int found = 0;
    for (int64_t i = 0; i < n; i++)
        found |= !*(const uint8_t *)(address + i * step);
    return found;
}

/* One run along the innermost dimension, tile by tile. */
static void run_program(struct work *work, int64_t n, const int64_t *address, const int64_t *step)
{
    const struct facula_program *program = work->plan->program;
    char tiles[TILES_ROOM] __attribute__((aligned(64)));
    int64_t at[MOST_OPERANDS + MOST_CONSTANTS + MOST_TILES], by[MOST_OPERANDS + MOST_CONSTANTS + MOST_TILES];
    const int operands = work->plan->operands, first_tile = operands + program->constants;
    for (int i = 0; i < operands; i++) {
        at[i] = address[i];
        by[i] = step[i];
    }
    for (int i = 0; i < program->constants; i++) {
        at[operands + i] = (int64_t)(program->constant + LARGEST_ITEM * i);
        by[operands + i] = 0;
    }
    for (int i = 0; i < program->tiles; i++)
        at[first_tile + i] = (int64_t)(tiles + (int64_t)program->room * i);
    for (;;) {
        const int64_t count = n < program->length ? n : program->length;
        const struct facula_instruction *one = program->instruction, *end = one + program->instructions;
        for (; one < end; one++) {
            int64_t from[MOST_READ], steps[MOST_READ], moves = 0;
            const int last = one->values - 1;
            for (int i = 0; i < last; i++) {
                from[i] = at[one->value[i]];
                moves |= steps[i] = by[one->value[i]];
            }
            if (!one->loop) {
                if (any_false(moves ? count : 1, from[0], steps[0]))
                    __atomic_store_n(work->failed, 1, __ATOMIC_RELAXED);
                continue;
            }
            const int value = one->value[last];
            from[last] = at[value];
            if (one->tile) {
                steps[last] = program->itemsize[value - first_tile];
                by[value] = moves ? steps[last] : 0;
            } else {
                steps[last] = by[value];
            }
            one->loop(one->tile && !moves ? 1 : count, from, steps);
        }
        if (!(n -= count))
            return;
        for (int i = 0; i < operands; i++)
            at[i] += count * by[i];
    }
}

static ALWAYS_INLINE void run_loops(struct work *work, int64_t n, const int64_t *address, const int64_t *step)
{
    if (work->plan->program)
        run_program(work, n, address, step);
    else
        work->plan->loop(n, address, step);
}

/* Operands with strided elements are copied through tiles, so that loops read and write contiguous elements: vector
   instructions need these, and a program reads an operand several times. */
static void run_apart(struct work *work, int64_t n, const int64_t *address, const int64_t *steps)
{
    const struct facula_elementwise *plan = work->plan;
    const int operands = plan->operands, inputs = operands - plan->results;
    char room[TILES_ROOM] __attribute__((aligned(64)));
    int64_t at[MOST_OPERANDS], from[MOST_OPERANDS], step[MOST_OPERANDS];
    char *next = room;
    for (int i = 0; i < operands; i++) {
        from[i] = at[i] = address[i];
        step[i] = steps[i];
        if (plan->apart >> i & 1) {
            at[i] = (int64_t)next;
            next += (size_t)plan->chunk * plan->itemsize[i];
            step[i] = plan->itemsize[i];
        }
    }
    for (int64_t done = 0; done < n; done += plan->chunk) {
        const int64_t count = n - done < plan->chunk ? n - done : plan->chunk;
        for (int i = 0; i < inputs; i++)
            if (plan->apart >> i & 1)
                move_elements(count, plan->itemsize[i], from[i], plan->nest[1 + i], at[i], step[i]);
        run_loops(work, count, at, step);
        for (int i = 0; i < operands; i++) {
            if (!(plan->apart >> i & 1))
                at[i] += count * step[i];
            else if (plan->reducer && i == inputs)
                plan->reducer->rows(work->states, 1, (const char *)at[i], 0, count, step[i], 0);
            else if (i >= inputs)
                move_elements(count, plan->itemsize[i], at[i], step[i], from[i], plan->nest[1 + i]);
            from[i] += count * steps[i];
        }
    }
}

static ALWAYS_INLINE void run_steps(struct work *work, int64_t n, const int64_t *address, const int64_t *steps)
{
    if (work->plan->apart)
        run_apart(work, n, address, steps);
    else
        run_loops(work, n, address, steps);
}

static ALWAYS_INLINE void run_inner_loop(struct work *work, int64_t n, const int64_t *address)
{
    run_steps(work, n, address, work->plan->nest + 1);
}

#include "elementwise/runs.inc"

/* `count` complete runs along the innermost dimension, one for each step of the next. Advances `at`. */
static void run_inner_loops(struct work *work, int64_t count, int64_t *at)
{
    const struct facula_elementwise *plan = work->plan;
    const int operands = plan->operands;
    const int64_t extent = plan->nest[0], *outer = plan->nest + 2 + operands;
    if (plan->turned) {
        run_turned(work, count, at);
        return;
    }
    int64_t done = plan->block && count >= 2 * plan->block ? run_blocks(work, count, at) : 0;
    for (; done < count; done++) {
        run_inner_loop(work, extent, at);
        for (int i = 0; i < operands; i++)
            at[i] += outer[i];
    }
}

/* Elements [from, to) of the nest. */
static void run_piece(struct work *work, int64_t from, int64_t to)
{
    const struct facula_elementwise *plan = work->plan;
    const int operands = plan->operands, dims = plan->dims, stride = 1 + operands;
    const int64_t *inner = plan->nest, *outer = inner + stride;
    int64_t index[MOST_DIMS], at[MOST_OPERANDS], rest = from;
    for (int i = 0; i < operands; i++)
        at[i] = work->address[i];
    for (int d = 0; d < dims; d++) {
        const int64_t *dim = inner + d * stride;
        index[d] = d == dims - 1 ? rest : rest % dim[0];
        rest = d == dims - 1 ? 0 : rest / dim[0];
        for (int i = 0; i < operands; i++)
            at[i] += index[d] * dim[1 + i];
    }
    while (from < to) {
        /* The rest of a run, or as many complete runs as possible before a further dimension advances. */
        if (dims == 1 || index[0] || to - from < inner[0]) {
            int64_t count = inner[0] - index[0] < to - from ? inner[0] - index[0] : to - from;
            run_inner_loop(work, count, at);
            from += count;
            if (from == to)
                return;
            for (int i = 0; i < operands; i++)
                at[i] += outer[1 + i] - index[0] * inner[1 + i];
            index[0] = 0;
            index[1]++;
        } else {
            int64_t runs = (to - from) / inner[0];
            if (runs > outer[0] - index[1])
                runs = outer[0] - index[1];
            run_inner_loops(work, runs, at);
            from += runs * inner[0];
            index[1] += runs;
        }
        for (int d = 1; d < dims - 1 && index[d] == inner[d * stride]; d++) {
            const int64_t *dim = inner + d * stride, *next = dim + stride;
            for (int i = 0; i < operands; i++)
                at[i] += next[1 + i] - dim[0] * dim[1 + i];
            index[d] = 0;
            index[d + 1]++;
        }
    }
}

static void run_dense_piece(struct work *work, int64_t from, int64_t to)
{
    int64_t at[MOST_OPERANDS];
    for (int i = 0; i < work->plan->operands; i++)
        at[i] = work->address[i] + from * work->plan->nest[1 + i];
    run_inner_loop(work, to - from, at);
}

static void run_task(void *context, int64_t index)
{
    struct work *work = context;
    int64_t from = index * work->grain, to = from + work->grain < work->total ? from + work->grain : work->total;
    if (work->plan->dims)
        run_piece(work, from, to);
    else
        run_dense_piece(work, from, to);
}

/* A piece consists of complete cache lines of any output, which no two threads write to, or of enough rows for tiles of
   transposed operands. */
static int64_t make_pieces(struct work *work, int64_t pieces, int64_t least)
{
    const int64_t grain = (work->total + pieces - 1) / pieces;
    const int64_t unit = work->plan->turned ? TURNED_ROWS * work->plan->nest[0] : TILE;
    work->grain = ((grain < least ? least : grain) + unit - 1) / unit * unit;
    return (work->total + work->grain - 1) / work->grain;
}

static int64_t run(const struct facula_elementwise *plan, const int64_t *address, int64_t total)
{
    int failed = 0;
    struct work work = {plan, address, total, total, &failed, NULL};
    if (total <= plan->serial) {
        if (total > 0)
            run_task(&work, 0);
    } else {
        /* Pieces are small enough that a delayed thread does not delay the others, and large enough to be worth
           distributing. */
        const int64_t pieces = make_pieces(&work, (int64_t)facula_threads() * 8, plan->grain);
        facula_parallel(pieces, run_task, &work);
    }
    return failed ? FACULA_REQUIRED : FACULA_OK;
}

/* A piece, reduced into a separate state. */
static void fold_task(void *context, int64_t index)
{
    struct work own = *(struct work *)context;
    own.states += index * MOST_STATE;
    own.plan->reducer->start(own.states, 1);
    run_task(&own, index);
}

static int64_t fold(const struct facula_elementwise *plan, const int64_t *address)
{
    enum { MOST_PIECES = 64, LEAST_PIECE = 1 << 14 };
    const struct facula_reducer *reducer = plan->reducer;
    char states[MOST_PIECES * MOST_STATE] __attribute__((aligned(64)));
    char *result = (char *)address[plan->operands - 1];
    int failed = 0;
    struct work work = {plan, address, 1, 1, &failed, states};
    for (int32_t d = 0; d < (plan->dims ? plan->dims : 1); d++)
        work.total *= plan->nest[d * (1 + plan->operands)];
    const int64_t pieces = make_pieces(&work, MOST_PIECES, LEAST_PIECE);
    if (!work.total)
        reducer->start(states, 1);
    else if (work.total <= plan->serial)
        for (int64_t index = 0; index < pieces; index++)
            fold_task(&work, index);
    else
        facula_parallel(pieces, fold_task, &work);
    if (failed)
        return FACULA_REQUIRED;
    for (int64_t index = 1; index < pieces; index++)
        reducer->join(states, states + index * MOST_STATE, 1);
    reducer->finish(states, 1, result, plan->itemsize[plan->operands - 1]);
    if (plan->mean && plan->dtype[plan->operands - 1] == FLOAT32)
        *(float *)result /= (float)work.total;
    else if (plan->mean)
        *(double *)result /= (double)work.total;
    return FACULA_OK;
}

/* ------------------------------------------------------------------------------------------------------- kernels */
/* Arrays only, contiguous, of one shape and of any size: the addresses are used in the given order. */
static int64_t elementwise_dense(const void *plan_, int64_t *args)
{
    const struct facula_elementwise *plan = plan_;
    if (args[0] > plan->serial)
        return run(plan, args + 1, args[0]);
    if (args[0]) /* an address may be NULL without elements */
        plan->loop(args[0], args + 1, plan->nest + 1);
    return FACULA_OK;
}

/* The same for a program. */
static int64_t program_dense(const void *plan_, int64_t *args)
{
    return run(plan_, args + 1, args[0]);
}

/* All other operands: scalars, strides, broadcasting. */
int64_t elementwise_any(const void *plan_, int64_t *args)
{
    const struct facula_elementwise *plan = plan_;
    union element scalars[MOST_OPERANDS];
    int64_t address[MOST_OPERANDS];
    for (int i = 0; i < plan->operands; i++) {
        const int64_t *argument = args + plan->argument[i];
        if (plan->scalar[i]) {
            store_scalar(&scalars[i], plan->dtype[i], plan->scalar[i], argument);
            address[i] = (int64_t)&scalars[i];
        } else {
            address[i] = *argument;
        }
    }
    return plan->reducer ? fold(plan, address) : run(plan, address, args[0]);
}

FACULA_KERNEL("elementwise_dense", elementwise_dense, 0, 0)
FACULA_KERNEL("program_dense", program_dense, 0, 0)
FACULA_KERNEL("elementwise", elementwise_any, 0, 0)
