/* Division of complex numbers. */
#pragma once
#include <complex.h>
#include <math.h>

#include "elements/dtypes.h"

/* Smith's method: divide by the larger part of the divisor first, so that its square is never computed. */
static ALWAYS_INLINE double _Complex divide_complex128(double _Complex x, double _Complex y)
{
    const double a = creal(x), b = cimag(x), c = creal(y), d = cimag(y);
    if (fabs(c) >= fabs(d)) {
        const double ratio = d / c, whole = c + d * ratio;
        return CMPLX((a + b * ratio) / whole, (b - a * ratio) / whole);
    }
    const double ratio = c / d, whole = c * ratio + d;
    return CMPLX((a * ratio + b) / whole, (b * ratio - a) / whole);
}
