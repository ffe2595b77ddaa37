/* Decompositions of small real matrices: QR, eigenvalues of symmetric matrices, singular values. All compute in double
   precision, on copies that are scaled by a power of two so that squares neither overflow nor vanish. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/matrices.h"

enum {
    MOST = 64,   /* rows and columns */
    CELLS = MOST * MOST,
    SWEEPS = 60, /* over all pairs of columns, or steps for an eigenvalue */
};

static ALWAYS_INLINE void add_row(double *restrict to, double factor, const double *restrict row, int64_t n)
{
    for (int64_t j = 0; j < n; j++)
        to[j] += factor * row[j];
}

static ALWAYS_INLINE void rotate_rows(double *restrict a, double *restrict b, double c, double s, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        const double kept = a[j];
        a[j] = c * kept - s * b[j];
        b[j] = s * kept + c * b[j];
    }
}

/* A sum of products in eight partial sums, whose order does not depend on the instruction set. */
static double dot(const double *a, const double *b, int64_t n)
{
    double sums[8] = {0}, rest = 0;
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++)
            sums[l] += a[i + l] * b[i + l];
    for (; i < n; i++)
        rest += a[i] * b[i];
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7])) + rest;
}

/* Scales the largest of `count` elements to about 1 and returns the exponent; 0 if all are 0, or one is not finite, which
   `*not_finite` tells: 1 for infinity, 2 for NaN. */
static int scale_down(double *a, int64_t count, int *not_finite)
{
    double most = 0;
    int exponent = 0;
    *not_finite = 0;
    for (int64_t i = 0; i < count; i++) {
        if (a[i] != a[i]) {
            *not_finite = 2;
            return 0;
        }
        most = fabs(a[i]) > most ? fabs(a[i]) : most;
    }
    if (most > DBL_MAX) {
        *not_finite = 1;
        return 0;
    }
    if (most > 0)
        frexp(most, &exponent);
    if (exponent > -200 && exponent < 200)
        return 0;
    for (int64_t i = 0; i < count; i++)
        a[i] = ldexp(a[i], -exponent);
    return exponent;
}

/* Makes x[0], then `stride` elements apart n - 1 others, a reflection: x becomes v, with v[0] = 1 left out, and
   (1 - tau v v^T) x = beta e_0. Returns tau; x[0] becomes beta. */
static double reflect(double *x, int64_t stride, int64_t n)
{
    double square = 0;
    for (int64_t i = 1; i < n; i++)
        square += x[i * stride] * x[i * stride];
    if (square == 0)
        return 0;
    const double alpha = x[0], norm = sqrt(alpha * alpha + square), beta = -copysign(norm, alpha);
    for (int64_t i = 1; i < n; i++)
        x[i * stride] /= alpha - beta;
    x[0] = beta;
    return (beta - alpha) / beta;
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

/* Computes R above the diagonal of `a` (m, n) and, in q (m, sides), Q, unless it is NULL. */
static void qr_of(double *a, int64_t m, int64_t n, double *q, int64_t sides)
{
    const int64_t steps = m < n ? m : n;
    double taus[MOST];
    for (int64_t k = 0; k < steps; k++) {
        taus[k] = reflect(a + k * n + k, n, m - k);
        apply_reflection(a + k * n + k, n, taus[k], a + k * n + k + 1, n, m - k, n - k - 1);
    }
    if (!q)
        return;
    memset(q, 0, (size_t)(m * sides) * sizeof *q);
    for (int64_t i = 0; i < m && i < sides; i++)
        q[i * sides + i] = 1;
    for (int64_t k = steps - 1; k >= 0; k--)
        apply_reflection(a + k * n + k, n, taus[k], q + k * sides + k, sides, m - k, sides - k);
}

/* Computes the ascending eigenvalues of the symmetric `a` and, with `vectors` (n, n), eigenvectors in its rows. Reflections
   make the matrix tridiagonal; rotations with implicit shifts make it diagonal. Returns whether it converged. */
static int eigenvalues_of(double *a, int64_t n, double *values, double *vectors)
{
    double off[MOST], taus[MOST], sums[MOST];
    for (int64_t k = 0; k + 2 < n; k++) {
        double *v = a + (k + 1) * n + k; /* in column k */
        const int64_t rest = n - k - 1;
        taus[k] = reflect(v, n, rest);
        off[k] = v[0];
        if (taus[k] == 0)
            continue;
        v[0] = 1;
        double *block = a + (k + 1) * n + k + 1;
        memset(sums, 0, sizeof sums);
        for (int64_t i = 0; i < rest; i++)
            add_row(sums, taus[k] * v[i * n], block + i * n, rest);
        double along = 0;
        for (int64_t i = 0; i < rest; i++)
            along += sums[i] * v[i * n];
        double column[MOST];
        for (int64_t i = 0; i < rest; i++) {
            column[i] = v[i * n];
            sums[i] -= 0.5 * taus[k] * along * column[i];
        }
        for (int64_t i = 0; i < rest; i++)
            for (int64_t j = 0; j < rest; j++)
                block[i * n + j] -= column[i] * sums[j] + sums[i] * column[j];
    }
    if (n > 1)
        off[n - 2] = a[(n - 1) * n + n - 2];
    off[n - 1] = 0;
    for (int64_t i = 0; i < n; i++)
        values[i] = a[i * n + i];
    if (vectors) { /* the product of the reflections, transposed */
        double q[CELLS];
        memset(q, 0, (size_t)(n * n) * sizeof *q);
        for (int64_t i = 0; i < n; i++)
            q[i * n + i] = 1;
        for (int64_t k = n - 3; k >= 0; k--)
            apply_reflection(a + (k + 1) * n + k, n, taus[k], q + (k + 1) * n + k + 1, n, n - k - 1, n - k - 1);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                vectors[j * n + i] = q[i * n + j];
    }
    for (int64_t l = 0; l < n; l++)
        for (int step = 0;; step++) {
            int64_t m = l;
            while (m < n - 1 && fabs(off[m]) > DBL_EPSILON / 2 * sqrt(fabs(values[m])) * sqrt(fabs(values[m + 1])) &&
                   fabs(off[m]) > DBL_MIN)
                m++;
            if (m == l)
                break;
            if (step == SWEEPS)
                return 0;
            double g = (values[l + 1] - values[l]) / (2 * off[l]);
            double r = hypot(g, 1);
            g = values[m] - values[l] + off[l] / (g + (g >= 0 ? r : -r));
            double s = 1, c = 1, p = 0;
            int64_t i = m - 1;
            for (; i >= l; i--) {
                const double f = s * off[i], b = c * off[i];
                r = sqrt(f * f + g * g);
                off[i + 1] = r;
                if (r == 0) { /* the matrix splits */
                    values[i + 1] -= p;
                    off[m] = 0;
                    break;
                }
                s = f / r;
                c = g / r;
                g = values[i + 1] - p;
                r = (values[i] - g) * s + 2 * c * b;
                p = s * r;
                values[i + 1] = g + p;
                g = c * r - b;
                if (vectors)
                    rotate_rows(vectors + i * n, vectors + (i + 1) * n, c, s, n);
            }
            if (r == 0 && i >= l)
                continue;
            values[l] -= p;
            off[l] = g;
            off[m] = 0;
        }
    for (int64_t i = 0; i < n; i++) {
        int64_t least = i;
        for (int64_t j = i + 1; j < n; j++)
            if (values[j] < values[least])
                least = j;
        if (least == i)
            continue;
        const double kept = values[i];
        values[i] = values[least];
        values[least] = kept;
        if (vectors)
            for (int64_t j = 0; j < n; j++) {
                const double element = vectors[i * n + j];
                vectors[i * n + j] = vectors[least * n + j];
                vectors[least * n + j] = element;
            }
    }
    return 1;
}

/* Completes the first `known` orthonormal rows of length n to `count`: each time with the unit vector that is farthest from
   them, orthogonalized twice. */
static void complete_rows(double *rows, int64_t n, int64_t known, int64_t count)
{
    for (; known < count; known++) {
        int64_t best = 0;
        double least = INFINITY;
        for (int64_t i = 0; i < n; i++) {
            double along = 0;
            for (int64_t r = 0; r < known; r++)
                along += rows[r * n + i] * rows[r * n + i];
            if (along < least) {
                least = along;
                best = i;
            }
        }
        double *row = rows + known * n;
        memset(row, 0, (size_t)n * sizeof *row);
        row[best] = 1;
        for (int again = 0; again < 2; again++)
            for (int64_t r = 0; r < known; r++)
                add_row(row, -dot(row, rows + r * n, n), rows + r * n, n);
        const double norm = sqrt(dot(row, row, n));
        for (int64_t i = 0; i < n; i++)
            row[i] /= norm;
    }
}

/* Rotates pairs of the `count` rows of `a`, of length n, until all are orthogonal (M. R. Hestenes, 1958); `turned` (count,
   count), unless it is NULL, becomes the product of the rotations. Then divides the rows by their lengths, the singular
   values, which descend. Cosines of angles below `tolerance` count as 0. Returns whether they converged. */
static int singular_values_of(double *a, int64_t count, int64_t n, double *values, double *turned,
                              double tolerance)
{
    int is_turning = 1;
    for (int64_t i = 0; i < count && turned; i++)
        for (int64_t j = 0; j < count; j++)
            turned[i * count + j] = i == j;
    for (int sweep = 0; is_turning; sweep++) {
        if (sweep == SWEEPS)
            return 0;
        is_turning = 0;
        for (int64_t i = 0; i < count; i++)
            for (int64_t j = i + 1; j < count; j++) {
                double *x = a + i * n, *y = a + j * n;
                const double xx = dot(x, x, n), yy = dot(y, y, n), xy = dot(x, y, n);
                if (xx < yy) { /* longer rows first: they converge faster, and the values descend */
                    for (int64_t k = 0; k < n; k++) {
                        const double kept = x[k];
                        x[k] = y[k];
                        y[k] = kept;
                    }
                    for (int64_t k = 0; k < count && turned; k++) {
                        const double kept = turned[i * count + k];
                        turned[i * count + k] = turned[j * count + k];
                        turned[j * count + k] = kept;
                    }
                }
                if (!(fabs(xy) > tolerance * sqrt(xx) * sqrt(yy)) || fabs(xy) < DBL_MIN)
                    continue;
                is_turning = 1;
                const double most = xx < yy ? yy : xx, least = xx < yy ? xx : yy;
                const double zeta = (least - most) / (2 * xy);
                const double t = (zeta >= 0 ? 1 : -1) / (fabs(zeta) + hypot(1, zeta)), c = 1 / sqrt(1 + t * t);
                rotate_rows(x, y, c, c * t, n);
                if (turned)
                    rotate_rows(turned + i * count, turned + j * count, c, c * t, count);
            }
    }
    for (int64_t i = 0; i < count; i++) {
        values[i] = sqrt(dot(a + i * n, a + i * n, n));
        for (int64_t j = 0; j < n && values[i] > 0; j++)
            a[i * n + j] /= values[i];
    }
    return 1;
}

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#include "spectral/decompositions.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#include "spectral/decompositions.inc"
