/* Taking and putting elements by index.

   Note [Indexing]
   ~~~~~~~~~~~~~~~
   All indices are checked before any write: one that is out of range is reported with its position, and the output is
   unchanged. Negative ones count from the end.

   Taking is divided by elements of the dimensions before the indexed one. Putting is divided by destinations: every
   task reads all indices and handles those in its range of the dimension. So if several values have one destination,
   the last one wins, or all are added in their order, regardless of the number of threads. */
#include "runtime/kernel.h"

#include <complex.h>
#include <string.h>

#include "elements/half.h"
#include "indexing/index.cdef.h"
#include "runtime/library.cdef.h"

enum { MOST_SHARES = 64, PIECE = 1 << 18 };

struct work {
    const struct facula_index *plan;
    const char *index;
    char *array, *values;
    int64_t shares;
};

struct sixteen {
    uint64_t low, high;
};

#define COPY_STEPS(type)                                               \
    for (int64_t i = 0; i < n; i++)                                    \
        *(type *)(to + i * to_step) = *(const type *)(from + i * from_step);

static void copy_run(int itemsize, int64_t n, const char *from, int64_t from_step, char *to, int64_t to_step)
{
    if (from_step == itemsize && to_step == itemsize) {
        memmove(to, from, (size_t)(n * itemsize));
        return;
    }
    switch (itemsize) {
    case 1: COPY_STEPS(uint8_t) break;
    case 2: COPY_STEPS(uint16_t) break;
    case 4: COPY_STEPS(uint32_t) break;
    case 8: COPY_STEPS(uint64_t) break;
    default: COPY_STEPS(struct sixteen) break;
    }
}

#define ADD_STEPS(type, sum)                                                            \
    if (to_step == sizeof(type) && from_step == sizeof(type)) { /* for vectors */       \
        type *restrict into_ = (type *)to;                                              \
        const type *restrict from_ = (const type *)from;                                \
        for (int64_t i = 0; i < n; i++) {                                               \
            type *into = into_ + i, x = from_[i];                                       \
            *into = sum;                                                                \
        }                                                                               \
        return;                                                                         \
    }                                                                                   \
    for (int64_t i = 0; i < n; i++) {                                                   \
        type *into = (type *)(to + i * to_step), x = *(const type *)(from + i * from_step); \
        *into = sum;                                                                    \
    }

/* Integers wrap; booleans are combined by or. */
static void add_run(int dtype, int64_t n, const char *from, int64_t from_step, char *to, int64_t to_step)
{
    switch (dtype) {
    case BOOL: ADD_STEPS(uint8_t, *into | x) break;
    case UINT8: case INT8: ADD_STEPS(uint8_t, (uint8_t)(*into + x)) break;
    case INT16: ADD_STEPS(uint16_t, (uint16_t)(*into + x)) break;
    case INT32: ADD_STEPS(uint32_t, *into + x) break;
    case INT64: ADD_STEPS(uint64_t, *into + x) break;
    case FLOAT16: ADD_STEPS(uint16_t, float16_of_float(float_of_float16(*into) + float_of_float16(x))) break;
    case BFLOAT16: ADD_STEPS(uint16_t, bfloat16_of_float(float_of_bfloat16(*into) + float_of_bfloat16(x))) break;
    case FLOAT32: ADD_STEPS(float, *into + x) break;
    case FLOAT64: ADD_STEPS(double, *into + x) break;
    case COMPLEX64: ADD_STEPS(_Complex float, *into + x) break;
    case COMPLEX128: ADD_STEPS(_Complex double, *into + x) break;
    }
}

/* Advances the addresses to element `number` of some dimensions. */
static ALWAYS_INLINE void locate(const int64_t *dims, int count, int64_t number, const char **first, char **second)
{
    for (int d = 0; d < count; d++) {
        const int64_t *dim = dims + 3 * d, at = d == count - 1 ? number : number % dim[0];
        number = d == count - 1 ? 0 : number / dim[0];
        *first += at * dim[1];
        *second += at * dim[2];
    }
}

static int64_t index_at(const struct work *work, int64_t number, char **values)
{
    const struct facula_index *plan = work->plan;
    const char *index = work->index;
    locate(plan->nest + 3 * plan->outer_dims, plan->index_dims, number, &index, values);
    const int64_t value = *(const int64_t *)index;
    return value < 0 ? value + plan->size : value;
}

/* All elements of one index, for one element of the dimensions before. */
static void move(const struct facula_index *plan, char *array, char *values, int taking)
{
    const int64_t *dims = plan->nest + 3 * (plan->outer_dims + plan->index_dims), run = dims[0];
    for (int64_t done = 0; done < plan->inner; done += run) {
        const char *a = array;
        char *v = values;
        if (plan->inner_dims > 1)
            locate(dims + 3, plan->inner_dims - 1, done / run, &a, &v);
        if (taking)
            copy_run(plan->itemsize, run, a, dims[1], v, dims[2]);
        else if (plan->accumulate)
            add_run(plan->dtype, run, v, dims[2], (char *)a, dims[1]);
        else
            copy_run(plan->itemsize, run, v, dims[2], (char *)a, dims[1]);
    }
}

#define TAKE_ONES(type)                                                                                \
    for (; i < last; i++, index += dims[1], values += dims[2]) {                                       \
        const int64_t given = *(const int64_t *)index, at = given < 0 ? given + plan->size : given;    \
        if (at >= 0 && at < plan->size)                                                                \
            *(type *)values = *(const type *)(work->array + at * plan->step);                          \
    }

/* The same for indices of one step, and elements of one step for each: the common case, without divisions. */
static void take_run(const struct work *work, int64_t i, int64_t last)
{
    const struct facula_index *plan = work->plan;
    const int64_t *dims = plan->nest + 3 * plan->outer_dims, *inner = dims + 3;
    const char *index = work->index + i * dims[1];
    char *values = work->values + i * dims[2];
    if (plan->inner == 1) {
        switch (plan->itemsize) {
        case 1: TAKE_ONES(uint8_t) break;
        case 2: TAKE_ONES(uint16_t) break;
        case 4: TAKE_ONES(uint32_t) break;
        case 8: TAKE_ONES(uint64_t) break;
        default: TAKE_ONES(struct sixteen) break;
        }
        return;
    }
    for (; i < last; i++, index += dims[1], values += dims[2]) {
        const int64_t given = *(const int64_t *)index, at = given < 0 ? given + plan->size : given;
        if (at >= 0 && at < plan->size)
            copy_run(plan->itemsize, inner[0], work->array + at * plan->step, inner[1], values, inner[2]);
    }
}

static void gather_part(void *context, int64_t task)
{
    const struct work *work = context;
    const struct facula_index *plan = work->plan;
    const int64_t total = plan->outer * plan->count, first = task * plan->group;
    if (plan->outer == 1 && plan->index_dims == 1 && plan->inner_dims == 1) {
        const int64_t last = first + plan->group < total ? first + plan->group : total;
        take_run(work, first, last);
        return;
    }
    for (int64_t i = first; i < total && i < first + plan->group; i++) {
        const char *array = work->array;
        char *values = work->values;
        locate(plan->nest, plan->outer_dims, i / plan->count, &array, &values);
        const int64_t at = index_at(work, i % plan->count, &values);
        if (at >= 0 && at < plan->size) /* checked again: another thread may have changed it */
            move(plan, (char *)array + at * plan->step, values, 1);
    }
}

static void put_share(void *context, int64_t share)
{
    const struct work *work = context;
    const struct facula_index *plan = work->plan;
    const int64_t from = plan->size * share / work->shares, to = plan->size * (share + 1) / work->shares;
    for (int64_t i = 0; i < plan->count; i++) {
        char *first = work->values;
        const int64_t at = index_at(work, i, &first);
        if (at < from || at >= to || at == plan->skip)
            continue;
        for (int64_t number = 0; number < plan->outer; number++) {
            const char *array = work->array + at * plan->step;
            char *values = first;
            locate(plan->nest, plan->outer_dims, number, &array, &values);
            move(plan, (char *)array, values, 0);
        }
    }
}

/* Reports the first index that is out of range. */
static int64_t check(const struct work *work, int64_t *args)
{
    const struct facula_index *plan = work->plan;
    const int64_t *dims = plan->nest + 3 * plan->outer_dims, run = dims[0];
    for (int64_t done = 0; done < plan->count; done += run) {
        const char *index = work->index;
        char *unused = NULL;
        if (plan->index_dims > 1)
            locate(dims + 3, plan->index_dims - 1, done / run, &index, &unused);
        for (int64_t i = 0; i < run; i++) {
            const int64_t value = *(const int64_t *)(index + i * dims[1]);
            if (value < plan->lowest || value >= plan->size) {
                args[0] = value;
                args[1] = done + i;
                args[2] = plan->size;
                return plan->lowest < 0 ? FACULA_INDEX : FACULA_POSITION;
            }
        }
    }
    return FACULA_OK;
}

static int64_t take(const void *plan_, int64_t *args)
{
    const struct facula_index *plan = plan_;
    struct work work = {.plan = plan, .index = (const char *)args[2], .array = (char *)args[1], .values = (char *)args[3]};
    const int64_t status = check(&work, args), total = plan->inner ? plan->outer * plan->count : 0;
    const int64_t tasks = (total + plan->group - 1) / plan->group;
    if (status || !total)
        return status;
    if (plan->serial)
        for (int64_t task = 0; task < tasks; task++)
            gather_part(&work, task);
    else
        facula_parallel(tasks, gather_part, &work);
    return FACULA_OK;
}

static void clear_piece(void *context, int64_t task)
{
    const struct work *work = context;
    const int64_t from = task * PIECE, left = work->plan->clear - from;
    memset(work->array + from, 0, (size_t)(left < PIECE ? left : PIECE));
}

static int64_t put_all(struct work *work, int64_t *args)
{
    const struct facula_index *plan = work->plan;
    const int64_t status = check(work, args), threads = plan->serial ? 1 : facula_threads();
    if (status)
        return status;
    work->shares = threads < MOST_SHARES ? threads : MOST_SHARES;
    if (plan->clear && work->shares == 1)
        memset(work->array, 0, (size_t)plan->clear);
    else if (plan->clear)
        facula_parallel((plan->clear + PIECE - 1) / PIECE, clear_piece, work);
    if (!plan->inner || !plan->outer)
        return FACULA_OK;
    if (work->shares == 1)
        put_share(work, 0);
    else
        facula_parallel(work->shares, put_share, work);
    return FACULA_OK;
}

/* args: n, index, values, array. */
static int64_t put(const void *plan, int64_t *args)
{
    struct work work = {.plan = plan, .index = (const char *)args[1], .array = (char *)args[3], .values = (char *)args[2]};
    return put_all(&work, args);
}

/* args: n, values, index, array. */
static int64_t take_back(const void *plan, int64_t *args)
{
    struct work work = {.plan = plan, .index = (const char *)args[2], .array = (char *)args[3], .values = (char *)args[1]};
    return put_all(&work, args);
}

/* The positions of true elements, in row-major order. The output has room for the counted number, and the kernel never
   writes more, even if the mask has changed since. */
static int64_t find(const struct facula_positions *plan, int64_t address, int64_t room, int64_t *o)
{
    const int64_t run = plan->nest[0], step = plan->nest[1];
    int64_t found = 0, total = 1;
    for (int64_t d = 0; d < plan->dims; d++)
        total *= plan->nest[2 * d];
    for (int64_t done = 0; done < total && found < room; done += run) {
        const char *mask = (const char *)address;
        int64_t rest = done / run;
        for (int64_t d = 1; d < plan->dims; d++) {
            mask += rest % plan->nest[2 * d] * plan->nest[2 * d + 1];
            rest /= plan->nest[2 * d];
        }
        int64_t i = 0;
        /* Branch-free while there is room for every element to be true. */
        for (; i < run && found + (run - i) <= room; i++) {
            o[found] = done + i;
            found += mask[i * step] != 0;
        }
        for (; i < run && found < room; i++)
            if (mask[i * step])
                o[found++] = done + i;
    }
    return found;
}

static int64_t positions(const void *plan, int64_t *args)
{
    find(plan, args[1], args[0], (int64_t *)args[2]);
    return FACULA_OK;
}

/* The same as rows of coordinates. The positions are written first and expanded from the last one on. */
static int64_t coordinates(const void *plan_, int64_t *args)
{
    const struct facula_positions *plan = plan_;
    const int64_t columns = plan->columns, *extent = plan->nest + 2 * plan->dims;
    int64_t *o = (int64_t *)args[2];
    for (int64_t row = find(plan, args[1], args[0] / columns, o) - 1; row >= 0; row--) {
        int64_t rest = o[row], *column = o + (row + 1) * columns;
        for (int64_t c = 0; c < columns; c++) {
            *--column = rest % extent[c];
            rest /= extent[c];
        }
    }
    return FACULA_OK;
}

FACULA_KERNEL("take", take, 0, 0)
FACULA_KERNEL("put", put, 0, 0)
FACULA_KERNEL("take_back", take_back, 0, 0)
FACULA_KERNEL("nonzero_flat", positions, 0, 0)
FACULA_KERNEL("nonzero", coordinates, 0, 0)
