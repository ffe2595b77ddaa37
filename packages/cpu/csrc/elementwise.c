/* Runs a loop over operands of any strides: the two kernels behind every elementwise plan.

   Note [Elementwise]
   ~~~~~~~~~~~~~~~~~~
   A plan names a loop and a nest of dimensions, merged and ordered for the output (`shape_plan`), by which plans for
   different lengths and strides differ, and by nothing else.
   Elements are numbered along the nest, innermost dimension first, and pieces [from, to) of that numbering are the unit
   of parallel work. Each element is computed by the same operations wherever the pieces are cut, so the number of
   threads never changes a result.

   A scalar becomes an operand with step 0. float16 and bfloat16 operands are converted tile by tile to float32, and the
   float32 loop runs on the tiles: they need no loops of their own, and get the fast ones. Rows of a few elements cost
   more to begin than to compute, so those that repeat are laid side by side first (`run_blocks`). */
#include "kernel.h"

#include <complex.h>
#include <string.h>

#include "half.h"

enum { MOST_OPERANDS = 6, MOST_DIMS = 64, TILE = 512, LARGEST_ITEM = 16, MOST_REPEATS = 2 };

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

static ALWAYS_INLINE void run_row(const struct facula_elementwise *plan, int64_t n, const int64_t *address, int converts)
{
    const int64_t *step = plan->nest + 1;
    if (converts)
        run_converted(plan, n, address, step);
    else
        plan->loop(n, address, step);
}

/* Short rows, some operands the same in each (a bias): these are repeated in a tile, and many rows are one run. Gives the
   number of rows done, and moves `at` along; what is left is no whole block. */
static int64_t run_blocks(const struct facula_elementwise *plan, int64_t count, int64_t *at, int converts)
{
    char tile[MOST_REPEATS][TILE * LARGEST_ITEM] __attribute__((aligned(64)));
    int64_t block_at[MOST_OPERANDS], done = 0;
    const int operands = plan->operands;
    const int64_t extent = plan->nest[0], *inner = plan->nest + 1, *outer = plan->nest + 2 + operands;
    for (int i = 0, next = 0; i < operands; i++) {
        if (!(plan->repeats >> i & 1))
            continue;
        const size_t row = (size_t)(extent * inner[i]), whole = row * (size_t)plan->block;
        char *into = tile[next++];
        memcpy(into, (const char *)at[i], row);
        for (size_t filled = row; filled < whole; filled *= 2)
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
        run_row(plan, extent * plan->block, block_at, converts);
    }
    return done;
}

/* `count` whole runs along the innermost dimension, one for each step of the next. Moves `at` along. */
static void run_rows(const struct facula_elementwise *plan, int64_t count, int64_t *at, int converts)
{
    const int operands = plan->operands;
    const int64_t extent = plan->nest[0], *inner = plan->nest + 1, *outer = plan->nest + 2 + operands;
    int64_t row = plan->block && count >= 2 * plan->block ? run_blocks(plan, count, at, converts) : 0;
    for (; row < count; row++) {
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
            run_row(plan, count, at, converts);
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
            run_rows(plan, runs, at, converts);
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
    run_row(work->plan, to - from, at, work->converts);
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

/* ------------------------------------------------------------------------------------------------------- scalars */
union element {
    uint8_t u8;
    int16_t i16;
    uint16_t half;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    _Complex float c64;
    _Complex double c128;
};

/* Integers keep their low bits, as all integer arithmetic here does. */
static void store_integer(union element *into, int dtype, int64_t value)
{
    switch (dtype) {
    case BOOL: into->u8 = value != 0; break;
    case UINT8: case INT8: into->u8 = (uint8_t)value; break;
    case INT16: into->i16 = (int16_t)value; break;
    case INT32: into->i32 = (int32_t)value; break;
    default: into->i64 = value; break;
    }
}

static void store_real(union element *into, int dtype, double value)
{
    switch (dtype) {
    case BOOL: into->u8 = value != 0; break;
    case FLOAT16: into->half = float16_of_float((float)value); break;
    case BFLOAT16: into->half = bfloat16_of_float((float)value); break;
    case FLOAT32: into->f32 = (float)value; break;
    case FLOAT64: into->f64 = value; break;
    case INT64: into->i64 = value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN; break;
    default: store_integer(into, dtype, value > -0x1p31 - 1 && value < 0x1p31 ? (int32_t)value : INT32_MIN); break;
    }
}

static void store_scalar(union element *into, int dtype, int kind, const int64_t *argument)
{
    double parts[2] = {0, 0};
    if (kind == SCALAR_INTEGER) {
        if (dtype == BOOL || (dtype >= UINT8 && dtype <= INT64)) {
            store_integer(into, dtype, *argument);
            return;
        }
        parts[0] = (double)*argument;
    } else {
        memcpy(parts, argument, kind == SCALAR_COMPLEX ? sizeof parts : sizeof parts[0]);
    }
    if (kind == SCALAR_FLOAT16)
        parts[0] = float_of_float16(float16_of_float((float)parts[0]));
    else if (kind == SCALAR_BFLOAT16)
        parts[0] = float_of_bfloat16(bfloat16_of_float((float)parts[0]));
    if (dtype == COMPLEX64)
        into->c64 = CMPLXF((float)parts[0], (float)parts[1]);
    else if (dtype == COMPLEX128)
        into->c128 = CMPLX(parts[0], parts[1]);
    else
        store_real(into, dtype, parts[0]);
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

/* ------------------------------------------------------------------------------------------------ lengths and strides */
enum { STRIDED_COST = 700 }; /* picoseconds: an element that is not beside the one before */

/* The fewest dimensions that visit the same elements, innermost first, into the plan's nest; how many. They are ordered by
   the steps of the output, so that it is written in the order it lies in; neighbours that every operand walks as one are
   merged. `strides` are in elements, of each array in the order of the launch. */
static int64_t make_nest(struct facula_elementwise *plan, int64_t ndim, const int64_t *shape, const int64_t *strides)
{
    const int operands = plan->operands;
    const int64_t stride = 1 + operands;
    int64_t *nest = plan->nest, dims = 0, merged = 0;
    for (int64_t d = ndim - 1; d >= 0; d--) {
        int64_t dim[1 + MOST_OPERANDS] = {shape[d]}, place = dims;
        if (shape[d] == 1)
            continue;
        for (int i = 0; i < operands; i++)
            dim[1 + i] = plan->scalar[i] ? 0 : strides[(plan->argument[i] - 1) * ndim + d] * plan->itemsize[i];
        for (; place && nest[(place - 1) * stride + operands] > dim[operands]; place--)
            memcpy(nest + place * stride, nest + (place - 1) * stride, sizeof *nest * (size_t)stride);
        memcpy(nest + place * stride, dim, sizeof *nest * (size_t)stride);
        dims++;
    }
    for (int64_t d = 0; d < dims; d++) {
        const int64_t *dim = nest + d * stride;
        int64_t *inner = nest + (merged - 1) * stride;
        int as_one = merged > 0;
        for (int i = 0; as_one && i < operands; i++)
            as_one = dim[1 + i] == inner[1 + i] * inner[0];
        if (as_one)
            inner[0] *= dim[0];
        else
            memmove(nest + merged++ * stride, dim, sizeof *nest * (size_t)stride);
    }
    if (!merged) {
        memset(nest, 0, sizeof *nest * (size_t)stride);
        nest[0] = merged = 1;
    }
    return merged;
}

/* Which operands are the same in each of many short rows, and how many rows make a tile. Not where none is, or where
   another one's rows do not lie side by side. */
static void find_repeats(struct facula_elementwise *plan)
{
    const int operands = plan->operands;
    const int64_t extent = plan->nest[0], *inner = plan->nest + 1, *outer = inner + 1 + operands;
    int repeats = 0, count = 0;
    if (plan->dims < 2 || !extent || TILE / extent < 2)
        return;
    for (int i = 0; i < operands; i++) {
        if (outer[i] == inner[i] * extent)
            continue;
        if (outer[i] || inner[i] != plan->itemsize[i])
            return;
        repeats |= 1 << i;
        count++;
    }
    if (!count || count > MOST_REPEATS)
        return;
    plan->repeats = (int16_t)repeats;
    plan->block = (int16_t)(TILE / extent);
}

/* The plan of `form` for these lengths and strides; see `rebind` of facula_storage for what is asked and given. */
static int64_t shape_plan(void *into, const void *form, int64_t ndim, const int64_t *shape, const int64_t *strides)
{
    struct facula_elementwise *plan = into;
    const int operands = ((const struct facula_elementwise *)form)->operands;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * (ndim + 1) * (1 + operands);
    memcpy(plan, form, sizeof *plan);
    plan->dims = (int32_t)make_nest(plan, ndim, shape, strides);
    if (plan->dims > MOST_DIMS)
        return -1;
    int dense = plan->dims == 1, strided = 0;
    for (int i = 0; i < operands; i++) {
        dense &= plan->nest[1 + i] == plan->itemsize[i];
        strided |= plan->nest[1 + i] && plan->nest[1 + i] != plan->itemsize[i];
    }
    find_repeats(plan);
    if (dense)
        plan->dims = 0;
    if (strided && plan->cost < STRIDED_COST) {
        plan->serial = plan->serial * plan->cost / STRIDED_COST;
        plan->grain = plan->grain * plan->cost / STRIDED_COST;
        plan->release = plan->release * plan->cost / STRIDED_COST;
    }
    return plan->release;
}

FACULA_KERNEL("elementwise_shape", shape_plan, 0, 0)
FACULA_KERNEL("elementwise_dense", elementwise_dense, 0, 0)
FACULA_KERNEL("elementwise", elementwise, 0, 0)
FACULA_KERNEL("elementwise_quotient", elementwise_quotient, 0, 0)
