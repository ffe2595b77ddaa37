/* Hurwitz's zeta function, computed as float64: too rare for vectors. */
#pragma once
#include <math.h>

/* The sum of (q + k)^-s over k >= 0 for s > 1 and q > 0: terms up to 9, then the rest by Euler and Maclaurin. */
static double zeta_of_positive(double s, double q)
{
    static const double b[] = {/* Bernoulli's numbers B(2 k) / (2 k)! */
                               0x1.5555555555555p-4, -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15,
                               -0x1.bbd779334ef0bp-21, 0x1.66a8f2bf70ebep-26, -0x1.22805d644267fp-31,
                               0x1.d6db2c4e09162p-37, -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47,
                               -0x1.f57d968caacf1p-53, 0x1.967e1f09c376fp-58, -0x1.497d9033a2b5cp-63};
    double at = q, term = pow(q, -s), sum = term;
    for (int i = 0; i < 9 || at <= 9.0; i++) {
        at += 1.0;
        term = pow(at, -s);
        sum += term;
        if (!(term > 0x1p-54 * sum))
            return sum; /* NaN, and infinite arguments, too */
    }
    double rest = at * term / (s - 1.0) - 0.5 * term, factor = s * term / at;
    for (int k = 0; k < 12; k++) {
        const double more = b[k] * factor;
        rest += more;
        if (!(fabs(more) > 0x1p-54 * sum))
            break;
        factor *= (s + (2 * k + 1)) / at * ((s + (2 * k + 2)) / at);
    }
    return sum + rest;
}

/* For every s and q: infinite at s = 1 and at q = 0, -1, ...; NaN for s < 1, and for negative q unless s is whole. The
   terms before 0 are a finite sum, the difference of two. */
static double zeta_of(double s, double q)
{
    if (s != s || q != q || s < 1.0)
        return NAN;
    const double whole = floor(q), fraction = q - whole;
    if (s == 1.0 || (q <= 0.0 && fraction == 0.0 && fabs(q) < INFINITY))
        return INFINITY;
    if (q > 0.0)
        return zeta_of_positive(s, q);
    if (floor(s) != s || !(fabs(q) < INFINITY))
        return NAN;
    const double before = zeta_of_positive(s, 1.0 - fraction) - zeta_of_positive(s, 1.0 - q);
    return zeta_of_positive(s, fraction) + (fmod(s, 2.0) == 1.0 ? -before : before);
}
