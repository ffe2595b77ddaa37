/* Householder reflections, one by one and in blocks, and the QR decomposition. Included by decompositions.dispatch.c. */
#pragma once

/* Makes x[0], then `stride` elements apart n - 1 others, a reflection: x becomes v, with v[0] = 1 left out, and
   (1 - tau v v^T) x = beta e_0. Returns tau; x[0] becomes beta. `square` is the sum of the others' squares. If squares
   are so small that they lose digits or vanish, x is scaled first, which changes neither v nor tau. */
static ALWAYS_INLINE double reflect_by(double *x, int64_t stride, int64_t n, double square)
{
    double scale = 1;
    if (x[0] * x[0] + square < 0x1p-900) {
        scale = 0x1p-600;
        square = 0;
        for (int64_t i = 0; i < n; i++) {
            x[i * stride] /= scale;
            square += i ? x[i * stride] * x[i * stride] : 0;
        }
    }
    const double alpha = x[0], norm = sqrt(alpha * alpha + square), beta = -copysign(norm, alpha);
    x[0] = (square == 0 ? alpha : beta) * scale;
    if (square == 0)
        return 0;
    for (int64_t i = 1; i < n; i++)
        x[i * stride] /= alpha - beta;
    return (beta - alpha) / beta;
}

static double reflect(double *x, int64_t stride, int64_t n)
{
    double square = 0;
    for (int64_t i = 1; i < n; i++)
        square += x[i * stride] * x[i * stride];
    return reflect_by(x, stride, n, square);
}

/* Applies a reflection, whose vector is below v[0] = 1 at distances `stride`, to the rows and `n` columns of `a`. */
static void apply_reflection(const double *v, int64_t stride, double tau, double *a, int64_t width, int64_t rows, int64_t n)
{
    double sums[MOST];
    if (tau == 0)
        return;
    memcpy(sums, a, (size_t)n * sizeof *sums);
    for (int64_t i = 1; i < rows; i++)
        add_row(sums, v[i * stride], a + i * width, n);
    add_row(a, -tau, sums, n);
    for (int64_t i = 1; i < rows; i++)
        add_row(a + i * width, -tau * v[i * stride], sums, n);
}

static ALWAYS_INLINE void subtract_tile(double *o, int64_t o_width, const double *a, int64_t a_row, int64_t a_column,
                                        const double *b, int64_t b_width, int rows, int64_t terms)
{
    double sums[TILE_ROWS][TILE];
    for (int r = 0; r < rows; r++)
        memcpy(sums[r], o + r * o_width, sizeof sums[r]);
    for (int64_t l = 0; l < terms; l++)
        for (int r = 0; r < rows; r++) {
            VECTOR_LOOP
            for (int c = 0; c < TILE; c++)
                sums[r][c] -= a[r * a_row + l * a_column] * b[l * b_width + c];
        }
    for (int r = 0; r < rows; r++)
        memcpy(o + r * o_width, sums[r], sizeof sums[r]);
}

/* Subtracts a product of matrices, of a number of columns that is rounded up to a multiple of TILE. */
static void subtract_product(double *o, int64_t o_width, const double *a, int64_t a_row, int64_t a_column, const double *b,
                             int64_t b_width, int64_t rows, int64_t columns, int64_t terms)
{
    for (int64_t j = 0; j < columns; j += TILE) {
        int64_t i = 0;
        for (; i + TILE_ROWS <= rows; i += TILE_ROWS)
            subtract_tile(o + i * o_width + j, o_width, a + i * a_row, a_row, a_column, b + j, b_width, TILE_ROWS, terms);
        for (; i < rows; i++)
            subtract_tile(o + i * o_width + j, o_width, a + i * a_row, a_row, a_column, b + j, b_width, 1, terms);
    }
}

/* The width of rows of n elements, to which columns may be added until a number of them is a multiple of TILE. */
static int64_t padded(int64_t n) { return (n + TILE - 1) / TILE * TILE + TILE; }

/* Applies `count` reflections, below the diagonal of `a`, or with `is_reversed` their inverses in reverse order, to
   `columns` of c. Their product is 1 - V T V^T (R. Schreiber, C. Van Loan, 1989). */
static void apply_reflections(const double *a, int64_t width, int64_t rows, int64_t count, const double *taus,
                              int is_reversed, double *c, int64_t c_width, int64_t columns, double *work)
{
    double *v = work, *t = v + rows * PANEL, *products = t + PANEL * PANEL, *along = products + PANEL * PANEL;
    double *turned = along + PANEL * padded(columns);
    const int64_t along_width = padded(columns);
    memset(v, 0, (size_t)(turned + PANEL * along_width - v) * sizeof *v);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < count && k <= i; k++)
            v[i * PANEL + k] = i == k ? 1 : a[i * width + k];
    subtract_product(products, PANEL, v, 1, PANEL, v, PANEL, count, count, rows);
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = 0; i < k; i++)
            for (int64_t l = i; l < k; l++)
                t[i * PANEL + k] += taus[k] * t[i * PANEL + l] * products[l * PANEL + k];
        t[k * PANEL + k] = taus[k];
    }
    subtract_product(along, along_width, v, 1, PANEL, c, c_width, count, columns, rows);
    subtract_product(turned, along_width, t, is_reversed ? 1 : PANEL, is_reversed ? PANEL : 1, along, along_width, count,
                     columns, count);
    subtract_product(c, c_width, v, PANEL, 1, turned, along_width, rows, columns, count);
}

/* Turns `count` columns of `a` into reflections below the diagonal, in a copy in which each column is contiguous. */
static void reflect_panel(double *a, int64_t width, int64_t rows, int64_t count, double *taus, double *copy)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < count; k++)
            copy[k * rows + i] = a[i * width + k];
    for (int64_t k = 0; k < count; k++) {
        double *v = copy + k * rows + k;
        const int64_t below = rows - k - 1;
        taus[k] = reflect_by(v, 1, below + 1, dot(v + 1, v + 1, below));
        for (int64_t j = k + 1; j < count && taus[k] != 0; j++) {
            double *x = copy + j * rows + k;
            const double share = taus[k] * (x[0] + dot(v + 1, x + 1, below));
            x[0] -= share;
            add_row(x + 1, -share, v + 1, below);
        }
    }
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < count; k++)
            a[i * width + k] = copy[k * rows + i];
}

/* Computes R above the diagonal of `a` (m, n) and, in q (m, sides), Q, unless it is NULL. Rows of both are `width` and
   `q_width` elements apart. Without `work` all reflections are applied one by one. */
static void qr_of(double *a, int64_t m, int64_t n, int64_t width, double *q, int64_t sides, int64_t q_width, double *taus,
                  double *work)
{
    const int64_t steps = m < n ? m : n, panel = work ? PANEL : steps;
    for (int64_t from = 0; from < steps; from += panel) {
        const int64_t to = from + panel < steps ? from + panel : steps;
        for (int64_t k = from; k < to && !work; k++) {
            taus[k] = reflect(a + k * width + k, width, m - k);
            apply_reflection(a + k * width + k, width, taus[k], a + k * width + k + 1, width, m - k, n - k - 1);
        }
        if (work)
            reflect_panel(a + from * width + from, width, m - from, to - from, taus + from, work);
        if (work && to < n)
            apply_reflections(a + from * width + from, width, m - from, to - from, taus + from, 1, a + from * width + to,
                              width, n - to, work);
    }
    if (!q)
        return;
    memset(q, 0, (size_t)(m * q_width) * sizeof *q);
    for (int64_t i = 0; i < m && i < sides; i++)
        q[i * q_width + i] = 1;
    for (int64_t from = (steps - 1) / panel * panel; from >= 0; from -= panel) {
        const int64_t count = from + panel < steps ? panel : steps - from;
        if (work)
            apply_reflections(a + from * width + from, width, m - from, count, taus + from, 0, q + from * q_width + from,
                              q_width, sides - from, work);
        for (int64_t k = steps - 1; k >= 0 && !work; k--)
            apply_reflection(a + k * width + k, width, taus[k], q + k * q_width + k, q_width, m - k, sides - k);
    }
}
