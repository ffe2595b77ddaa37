/* Decompositions of real matrices: QR of any, eigenvalues and singular values of small ones. All compute in double precision, on copies that are scaled by a power of two so that squares neither overflow nor vanish. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/matrices.h"

enum {
    MOST = 64,   /* rows and columns */
    CELLS = MOST * MOST,
    PANEL = 16,  /* reflections that are applied together in larger matrices */
    TILE = FACULA_LEVEL == 2 ? 16 : 8, /* columns of a product, and */
    TILE_ROWS = 4,                     /* rows, in registers */
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

static void exchange_rows(double *a, double *b, int64_t n)
{
    for (int64_t j = 0; j < n; j++) {
        const double kept = a[j];
        a[j] = b[j];
        b[j] = kept;
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

#include "spectral/reflections.h"

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
        exchange_rows(values + i, values + least, 1);
        if (vectors)
            exchange_rows(vectors + i * n, vectors + least * n, n);
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

/* Applies a reflection, of which v[0] = 1 is stored, to rows of `n` elements. */
static void reflect_rows(const double *v, double tau, double *a, int64_t width, int64_t rows, int64_t n)
{
    for (int64_t i = 0; i < rows && tau != 0; i++)
        add_row(a + i * width, -tau * dot(a + i * width, v, n), v, n);
}

/* Makes the transpose of `a` (count, n), count <= n, upper bidiagonal by reflections from both sides: its diagonal becomes
   `values`, the elements above it off[1] to off[count - 1]. With `turned`, the rows of `turned` (count, count) and of `a`
   become the vectors, by which the bidiagonal matrix is to be multiplied. */
static void make_bidiagonal(double *a, int64_t count, int64_t n, double *values, double *off, double *turned)
{
    double taus[MOST], other_taus[MOST], v[MOST], rows[CELLS];
    off[0] = 0;
    for (int64_t k = 0; k < count; k++) {
        double *row = a + k * n + k, *below = row + n;
        taus[k] = reflect(row, 1, n - k);
        values[k] = row[0];
        row[0] = 1;
        reflect_rows(row, taus[k], below, n, count - k - 1, n - k);
        if (k + 1 == count)
            break;
        other_taus[k] = reflect(below, n, count - k - 1); /* in column k */
        off[k + 1] = below[0];
        apply_reflection(below, n, other_taus[k], below + 1, n, count - k - 1, n - k - 1);
    }
    if (!turned)
        return;
    memset(turned, 0, (size_t)(count * count) * sizeof *turned);
    memset(rows, 0, (size_t)(count * n) * sizeof *rows);
    for (int64_t k = count - 1; k >= 0; k--) {
        turned[k * count + k] = rows[k * n + k] = 1;
        reflect_rows(a + k * n + k, taus[k], rows + k * n + k, n, count - k, n - k);
        if (k + 1 == count)
            continue;
        v[0] = 1;
        for (int64_t i = k + 2; i < count; i++)
            v[i - k - 1] = a[i * n + k];
        reflect_rows(v, other_taus[k], turned + (k + 1) * count + k + 1, count, count - k - 1, count - k - 1);
    }
    memcpy(a, rows, (size_t)(count * n) * sizeof *a);
}

static ALWAYS_INLINE double rotation(double x, double y, double *c, double *s)
{
    const double length = sqrt(x * x + y * y);
    *c = length > 0 ? x / length : 1;
    *s = length > 0 ? y / length : 0;
    return length;
}

/* Computes the descending singular values of `a` (count, n), count <= n; with `turned` (count, count), the vectors of its
   columns in the rows of `turned`, and those of its rows in the rows of `a`. Rotations with implicit shifts make a
   bidiagonal matrix diagonal (G. H. Golub, C. Reinsch, 1970). Returns whether they converged. */
static int singular_values_of(double *a, int64_t count, int64_t n, double *values, double *turned)
{
    double off[MOST], most = 0;
    make_bidiagonal(a, count, n, values, off, turned);
    for (int64_t i = 0; i < count; i++)
        most = fmax(most, fabs(values[i]) + fabs(off[i]));
    const double negligible = DBL_EPSILON / 2 * most;
    for (int64_t last = count - 1; last >= 0; last--)
        for (int step = 0;; step++) {
            int64_t first = last;
            while (first > 0 && fabs(off[first]) > negligible && fabs(values[first - 1]) > negligible)
                first--;
            double c, s;
            if (first > 0 && fabs(off[first]) > negligible) { /* values[first - 1] is 0: move its row's element out */
                double moved = off[first];
                off[first] = 0;
                for (int64_t i = first; i <= last && fabs(moved) > negligible; i++) {
                    values[i] = rotation(values[i], moved, &c, &s);
                    if (i < last) {
                        moved = -s * off[i + 1];
                        off[i + 1] *= c;
                    }
                    if (turned)
                        rotate_rows(a + (first - 1) * n, a + i * n, c, s, n);
                }
            }
            if (first == last)
                break;
            if (step == SWEEPS)
                return 0;
            /* The shift is the eigenvalue of the last square of B^T B that is closer to its last element. */
            const double x = values[first], y = values[last - 1], z = values[last], g = off[last - 1], h = off[last];
            const double half = ((y - z) * (y + z) + (g - h) * (g + h)) / (2 * h * y);
            const double along = ((x - z) * (x + z) + h * (y / (half + copysign(sqrt(half * half + 1), half)) - h)) / x;
            double towards = along, beyond = off[first + 1];
            for (int64_t i = first; i < last; i++) {
                const double length = rotation(towards, beyond, &c, &s); /* of columns i and i + 1 */
                if (i > first)
                    off[i] = length;
                const double corner = s * values[i + 1];
                towards = c * values[i] + s * off[i + 1];
                off[i + 1] = c * off[i + 1] - s * values[i];
                values[i + 1] *= c;
                if (turned)
                    rotate_rows(turned + (i + 1) * count, turned + i * count, c, s, count);
                values[i] = rotation(towards, corner, &c, &s); /* of rows i and i + 1 */
                towards = c * off[i + 1] + s * values[i + 1];
                values[i + 1] = c * values[i + 1] - s * off[i + 1];
                if (i + 1 < last) {
                    beyond = s * off[i + 2];
                    off[i + 2] *= c;
                }
                off[i + 1] = towards;
                if (turned)
                    rotate_rows(a + (i + 1) * n, a + i * n, c, s, n);
            }
        }
    for (int64_t i = 0; i < count; i++)
        if (values[i] < 0) {
            values[i] = -values[i];
            for (int64_t j = 0; j < count && turned; j++)
                turned[i * count + j] = -turned[i * count + j];
        }
    for (int64_t i = 0; i < count; i++) {
        int64_t greatest = i;
        for (int64_t j = i + 1; j < count; j++)
            if (values[j] > values[greatest])
                greatest = j;
        if (greatest == i)
            continue;
        exchange_rows(values + i, values + greatest, 1);
        if (turned) {
            exchange_rows(turned + i * count, turned + greatest * count, count);
            exchange_rows(a + i * n, a + greatest * n, n);
        }
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
