/* Systems with a triangular matrix, or the factors of an LU decomposition, by substitution: X with A X = B. Columns of B
   are independent, so tasks divide them. */
#include <complex.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/complex_division.h"
#include "linalg/loops.h"
#include "linalg/triangular_solve.cdef.h"
#include "runtime/kernel.h"

enum { DOT_PARTS = 16, TILE_BYTES = FACULA_LEVEL == 2 ? 128 : 64, COPIES = 1 << 14 };
enum { ROWS = 4, COMPLEX_ROWS = FACULA_LEVEL == 2 ? 4 : 2 }; /* whose sums fit in registers */

typedef int (*tile_solver)(const struct facula_triangular_solve *plan, const int32_t *pivots, const void *a, const void *b,
                           void *x, int64_t width);

struct solve_work {
    const struct facula_triangular_solve *plan;
    const int32_t *pivots; /* or NULL */
    const char *a, *b;
    char *x;
    int64_t itemsize;
    tile_solver solve;
    _Atomic int64_t status;
};

static void solve_task(void *context, int64_t task)
{
    struct solve_work *work = context;
    const struct facula_triangular_solve *plan = work->plan;
    const int64_t all = plan->matrices * plan->tiles, start = task * plan->group;
    for (int64_t unit = start; unit < start + plan->group && unit < all; unit++) {
        const int64_t matrix = unit / plan->tiles, column = unit % plan->tiles * plan->tile;
        const int64_t offset = (matrix * plan->n * plan->columns + column) * work->itemsize;
        const int64_t left = plan->columns - column;
        const int status = work->solve(plan, work->pivots ? work->pivots + matrix * plan->n : NULL,
                                       work->a + matrix * plan->a_step * work->itemsize, work->b + offset,
                                       work->x + offset, left < plan->tile ? left : plan->tile);
        if (status)
            work->status = status;
    }
}

/* args: the addresses of A, B and X. */
static int64_t solve_all(const struct facula_triangular_solve *plan, const int32_t *pivots, const int64_t *args,
                         int64_t itemsize, tile_solver solve)
{
    struct solve_work work = {plan, pivots, (const char *)args[0], (const char *)args[1], (char *)args[2], itemsize, solve,
                              FACULA_OK};
    const int64_t tasks = (plan->matrices * plan->tiles + plan->group - 1) / plan->group;
    if (plan->serial)
        for (int64_t task = 0; task < tasks; task++)
            solve_task(&work, task);
    else
        facula_parallel(tasks, solve_task, &work);
    return work.status;
}

#define S float
#define REAL float
#define TALL ROWS
#define COMBINE(x, y, imaginary) (x)
#define SUFFIX float32
#define CODE FLOAT32
#define COST 60
#define DIVIDE(x, y) ((x) / (y))
#define APART(pointer)
#include "linalg/triangular_solve.inc"

#define S double
#define REAL double
#define TALL ROWS
#define COMBINE(x, y, imaginary) (x)
#define SUFFIX float64
#define CODE FLOAT64
#define COST 120
#define DIVIDE(x, y) ((x) / (y))
#define APART(pointer)
#include "linalg/triangular_solve.inc"

#define S float _Complex
#define REAL float
#define TALL COMPLEX_ROWS
#define COMBINE(x, y, imaginary) CMPLXF((x) - (y), imaginary)
#define SUFFIX complex64
#define CODE COMPLEX64
#define COST 500
#define DIVIDE(x, y) ((float _Complex)divide_complex128(x, y))
#define APART(pointer) __asm__("" : "+r"(pointer)) /* GCC 12 loads several rows together, including some out of
                                                      bounds */
#include "linalg/triangular_solve.inc"

#define S double _Complex
#define REAL double
#define TALL COMPLEX_ROWS
#define COMBINE(x, y, imaginary) CMPLX((x) - (y), imaginary)
#define SUFFIX complex128
#define CODE COMPLEX128
#define COST 600
#define DIVIDE(x, y) divide_complex128(x, y)
#define APART(pointer) __asm__("" : "+r"(pointer)) /* GCC 12 loads several rows together, including some out of
                                                      bounds */
#include "linalg/triangular_solve.inc"
