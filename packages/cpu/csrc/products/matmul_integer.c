/* Products of integer matrices, modulo a power of two, and of bool ones: whether any pair is true. The low bits of a
   product do not depend on signs, so each size of integer needs one kernel, for unsigned numbers. */
#include "runtime/kernel.h"

#include "products/matmul.cdef.h"

struct work {
    const struct facula_matmul *plan;
    const char *a, *b;
    char *o;
};

static const double SERIAL_WORK = 20000; /* multiply-adds that are not worth waking a thread for */

static int64_t multiply(const struct facula_matmul *plan, int64_t *args, facula_task rows)
{
    struct work work = {plan, (const char *)args[plan->arg_a], (const char *)args[plan->arg_b],
                        (char *)args[plan->arg_o]};
    if (plan->slots == 1)
        for (int64_t number = 0; number < plan->tasks; number++)
            rows(&work, number);
    else
        facula_parallel(plan->tasks, rows, &work);
    return FACULA_OK;
}

#define T uint8_t
#define SUFFIX bool
#define SUM(sum, a, b) ((sum) | (((a) != 0) & ((b) != 0)))
#include "products/matmul_integer.inc"

#define T uint8_t
#define SUFFIX int8
#define SUM(sum, a, b) ((sum) + (a) * (b))
#include "products/matmul_integer.inc"

#define T uint16_t
#define SUFFIX int16
#define SUM(sum, a, b) ((unsigned)(sum) + (unsigned)(a) * (b))
#include "products/matmul_integer.inc"

#define T uint32_t
#define SUFFIX int32
#define SUM(sum, a, b) ((sum) + (a) * (b))
#include "products/matmul_integer.inc"

#define T uint64_t
#define SUFFIX int64
#define SUM(sum, a, b) ((sum) + (a) * (b))
#include "products/matmul_integer.inc"

/* A task computes some rows of one batch. */
static void plan_rows(struct facula_matmul *plan, int threads)
{
    const double row = (double)plan->n * (double)plan->k + 1;
    const double work = row * (double)plan->m * (double)plan->batches;
    const double rows = SERIAL_WORK / row;
    plan->m_tile = plan->m > 1 ? plan->m : 1;
    plan->slots = 1;
    if (threads > 1 && work > SERIAL_WORK) {
        plan->slots = threads;
        if (rows < (double)plan->m)
            plan->m_tile = rows > 1 ? (int64_t)rows : 1;
    }
    plan->m_tiles = (plan->m + plan->m_tile - 1) / plan->m_tile;
    plan->tasks = plan->m_tiles * plan->batches;
    plan->workspace = 0;
}

#define MATMUL(code, suffix)                                            \
    FACULA_KERNEL("matmul", matmul_##suffix, 100, code, code, code)     \
    FACULA_KERNEL("matmul_planner", plan_rows, 0, code)

MATMUL(BOOL, bool)
MATMUL(UINT8, int8)
MATMUL(INT8, int8)
MATMUL(INT16, int16)
MATMUL(INT32, int32)
MATMUL(INT64, int64)
