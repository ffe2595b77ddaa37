/* Checks of plans of Fourier transforms and decompositions. */
#include "files/portable.h"
#include "reach/reach.h"
#include "spectral/fft_tables.h"

/* Returns whether `factors` are those of `length`, and each has a butterfly. */
static int are_factors(const int64_t *factors, int64_t length)
{
    double product = 1;
    int i = 0;
    for (; i < FACULA_FFT_FACTORS && factors[i] != 0; i++) {
        const int64_t r = factors[i];
        if (r != 2 && r != 4 && r != 8 && (r < 3 || r > FFT_LARGEST || r % 2 == 0))
            return 0;
        product *= (double)r;
    }
    return product == (double)length;
}

/* Returns the step, or 0 for one whose products may overflow. */
static int64_t bounded(int64_t step, struct span *span)
{
    const int fits = step <= (int64_t)MOST && step >= -(int64_t)MOST;
    span->wrong |= !fits;
    return fits ? step : 0;
}

/* Returns the span of lines of `count` numbers: of one or, if complex, two reals. */
static struct span lines_of(const struct facula_fft_pass *p, int64_t count, int64_t step, int which, int64_t size,
                            int is_complex)
{
    const int64_t *nest = (const int64_t *)(p + 1);
    struct span span = span_row(is_complex ? 2 : 1, size);
    span_walk(&span, count, bounded(step, &span) * size);
    for (int64_t d = 0; d < p->batch_dims; d++)
        span_walk(&span, nest[3 * d], bounded(nest[3 * d + which], &span) * size);
    return span;
}

static int check_pass(struct reach *r, const struct facula_fft_pass *p, int64_t left, int is_first, int is_last, int64_t size)
{
    enum { FIXED = sizeof *p / 8, MOST_LENGTH = 1 << 30 };
    const int is_real = r->kernel->signature[0] != COMPLEX64 && r->kernel->signature[0] != COMPLEX128;
    const int from_real = p->kind == FACULA_FFT_HALF || p->kind == FACULA_FFT_WHOLE, to_real = p->kind == FACULA_FFT_REAL;
    EXPECT(p->numbers >= FIXED && p->numbers <= left && p->batch_dims >= 0 && p->batch_dims <= (left - FIXED) / 3);
    EXPECT(p->kind >= FACULA_FFT_COMPLEX && p->kind <= FACULA_FFT_REAL && p->n >= 1 && p->n <= MOST_LENGTH);
    EXPECT(p->length == p->n || ((from_real || to_real) && p->n % 2 == 0 && 2 * p->length == p->n));
    EXPECT(p->padded == 0 || (p->padded >= 2 * p->length - 1 && p->padded <= 8 * (int64_t)MOST_LENGTH));
    EXPECT(p->rows >= 1 && p->columns >= 1 && TOTAL(p->rows, p->columns) == (double)(p->padded ? p->padded : p->length));
    EXPECT(are_factors(p->factors, p->rows) && are_factors(p->column_factors, p->columns));
    EXPECT(p->lines >= 0 && nest_total((const int64_t *)(p + 1), p->batch_dims, 3) == (double)p->lines);
    EXPECT(p->group >= 1 && p->group % FFT_LANES == 0 && is_count(p->group));
    EXPECT(fft_tables_of(p).end * size <= (p->numbers - FIXED - 3 * p->batch_dims) * 8);
    EXPECT(!from_real || (is_first && (p->kind == FACULA_FFT_HALF) == is_named(r, "fft_from_real")));
    EXPECT(from_real == (is_first && is_real));
    EXPECT(to_real == (is_last && is_named(r, "fft_to_real")));
    EXPECT(p->target == (is_last || !is_named(r, "fft_to_real") ? 2 : 3) && p->source == (is_first ? 1 : p->target == 2 && !to_real ? 2 : 3));
    const int64_t half = p->n / 2 + 1;
    const struct span from = lines_of(p, to_real ? half : p->n, p->source_step, 1, size, !from_real);
    const struct span to = lines_of(p, p->kind == FACULA_FFT_HALF ? half : p->n, p->target_step, 2, size, !to_real);
    EXPECT(!from.wrong && !to.wrong);
    if (p->source == 3)
        CHECK(has_workspace(r, 3, from.empty ? 0 : from.high));
    else
        CHECK(has_memory(r, p->source, from));
    EXPECT(p->source != 3 || from.empty || from.low == 0);
    EXPECT(p->target != 3 || to.empty || to.low == 0);
    if (p->target == 3)
        return has_workspace(r, 3, to.empty ? 0 : to.high);
    return has_memory(r, 2, to);
}

int check_fft(struct reach *r)
{
    const struct facula_fft *plan = r->plan;
    const int64_t size = is_named(r, "fft_to_real") ? size_in(r->kernel, 1) : size_in(r->kernel, 1) / 2;
    int64_t left = plan->numbers;
    const int64_t *place = plan->data;
    EXPECT(plan->passes >= 1 && plan->passes <= left);
    for (int64_t i = 0; i < plan->passes; i++) {
        const struct facula_fft_pass *p = (const struct facula_fft_pass *)place;
        EXPECT(left >= (int64_t)(sizeof *p / 8));
        CHECK(check_pass(r, p, left, i == 0, i == plan->passes - 1, size));
        place += p->numbers;
        left -= p->numbers;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------ decompositions */
int check_decomposition(struct reach *r)
{
    enum { MOST_ROWS = 64 }; /* MOST in decompositions.dispatch.c: of all except QR, which allocates larger copies */
    const struct facula_elimination *p = r->plan;
    const int64_t size = size_in(r->kernel, 0), m = p->rows, n = p->columns, count = m < n ? m : n, most = m < n ? n : m;
    const int is_qr = is_named(r, "qr"), is_svd = is_named(r, "svd"), is_eigh = is_named(r, "eigh"), is_r = is_named(r, "qr_r");
    EXPECT(m >= 1 && n >= 1 && TOTAL(most, most) >= 0 && p->group >= 1 && is_count(p->group));
    EXPECT(is_qr || is_r || most <= MOST_ROWS);
    EXPECT(is_count(p->matrices) && p->batch_dims >= 0 && nest_total(p->nest, p->batch_dims, 4) == (double)p->matrices);
    const int is_pinv = is_named(r, "pinv");
    EXPECT(m == n || !(is_eigh || (is_pinv && p->upper) || is_named(r, "eigvalsh")));
    EXPECT(p->sides == (is_qr || is_svd ? p->sides : 0) && (!is_qr || p->sides == count || p->sides == m));
    EXPECT(!is_svd || p->sides == count || p->sides == most);
    struct span a = span_of(size), atol = a, rtol = a;
    span_walk(&a, m, bounded(p->a_row, &a) * size);
    span_walk(&a, n, bounded(p->a_column, &a) * size);
    for (int64_t d = 0; d < p->batch_dims; d++) {
        span_walk(&a, p->nest[4 * d], bounded(p->nest[4 * d + 1], &a) * size);
        span_walk(&atol, p->nest[4 * d], bounded(p->nest[4 * d + 2], &atol) * size);
        span_walk(&rtol, p->nest[4 * d], bounded(p->nest[4 * d + 3], &rtol) * size);
    }
    const int64_t each = is_qr ? (m + n) * p->sides : is_svd ? (m + n + 1) * p->sides : is_eigh ? (n + 1) * n : is_r ? count * n : is_pinv ? m * n : count;
    EXPECT(!a.wrong);
    CHECK(has_memory(r, 1, a));
    if (is_pinv) {
        EXPECT(!atol.wrong && !rtol.wrong);
        CHECK(has_memory(r, 2, atol));
        CHECK(has_memory(r, 3, rtol));
    }
    CHECK(has_memory(r, is_pinv ? 4 : 2, span_row((double)p->matrices * (double)each, size)));
    return is_qr || is_r ? 0 : has_memory(r, is_pinv ? 5 : 3, span_row((double)p->matrices, sizeof(int32_t)));
}
