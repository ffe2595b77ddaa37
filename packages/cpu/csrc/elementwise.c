/* Runs a loop over operands of any strides: the two kernels behind every elementwise plan.

   Note [Elementwise]
   ~~~~~~~~~~~~~~~~~~
   A plan names a loop and a nest of dimensions, merged and ordered for the output (elementwise_nest.c), by which plans for
   different lengths and strides differ, and by nothing else.
   Elements are numbered along the nest, innermost dimension first, and pieces [from, to) of that numbering are the unit
   of parallel work. Each element is computed by the same operations wherever the pieces are cut, so the number of
   threads never changes a result.

   A scalar becomes an operand with step 0. float16 and bfloat16 operands are converted tile by tile to float32, and the
   float32 loop runs on the tiles: they need no loops of their own, and get the fast ones. Runs of a few elements cost
   more to begin than to compute, so those that repeat are laid side by side first (`run_blocks`). */
#include "elementwise.h"

#include <string.h>

#include "scalars.h"

/* One run along the innermost dimension, with half-precision operands converted on the way. */
static void run_converted(const struct facula_elementwise *plan, int64_t n, const int64_t *address, const int64_t *step)
{
    float tile[MOST_OPERANDS][TILE] __attribute__((aligned(64)));
    const int output = plan->operands - 1;
    for (int64_t done = 0; done < n; done += TILE) {
        int64_t count = n - done < TILE ? n - done : TILE, at[MOST_OPERANDS], by[MOST_OPERANDS];
        for (int i = 0; i < plan->operands; i++) {
            at[i] = address[i] + done * step[i];
            by[i] = step[i];
            if (!plan->convert[i])
                continue;
            int64_t from_to[2] = {at[i], (int64_t)tile[i]}, steps[2] = {step[i], sizeof(float)};
            at[i] = (int64_t)tile[i];
            by[i] = step[i] ? (int64_t)sizeof(float) : 0;
            if (i != output)
                plan->convert[i](step[i] ? count : 1, from_to, steps);
        }
        plan->loop(count, at, by);
        if (plan->convert[output]) {
            int64_t from_to[2] = {(int64_t)tile[output], address[output] + done * step[output]};
            int64_t steps[2] = {sizeof(float), step[output]};
            plan->convert[output](count, from_to, steps);
        }
    }
}

static ALWAYS_INLINE void run_inner_loop(const struct facula_elementwise *plan, int64_t n, const int64_t *address, int converts)
{
    const int64_t *step = plan->nest + 1;
    if (converts)
        run_converted(plan, n, address, step);
    else
        plan->loop(n, address, step);
}

/* Short runs, some operands the same in each (a bias): these are repeated in a tile, and many runs are one. Gives the
   number of runs done, and moves `at` along; what is left is no whole block. */
static int64_t run_blocks(const struct facula_elementwise *plan, int64_t count, int64_t *at, int converts)
{
    char tile[MOST_REPEATS][TILE * LARGEST_ITEM] __attribute__((aligned(64)));
    int64_t block_at[MOST_OPERANDS], done = 0;
    const int operands = plan->operands;
    const int64_t extent = plan->nest[0], *inner = plan->nest + 1, *outer = plan->nest + 2 + operands;
    for (int i = 0, next = 0; i < operands; i++) {
        if (!(plan->repeats >> i & 1))
            continue;
        const size_t run = (size_t)(extent * inner[i]), whole = run * (size_t)plan->block;
        char *into = tile[next++];
        memcpy(into, (const char *)at[i], run);
        for (size_t filled = run; filled < whole; filled *= 2)
            memcpy(into + filled, into, filled < whole - filled ? filled : whole - filled);
        block_at[i] = (int64_t)into;
    }
    for (; count - done >= plan->block; done += plan->block) {
        for (int i = 0; i < operands; i++) {
            if (plan->repeats >> i & 1)
                continue;
            block_at[i] = at[i];
            at[i] += outer[i] * plan->block;
        }
        run_inner_loop(plan, extent * plan->block, block_at, converts);
    }
    return done;
}

/* `count` whole runs along the innermost dimension, one for each step of the next. Moves `at` along. */
static void run_inner_loops(const struct facula_elementwise *plan, int64_t count, int64_t *at, int converts)
{
    const int operands = plan->operands;
    const int64_t extent = plan->nest[0], *inner = plan->nest + 1, *outer = plan->nest + 2 + operands;
    int64_t done = plan->block && count >= 2 * plan->block ? run_blocks(plan, count, at, converts) : 0;
    for (; done < count; done++) {
        if (converts)
            run_converted(plan, extent, at, inner);
        else
            plan->loop(extent, at, inner);
        for (int i = 0; i < operands; i++)
            at[i] += outer[i];
    }
}

/* Elements [from, to) of the nest. */
static void run_piece(const struct facula_elementwise *plan, const int64_t *address, int converts, int64_t from,
                      int64_t to)
{
    const int operands = plan->operands, dims = plan->dims, stride = 1 + operands;
    const int64_t *inner = plan->nest, *outer = inner + stride;
    int64_t index[MOST_DIMS], at[MOST_OPERANDS], rest = from;
    for (int i = 0; i < operands; i++)
        at[i] = address[i];
    for (int d = 0; d < dims; d++) {
        const int64_t *dim = inner + d * stride;
        index[d] = d == dims - 1 ? rest : rest % dim[0];
        rest = d == dims - 1 ? 0 : rest / dim[0];
        for (int i = 0; i < operands; i++)
            at[i] += index[d] * dim[1 + i];
    }
    while (from < to) {
        /* What is left of a run, or as many whole runs as there are before a further dimension moves on. */
        if (dims == 1 || index[0] || to - from < inner[0]) {
            int64_t count = inner[0] - index[0] < to - from ? inner[0] - index[0] : to - from;
            run_inner_loop(plan, count, at, converts);
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
            run_inner_loops(plan, runs, at, converts);
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

struct work {
    const struct facula_elementwise *plan;
    const int64_t *address;
    int64_t total, grain;
    int converts;
};

static void run_dense_piece(const struct work *work, int64_t from, int64_t to)
{
    int64_t at[MOST_OPERANDS];
    for (int i = 0; i < work->plan->operands; i++)
        at[i] = work->address[i] + from * work->plan->nest[1 + i];
    run_inner_loop(work->plan, to - from, at, work->converts);
}

static void run_task(void *context, int64_t index)
{
    const struct work *work = context;
    int64_t from = index * work->grain, to = from + work->grain < work->total ? from + work->grain : work->total;
    if (work->plan->dims)
        run_piece(work->plan, work->address, work->converts, from, to);
    else
        run_dense_piece(work, from, to);
}

static void run(const struct facula_elementwise *plan, const int64_t *address, int64_t total, int converts)
{
    struct work work = {plan, address, total, total, converts};
    if (total <= plan->serial) {
        if (total > 0)
            run_task(&work, 0);
        return;
    }
    /* Pieces small enough that a delayed thread holds nobody up, and no smaller than is worth handing out. Whole cache
       lines of any output: no two threads write to one. */
    int64_t pieces = (int64_t)facula_threads() * 8;
    work.grain = (total + pieces - 1) / pieces;
    if (work.grain < plan->grain)
        work.grain = plan->grain;
    work.grain = (work.grain + 63) / 64 * 64;
    facula_parallel((total + work.grain - 1) / work.grain, run_task, &work);
}

/* ------------------------------------------------------------------------------------------------------- kernels */
/* Arrays only, contiguous, of one shape and of any size: the addresses are taken as they come. */
static int64_t elementwise_dense(const void *plan_, int64_t *args)
{
    const struct facula_elementwise *plan = plan_;
    if (args[0] > plan->serial)
        run(plan, args + 1, args[0], 0);
    else if (args[0]) /* nothing may lie at no address */
        plan->loop(args[0], args + 1, plan->nest + 1);
    return FACULA_OK;
}

/* Everything else: scalars, half precision, strides, broadcasting. */
static int64_t elementwise(const void *plan_, int64_t *args)
{
    const struct facula_elementwise *plan = plan_;
    union element scalars[MOST_OPERANDS];
    int64_t address[MOST_OPERANDS];
    int converts = 0;
    for (int i = 0; i < plan->operands; i++) {
        const int64_t *argument = args + plan->argument[i];
        if (plan->scalar[i]) {
            store_scalar(&scalars[i], plan->dtype[i], plan->scalar[i], argument);
            address[i] = (int64_t)&scalars[i];
        } else {
            address[i] = *argument;
        }
        converts |= plan->convert[i] != 0;
    }
    run(plan, address, args[0], converts);
    return FACULA_OK;
}

/* ------------------------------------------------------------------------------------------- quotients of integers */
#define ANY_ZERO(T)                                                                                                    \
    for (int64_t i = 0; i < n; i++)                                                                                    \
        zeros |= *(const T *)(address + i * step) == 0

/* Whether any of n integers is zero. */
static int any_zero(int dtype, int64_t n, int64_t address, int64_t step)
{
    int zeros = 0;
    if (!step && n > 1)
        n = 1;
    switch (dtype) {
    case INT16: ANY_ZERO(int16_t); break;
    case INT32: ANY_ZERO(int32_t); break;
    case INT64: ANY_ZERO(int64_t); break;
    default: ANY_ZERO(int8_t); break;
    }
    return zeros;
}

/* The same of the second operand, over the first n elements of dimensions 0 to `dim` of the nest. */
static int zero_in_nest(const struct facula_elementwise *plan, int64_t n, int64_t dim, int64_t address)
{
    const int64_t stride = 1 + plan->operands, step = plan->nest[dim * stride + 2];
    if (!dim)
        return any_zero(plan->dtype[1], n, address, step);
    int64_t inner = 1;
    for (int64_t d = 0; d < dim; d++)
        inner *= plan->nest[d * stride];
    for (int64_t i = 0; i < (step ? n / inner : 1); i++)
        if (zero_in_nest(plan, inner, dim - 1, address + i * step))
            return 1;
    return 0;
}

/* What divides integers: the second operand is looked through for zeros before anything is written. */
static int64_t elementwise_quotient(const void *plan_, int64_t *args)
{
    const struct facula_elementwise *plan = plan_;
    const int64_t n = args[0], divisor = args[plan->argument[1]];
    if (!n)
        return FACULA_OK;
    if (plan->scalar[1] ? !divisor
        : plan->dims    ? zero_in_nest(plan, n, plan->dims - 1, divisor)
                        : any_zero(plan->dtype[1], n, divisor, plan->nest[2]))
        return FACULA_DIVISOR;
    return elementwise(plan, args);
}

FACULA_KERNEL("elementwise_dense", elementwise_dense, 0, 0)
FACULA_KERNEL("elementwise", elementwise, 0, 0)
FACULA_KERNEL("elementwise_quotient", elementwise_quotient, 0, 0)
