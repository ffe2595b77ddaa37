/* The gamma distribution's function, and derivatives of gamma and beta draws with respect to their parameters:
   implicit derivatives dx/da = -(dF/da) / (dF/dx) of distribution functions F.

   M. Figurnov, S. Mohamed, A. Mnih: Implicit reparameterization gradients, 2018; for Dirichlet draws M. Jankowiak,
   F. Obermeyer: Pathwise derivatives beyond the reparameterization trick, 2018. F is expressed as the density times
   a series or continued fraction, which is differentiated with dual numbers. In the quotient the density cancels,
   and of the gamma functions only digamma remains. Computed in double for every type, to the number of digits of the
   type. */
#pragma once
#include <math.h>

#include "elements/dtypes.h"

enum { MOST_TERMS = 20000 };

/* Uses the recurrence up to 10, then the asymptotic series (DLMF 5.5.2, 5.11.2); x > 0. */
static double digamma_of_positive(double x)
{
    double sum = 0;
    while (x < 10) {
        sum -= 1 / x;
        x += 1;
    }
    const double square = 1 / (x * x);
    const double rest =
        square * (1.0 / 12 - square * (1.0 / 120 - square * (1.0 / 252 - square * (1.0 / 240 - square * (1.0 / 132 -
        square * (691.0 / 32760 - square / 12))))));
    return sum + log(x) - 0.5 / x - rest;
}

struct dual {
    double value, slope;
};

enum { LARGE_SHAPE = 10000 };

/* For large shapes, finds w in x = a + w sqrt(a) + ..., the expansion of gamma quantiles by normal ones (E. A.
   Cornish, R. A. Fisher, 1938), with Newton's method. */
static double normal_quantile(double shape, double x)
{
    const double root = 1 / sqrt(shape), away = (x - shape) * root;
    double w = away;
    for (int i = 0; i < 4; i++) {
        const double s = w * w;
        const double value = w + root * ((s - 1) / 3 + root * ((s - 7) * w / 36 - root * (((3 * s + 7) * s - 16) / 810 -
                                         root * ((9 * s + 256) * s - 433) * w / 38880)));
        const double slope = 1 + root * (2 * w / 3 + root * ((3 * s - 7) / 36 - root * ((12 * s + 14) * w / 810 -
                                         root * ((45 * s + 768) * s - 433) / 38880)));
        w -= (value - away) / slope;
    }
    return w;
}

static double gamma_slope_large(double shape, double x)
{
    const double root = 1 / sqrt(shape), w = normal_quantile(shape, x), s = w * w;
    return 1 + root * (w / 2 - root * root * ((s - 7) * w / 72 - root * (((3 * s + 7) * s - 16) / 810 -
                       root * ((9 * s + 256) * s - 433) * w / 25920)));
}

static ALWAYS_INLINE double gamma_slope(double shape, double x, double exact)
{
    if (!(shape > 0 && x > 0) || shape > 1e300 || x > 1e300)
        return x == 0 && shape > 0 ? 0 : NAN;
    if (shape >= LARGE_SHAPE)
        return gamma_slope_large(shape, x);
    if (x <= shape + 1) { /* F = density x / a sum_n x^n / ((a + 1) ... (a + n)) */
        double term = 1, sum = 1, ends = 0, slope = 0;
        for (int n = 1; n < MOST_TERMS && term > 0.01 * exact * sum; n++) {
            const double each = 1 / (shape + n);
            term *= x * each;
            ends += each;
            sum += term;
            slope -= term * ends;
        }
        return -x / shape * ((log(x) - digamma_of_positive(shape + 1)) * sum + slope);
    }
    /* 1 - F = density x times the continued fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...)), DLMF 8.9.2 */
    struct dual c, d, h;
    double b = x + 1 - shape;
    d.value = 1 / b, d.slope = d.value * d.value;
    h = d;
    c.value = INFINITY, c.slope = 0;
    for (int n = 1; n < MOST_TERMS; n++) {
        const double factor = -n * (n - shape), rise = n;
        b += 2;
        /* d = 1 / (b + factor d) and c = b + factor / c, with b' = -1 and factor' = n */
        struct dual below = {b + factor * d.value, -1 + factor * d.slope + rise * d.value};
        const struct dual next = {b + factor / c.value,
                                  -1 + rise / c.value - (n > 1 ? factor * c.slope / (c.value * c.value) : 0)};
        c = next;
        d.value = 1 / below.value, d.slope = -below.slope * d.value * d.value;
        const double ratio = c.value * d.value, change = c.slope * d.value + c.value * d.slope;
        h.slope = h.slope * ratio + h.value * change;
        h.value *= ratio;
        if (fabs(ratio - 1) < exact && fabs(change) * h.value < exact * fabs(h.slope))
            break;
    }
    return x * (h.value * (log(x) - digamma_of_positive(shape)) + h.slope);
}

/* The logarithm of x^a exp(-x) / Gamma(a + 1). For large shapes computed from differences, because the terms are far
   larger. */
static double log_gamma_term(double shape, double x)
{
    if (shape < 10) {
        int sign;
        return shape * log(x) - x - lgamma_r(shape + 1, &sign);
    }
    const double away = (x - shape) / shape, square = 1 / (shape * shape);
    const double rest = (1.0 / 12 - square * (1.0 / 360 - square * (1.0 / 1260 - square / 1680))) / shape;
    return shape * (log1p(away) - away) - 0.5 * log(shape) - 0.9189385332046727 - rest;
}

/* The regularized incomplete gamma function P(a, x), DLMF 8.2.4. */
static double gamma_share(double shape, double x)
{
    if (!(shape >= 0 && x >= 0) || (shape == 0 && x == 0) || (isinf(shape) && isinf(x)))
        return NAN;
    if (x == 0 || isinf(shape))
        return 0;
    if (shape == 0 || isinf(x))
        return 1;
    if (shape >= LARGE_SHAPE) {
        const double w = (x - shape) / sqrt(shape);
        return w < -30 ? 0 : w > 30 ? 1 : 0.5 * erfc(-normal_quantile(shape, x) * 0.7071067811865476);
    }
    if (x <= shape + 1) {
        double term = 1, sum = 1;
        for (int n = 1; n < MOST_TERMS && term > 1e-18 * sum; n++) {
            term *= x / (shape + n);
            sum += term;
        }
        return exp(log_gamma_term(shape, x)) * sum;
    }
    double b = x + 1 - shape, c = INFINITY, d = 1 / b, h = d;
    for (int n = 1; n < MOST_TERMS; n++) {
        const double factor = -n * (n - shape);
        b += 2;
        d = 1 / (b + factor * d);
        c = b + factor / c;
        h *= c * d;
        if (fabs(c * d - 1) < 1e-16)
            break;
    }
    return 1 - exp(log_gamma_term(shape, x)) * shape * h;
}

/* The continued fraction for F = density x (1 - x) / a times it (DLMF 8.17.22), for x < (a + 1) / (a + b + 2), and
   its derivative with respect to a (of_first) or b. */
static struct dual beta_fraction(double a, double b, double x, int of_first)
{
    const double da = of_first, db = 1 - of_first;
    struct dual c = {1, 0}, d, h;
    d.value = 1 - (a + b) * x / (a + 1);
    d.slope = -x * ((da + db) * (a + 1) - (a + b) * da) / ((a + 1) * (a + 1));
    d.value = 1 / d.value, d.slope = -d.slope * d.value * d.value;
    h = d;
    for (int m = 1; m < MOST_TERMS; m++) {
        double near = 0, change = 0;
        for (int odd = 0; odd < 2; odd++) {
            double factor, rise; /* and its derivative, divided by it */
            if (odd) {
                factor = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
                rise = factor * (da / (a + m) + (da + db) / (a + b + m) - da / (a + 2 * m) - da / (a + 2 * m + 1));
            } else {
                const double scale = m * x / ((a + 2 * m - 1) * (a + 2 * m));
                factor = scale * (b - m);
                rise = scale * db - factor * da * (1 / (a + 2 * m - 1) + 1 / (a + 2 * m));
            }
            const struct dual below = {1 + factor * d.value, factor * d.slope + rise * d.value};
            const struct dual next = {1 + factor / c.value, rise / c.value - factor * c.slope / (c.value * c.value)};
            c = next;
            d.value = 1 / below.value, d.slope = -below.slope * d.value * d.value;
            const double ratio = c.value * d.value, by = c.slope * d.value + c.value * d.slope;
            h.slope = h.slope * ratio + h.value * by;
            h.value *= ratio;
            near = fabs(ratio - 1), change = fabs(by);
        }
        if (near < 1e-15 && change * fabs(h.value) < 1e-15 * (fabs(h.slope) + 1e-300))
            break;
    }
    return h;
}

/* dx/da / (1 - x) for a beta draw x with parameters a and b. */
static double beta_slope(double x, double a, double b)
{
    if (!(a > 0 && b > 0 && x >= 0 && x <= 1) || a > 1e300 || b > 1e300)
        return NAN;
    if (x == 0)
        return 0;
    const double both = digamma_of_positive(a + b) - digamma_of_positive(a);
    if (x < (a + 1) / (a + b + 2)) {
        const struct dual h = beta_fraction(a, b, x, 1);
        return -x / a * (h.value * (log(x) - 1 / a + both) + h.slope);
    }
    const struct dual h = beta_fraction(b, a, 1 - x, 0);
    return x / b * (h.value * (log(x) + both) + h.slope);
}
