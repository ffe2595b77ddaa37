/* Checks of plans of decompositions and linear systems; see Note [Forged plans] in reach.c. */
#include <math.h>

#include "linalg/elimination.cdef.h"
#include "linalg/triangular_solve.cdef.h"
#include "reach/reach.h"

int check_triangular_solve(struct reach *r)
{
    const struct facula_triangular_solve *p = r->plan;
    const int is_factored = is_named(r, "solve_factors");
    const int64_t size = size_in(r->kernel, is_factored);
    const double whole = TOTAL(p->matrices, p->n, p->columns), square = TOTAL(p->n, p->n);
    EXPECT(whole >= 0 && square >= 0 && TOTAL(p->matrices, p->n) >= 0 && TOTAL(p->n, p->columns) >= 0);
    EXPECT(p->tile >= 1 && is_count(p->tile) && (double)p->tiles == ceil((double)p->columns / (double)p->tile));
    EXPECT(p->group >= 1 && is_count(p->group) && TOTAL(p->matrices, p->tiles) >= 0);
    EXPECT(!p->a_step || (double)p->a_step == square);
    struct span a = span_row(square, size);
    walk(&a, p->matrices, p->a_step, size);
    if (is_factored)
        CHECK(has_memory(r, 1, span_row(TOTAL(p->matrices, p->n), sizeof(int32_t))));
    CHECK(has_memory(r, 1 + is_factored, a));
    CHECK(has_memory(r, 2 + is_factored, span_row(whole, size)));
    return has_memory(r, 3 + is_factored, span_row(whole, size));
}

int check_elimination(struct reach *r)
{
    const struct facula_elimination *p = r->plan;
    const int64_t size = size_in(r->kernel, 0);
    const double matrices = (double)p->matrices, steps = (double)(p->rows < p->columns ? p->rows : p->columns);
    const int is_lu = is_named(r, "lu_factor_ex"), is_system = is_named(r, "solve_ex"), moves = is_named(r, "permutation_of");
    const int is_sign = is_named(r, "slogdet"), is_number = is_sign || is_named(r, "det");
    EXPECT(TOTAL(p->matrices, p->rows, p->columns) >= 0 && TOTAL(p->matrices, p->rows, p->sides) >= 0);
    EXPECT(TOTAL(p->rows, p->rows) >= 0 && TOTAL(p->matrices, p->rows, p->rows) >= 0 && is_count(p->matrices));
    EXPECT(TOTAL(p->rows, p->sides) >= 0 && p->group >= 1 && is_count(p->group));
    EXPECT(is_lu || (moves ? p->columns <= p->rows : p->rows == p->columns));
    EXPECT(p->sides == (is_named(r, "inv_ex") ? p->rows : is_system ? p->sides : 0));
    EXPECT(p->batch_dims >= 0 && nest_total(p->nest, p->batch_dims, 4) == matrices);
    struct span a = span_of(size), b = span_of(size);
    walk(&a, moves ? 1 : p->rows, p->a_row, size);
    walk(&a, p->columns, p->a_column, size);
    walk(&b, p->rows, p->b_row, size);
    walk(&b, p->sides, p->b_column, size);
    for (int64_t d = 0; d < p->batch_dims; d++) {
        walk(&a, p->nest[4 * d], p->nest[4 * d + 1], size);
        walk(&b, p->nest[4 * d], p->nest[4 * d + 2], size);
    }
    const double square = (double)p->rows * (double)(moves ? p->rows : p->columns);
    const double each = is_system ? (double)p->rows * (double)p->sides : is_number ? 1 : square;
    int arg = 1;
    CHECK(has_memory(r, arg++, a));
    if (is_system)
        CHECK(has_memory(r, arg++, b));
    CHECK(has_memory(r, arg++, span_row(matrices * each, is_sign ? size_in(r->kernel, 1) : size)));
    if (is_lu)
        CHECK(has_memory(r, arg++, span_row(matrices * steps, sizeof(int32_t))));
    if (moves || is_named(r, "det"))
        return 0;
    return has_memory(r, arg, span_row(matrices, is_sign ? size : (int64_t)sizeof(int32_t)));
}
