/* Small matrices: LU and Cholesky decompositions, solutions of systems, inverses and determinants. Tasks divide the
   matrices; one matrix is the work of one thread. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/complex_division.h"
#include "linalg/matrices.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

enum {
    SCRATCH = 1 << 15, /* bytes of copies on the stack */
    PANEL = 32,        /* columns that are eliminated before all others are updated, and rows of a task */
    SHORT = 64,        /* columns of a matrix that is one panel */
    TILE_BYTES = FACULA_LEVEL == 2 ? 128 : FACULA_LEVEL == 1 ? 64 : 32, /* of a row, in registers */
    TILE_ROWS = 4,
};

/* Returns memory for copies: on the stack, or from malloc. NULL: there is none. */
static void *scratch_of(void *on_stack, int64_t bytes) { return bytes <= SCRATCH ? on_stack : malloc((size_t)bytes); }

/* A block of a matrix that has `width` columns: see update_rows. */
struct update {
    void *a;
    int64_t width, i, m, from, to, k, end;
    int is_lower, is_parallel;
};

/* A product as fraction * 2^exponent, so that neither overflows. */
struct scaled {
    double _Complex fraction;
    int64_t exponent;
};

static struct scaled normalized(struct scaled a)
{
    int exponent = 0;
    const double magnitude = fmax(fabs(creal(a.fraction)), fabs(cimag(a.fraction)));
    if (magnitude > 0 && isfinite(magnitude))
        frexp(magnitude, &exponent);
    a.fraction = CMPLX(ldexp(creal(a.fraction), -exponent), ldexp(cimag(a.fraction), -exponent));
    a.exponent += exponent;
    return a;
}

static ALWAYS_INLINE struct scaled times_real(struct scaled a, double factor)
{
    a.fraction = CMPLX(creal(a.fraction) * factor, cimag(a.fraction));
    const double magnitude = fabs(creal(a.fraction));
    return magnitude < 0x1p600 && magnitude > 0x1p-600 ? a : normalized(a);
}

static ALWAYS_INLINE struct scaled times_complex(struct scaled a, double _Complex factor)
{
    a.fraction *= factor;
    return normalized(a);
}

#define S float
#define MASK int32_t
#define TIMES times_real
#define REAL float
#define SUFFIX float32
#define CODE FLOAT32
#define REAL_CODE FLOAT32
#define COST 100
#define DIVIDE(x, y) ((x) / (y))
#define MAGNITUDE(x) fabsf(x)
#define CONJUGATE(x) (x)
#define FINAL(x) ((float)creal(x))
#include "linalg/elimination.inc"

#define S double
#define MASK int64_t
#define TIMES times_real
#define REAL double
#define SUFFIX float64
#define CODE FLOAT64
#define REAL_CODE FLOAT64
#define COST 200
#define DIVIDE(x, y) ((x) / (y))
#define MAGNITUDE(x) fabs(x)
#define CONJUGATE(x) (x)
#define FINAL(x) creal(x)
#include "linalg/elimination.inc"

/* As LAPACK does, pivots of complex matrices are compared by the sum of their parts. */
#define S float _Complex
#define TIMES times_complex
#define REAL float
#define SUFFIX complex64
#define CODE COMPLEX64
#define REAL_CODE FLOAT32
#define COST 800
#define DIVIDE(x, y) ((float _Complex)divide_complex128(x, y))
#define MAGNITUDE(x) (fabsf(crealf(x)) + fabsf(cimagf(x)))
#define CONJUGATE(x) conjf(x)
#define FINAL(x) ((float _Complex)(x))
#include "linalg/elimination.inc"

#define S double _Complex
#define TIMES times_complex
#define REAL double
#define SUFFIX complex128
#define CODE COMPLEX128
#define REAL_CODE FLOAT64
#define COST 1000
#define DIVIDE(x, y) divide_complex128(x, y)
#define MAGNITUDE(x) (fabs(creal(x)) + fabs(cimag(x)))
#define CONJUGATE(x) conj(x)
#define FINAL(x) (x)
#include "linalg/elimination.inc"

#if FACULA_LEVEL == 0
/* Writes the matrices P with A = P L U as float32, from the row (from 1) of each pivot. */
static int64_t permute_matrix(const struct facula_elimination *plan, int64_t matrix, char *const *places)
{
    const int64_t n = plan->rows, steps = plan->columns;
    const int32_t *pivots = (const int32_t *)places[0];
    float *out = (float *)places[1] + matrix * n * n;
    int64_t on_stack[SCRATCH / sizeof(int64_t)], *order = scratch_of(on_stack, n * (int64_t)sizeof *order);
    int64_t status = order ? FACULA_OK : FACULA_MEMORY;
    for (int64_t i = 0; i < n && order; i++)
        order[i] = i;
    for (int64_t k = 0; k < steps && !status; k++) {
        const int64_t row = pivots[k * plan->a_column] - 1;
        if (row < 0 || row >= n) {
            status = FACULA_RANGE;
        } else {
            const int64_t kept = order[k];
            order[k] = order[row];
            order[row] = kept;
        }
    }
    if (!status) {
        memset(out, 0, (size_t)(n * n) * sizeof *out);
        for (int64_t k = 0; k < n; k++)
            out[order[k] * n + k] = 1;
    }
    if (order != on_stack)
        free(order);
    return status;
}

static int64_t permutation_of(const void *plan, int64_t *args) { return eliminate_all(plan, args, permute_matrix, UNPREPARED, 4, 1, 2); }

FACULA_KERNEL("permutation_of", permutation_of, 100, INT32, FLOAT32, 0)
#endif
