/* Gathering and scattering: a separate index for every element.

   Note [Gathering]
   ~~~~~~~~~~~~~~~~
   Before anything is scattered, all indices are checked: one that is out of range is reported with its position, and
   the array is unchanged. Gathering may write before it fails, since its output is then discarded; so it checks indices
   as it reads them, and afterwards finds the first invalid one. If few indices are expanded to many, it checks them
   first. Negative ones are out of range. An index that another thread has made invalid in the meantime is skipped.

   Elements with the same target have the same position in all dimensions except the indexed one. So work is divided
   along another dimension if there is a suitable one; otherwise every task reads all indices and handles those in its
   range of targets. Either way one task handles the elements of one target in their order: of several values the last
   one wins, and sums have the same bits, regardless of the number of threads and the order of the loops. */
#include "runtime/kernel.h"

#include <complex.h>
#include <stdatomic.h>
#include <string.h>

#include "elements/half.h"
#include "indexing/gather.cdef.h"
#include "runtime/library.cdef.h"

enum { MOST_TASKS = 64, PIECE = 1 << 18, MANY = 16 };

struct work {
    const struct facula_gather *plan;
    char *array, *values;
    const char *index;
    const char *start; /* the array's previous contents, in row-major order; NULL: zeros */
    int64_t tasks;
    _Atomic int passed_over; /* whether an index of another task, or out of range, was found */
};

struct sixteen {
    uint64_t low, high;
};

/* One run of indices, whose targets are `from` to `end` along the indexed dimension. */
struct run {
    int64_t n, from, end, step;
    char *array, *values;
    const char *index;
    int64_t array_step, index_step, value_step;
};

#define STEPS(type, statement)                                                                         \
    for (int64_t i = 0; i < r.n; i++) {                                                                \
        const int64_t at = *(const int64_t *)(r.index + i * r.index_step);                             \
        if ((uint64_t)at - (uint64_t)r.from >= (uint64_t)(r.end - r.from)) {                           \
            passed_over = 1;                                                                           \
            continue;                                                                                  \
        }                                                                                              \
        type *a = (type *)(r.array + i * r.array_step + at * r.step), *v = (type *)(r.values + i * r.value_step); \
        statement;                                                                                     \
    }

/* Constant steps make the loop shorter. */
#define RUN(name, type, statement)                                                             \
    static int name(struct run r)                                                              \
    {                                                                                          \
        int passed_over = 0;                                                                   \
        if (r.index_step == 8 && r.value_step == sizeof(type) && r.array_step == 0 && r.step == sizeof(type)) {        \
            r.index_step = 8, r.value_step = sizeof(type), r.array_step = 0, r.step = sizeof(type);                    \
            STEPS(type, statement)                                                             \
        } else if (r.index_step == 8 && r.value_step == sizeof(type) && r.array_step == sizeof(type)) {                \
            r.index_step = 8, r.value_step = sizeof(type), r.array_step = sizeof(type);        \
            STEPS(type, statement)                                                             \
        } else {                                                                               \
            STEPS(type, statement)                                                             \
        }                                                                                      \
        return passed_over;                                                                    \
    }

#define MOVES(type)                       \
    RUN(gather_##type, type, *v = *a)     \
    RUN(scatter_##type, type, *a = *v)
typedef struct sixteen sixteen;
MOVES(uint8_t)
MOVES(uint16_t)
MOVES(uint32_t)
MOVES(uint64_t)
MOVES(sixteen)

/* The greater or the lesser of two numbers; NaN if one is a NaN. */
#define GREATER(x, y) ((y) > (x) || (y) != (y) ? (y) : (x))
#define LESSER(x, y) ((y) < (x) || (y) != (y) ? (y) : (x))

#define ORDERED(name, type)                               \
    RUN(max_##name, type, *a = (type)GREATER(*a, *v))     \
    RUN(min_##name, type, *a = (type)LESSER(*a, *v))

#define INTEGER(name, type, wrapping)                                             \
    RUN(add_##name, type, *a = (type)((wrapping)*a + (wrapping)*v))               \
    RUN(multiply_##name, type, *a = (type)((wrapping)*a * (wrapping)*v))          \
    ORDERED(name, type)

#define NUMBER(name, type)                   \
    RUN(add_##name, type, *a += *v)          \
    RUN(multiply_##name, type, *a *= *v)

#define HALF(name)                                                                                              \
    RUN(add_##name, uint16_t, *a = name##_of_float(float_of_##name(*a) + float_of_##name(*v)))                  \
    RUN(multiply_##name, uint16_t, *a = name##_of_float(float_of_##name(*a) * float_of_##name(*v)))             \
    RUN(max_##name, uint16_t, *a = name##_of_float(GREATER(float_of_##name(*a), float_of_##name(*v))))          \
    RUN(min_##name, uint16_t, *a = name##_of_float(LESSER(float_of_##name(*a), float_of_##name(*v))))

/* Booleans: a sum and the greater are "or", a product and the lesser are "and". */
RUN(add_bool, uint8_t, *a = *a || *v)
RUN(multiply_bool, uint8_t, *a = *a && *v)
INTEGER(uint8, uint8_t, uint32_t)
INTEGER(int8, int8_t, uint32_t)
INTEGER(int16, int16_t, uint32_t)
INTEGER(int32, int32_t, uint32_t)
INTEGER(int64, int64_t, uint64_t)
HALF(float16)
HALF(bfloat16)
NUMBER(float32, float)
NUMBER(float64, double)
ORDERED(float32, float)
ORDERED(float64, double)
NUMBER(complex64, _Complex float)
NUMBER(complex128, _Complex double)

typedef int (*runner)(struct run); /* whether an index was skipped */

#define REAL(name) {add_##name, multiply_##name, max_##name, min_##name}
static const runner runners[][4] = {
    [BOOL] = {add_bool, multiply_bool, add_bool, multiply_bool},
    [UINT8] = REAL(uint8), [INT8] = REAL(int8), [INT16] = REAL(int16), [INT32] = REAL(int32), [INT64] = REAL(int64),
    [FLOAT16] = REAL(float16), [BFLOAT16] = REAL(bfloat16), [FLOAT32] = REAL(float32), [FLOAT64] = REAL(float64),
    [COMPLEX64] = {add_complex64, multiply_complex64}, [COMPLEX128] = {add_complex128, multiply_complex128},
};

static runner runner_for(const struct facula_gather *plan)
{
    static const runner moves[2][5] = {
        {gather_uint8_t, gather_uint16_t, gather_uint32_t, gather_uint64_t, gather_sixteen},
        {scatter_uint8_t, scatter_uint16_t, scatter_uint32_t, scatter_uint64_t, scatter_sixteen},
    };
    if (plan->mode >= FACULA_SCATTER_ADD)
        return runners[plan->dtype][plan->mode - FACULA_SCATTER_ADD];
    int place = 0;
    while (1 << place < plan->itemsize)
        place++;
    return moves[plan->mode == FACULA_SCATTER][place];
}

/* Handle the elements with targets `from` to `end`, and from `first` to `last` of the shared dimension. */
static void walk(struct work *work, int64_t first, int64_t last, int64_t from, int64_t end)
{
    const struct facula_gather *plan = work->plan;
    const runner call = runner_for(plan);
    const int dims = plan->dims, inner = plan->inner;
    int64_t extent[FACULA_GATHER_DIMS], at[FACULA_GATHER_DIMS] = {0};
    int passed_over = 0;
    struct run r = {.from = from, .end = end, .step = plan->step,
                    .array = work->array, .values = work->values, .index = work->index};
    for (int d = 0; d < dims; d++) {
        extent[d] = plan->nest[4 * d];
        if (d == plan->split) {
            extent[d] = last - first;
            r.array += first * plan->nest[4 * d + 1];
            r.index += first * plan->nest[4 * d + 2];
            r.values += first * plan->nest[4 * d + 3];
        }
        if (!extent[d])
            return;
    }
    r.n = extent[inner];
    r.array_step = plan->nest[4 * inner + 1];
    r.index_step = plan->nest[4 * inner + 2];
    r.value_step = plan->nest[4 * inner + 3];
    for (;;) {
        passed_over |= call(r);
        int d = 0;
        for (; d < dims; d++) {
            const int64_t *dim = plan->nest + 4 * d;
            if (d == inner)
                continue;
            r.array += dim[1], r.index += dim[2], r.values += dim[3];
            if (++at[d] < extent[d])
                break;
            r.array -= dim[1] * extent[d], r.index -= dim[2] * extent[d], r.values -= dim[3] * extent[d];
            at[d] = 0;
        }
        if (d == dims)
            break;
    }
    if (passed_over)
        atomic_store_explicit(&work->passed_over, 1, memory_order_relaxed);
}

static void run_task(void *context, int64_t task)
{
    struct work *work = context;
    const struct facula_gather *plan = work->plan;
    if (plan->split >= 0) {
        const int64_t extent = plan->nest[4 * plan->split];
        walk(work, extent * task / work->tasks, extent * (task + 1) / work->tasks, 0, plan->size);
    } else {
        walk(work, 0, 0, plan->size * task / work->tasks, plan->size * (task + 1) / work->tasks);
    }
}

static void begin_piece(void *context, int64_t task)
{
    const struct work *work = context;
    const int64_t from = task * PIECE, left = work->plan->clear - from;
    const size_t size = (size_t)(left < PIECE ? left : PIECE);
    if (work->start)
        memmove(work->array + from, work->start + from, size);
    else
        memset(work->array + from, 0, size);
}

/* Whether a run has an index out of range: then either it or its distance from the last one is negative. */
static int64_t wrong(const char *index, int64_t n, int64_t step, int64_t size)
{
    int64_t signs = 0;
    if (step == 8)
        for (int64_t i = 0; i < n; i++)
            signs |= ((const int64_t *)index)[i] | (int64_t)((uint64_t)size - 1 - (uint64_t)((const int64_t *)index)[i]);
    else
        for (int64_t i = 0; i < n; i++) {
            const int64_t at = *(const int64_t *)(index + i * step);
            signs |= at | (int64_t)((uint64_t)size - 1 - (uint64_t)at);
        }
    return signs < 0;
}

/* The number of indices in memory; an index that is expanded along a dimension counts once. */
static int64_t distinct(const struct facula_gather *plan)
{
    int64_t count = 1;
    for (int d = 0; d < plan->dims; d++)
        count *= plan->nest[4 * d + 2] || !plan->nest[4 * d] ? plan->nest[4 * d] : 1;
    return count;
}

/* Reports the first index that is out of range. Expanded ones are checked once, at their first position. */
static int64_t check(const struct work *work, int64_t *args)
{
    const struct facula_gather *plan = work->plan;
    const int64_t step = plan->nest[2], run = step || !plan->nest[0] ? plan->nest[0] : 1, total = distinct(plan);
    for (int64_t done = 0; done < total; done += run) {
        const char *index = work->index;
        int64_t rest = done / run, position = 0, row = plan->nest[0];
        for (int d = 1; d < plan->dims; d++) {
            const int64_t extent = plan->nest[4 * d], own = plan->nest[4 * d + 2], at = own ? rest % extent : 0;
            index += at * own;
            position += at * row;
            row *= extent;
            rest /= own ? extent : 1;
        }
        if (!wrong(index, run, step, plan->size))
            continue;
        for (int64_t i = 0; i < run; i++) {
            const int64_t at = *(const int64_t *)(index + i * step);
            if (at >= 0 && at < plan->size)
                continue;
            args[0] = at;
            args[1] = position + i;
            args[2] = plan->size;
            return FACULA_POSITION;
        }
    }
    return FACULA_OK;
}

static int64_t run_parts(struct work *work, int64_t *args)
{
    const struct facula_gather *plan = work->plan;
    int64_t total = 1;
    for (int d = 0; d < plan->dims; d++)
        total *= plan->nest[4 * d];
    const int gathering = plan->mode == FACULA_GATHER;
    const int64_t status = gathering && distinct(plan) > total / MANY ? FACULA_OK : check(work, args);
    if (status)
        return status;
    work->tasks = 1;
    if (!plan->serial) {
        const int64_t threads = facula_threads();
        work->tasks = threads == 1 ? 1 : plan->split < 0 ? threads : 4 * threads;
        work->tasks = work->tasks < MOST_TASKS ? work->tasks : MOST_TASKS;
    }
    const int64_t pieces = (plan->clear + PIECE - 1) / PIECE;
    if (work->tasks > 1)
        facula_parallel(pieces, begin_piece, work);
    else
        for (int64_t piece = 0; piece < pieces; piece++)
            begin_piece(work, piece);
    if (total && work->tasks == 1)
        run_task(work, 0);
    else if (total)
        facula_parallel(work->tasks, run_task, work);
    if (gathering && atomic_load_explicit(&work->passed_over, memory_order_relaxed))
        return check(work, args);
    return FACULA_OK;
}

/* args: n, array, index, result. */
static int64_t gather(const void *plan, int64_t *args)
{
    struct work work = {.plan = plan, .array = (char *)args[1], .index = (const char *)args[2], .values = (char *)args[3]};
    return run_parts(&work, args);
}

/* args: n, index, values, array. */
static int64_t scatter(const void *plan, int64_t *args)
{
    struct work work = {.plan = plan, .array = (char *)args[3], .index = (const char *)args[1], .values = (char *)args[2]};
    return run_parts(&work, args);
}

/* args: n, values, index, array. */
static int64_t gather_back(const void *plan, int64_t *args)
{
    struct work work = {.plan = plan, .array = (char *)args[3], .index = (const char *)args[2], .values = (char *)args[1]};
    return run_parts(&work, args);
}

/* args: n, the array's previous contents, index, values, array. */
static int64_t scatter_copy(const void *plan, int64_t *args)
{
    struct work work = {.plan = plan, .array = (char *)args[4], .index = (const char *)args[2], .values = (char *)args[3],
                        .start = (const char *)args[1]};
    return run_parts(&work, args);
}

FACULA_KERNEL("gather", gather, 0, 0)
FACULA_KERNEL("gather_back", gather_back, 0, 0)
FACULA_KERNEL("scatter", scatter, 0, 0)
FACULA_KERNEL("scatter_copy", scatter_copy, 0, 0)
