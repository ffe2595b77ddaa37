/* Sines of multiples of pi, whose arguments are reduced without error, for float64. */
#pragma once
#include "elements/math/float64.h"

#define PI64 0x1.921fb54442d18p+1

/* The signed distance from the nearest whole number, from -1/2 to 1/2; NaN for infinity. All numbers from 2^52 on are
   whole. */
static ALWAYS_INLINE double beyond_whole(double size)
{
    return size < 0x1p52 ? size - (size + 0x1p52 - 0x1p52) : size - size;
}

/* sin(pi r) for |r| up to 1/2. */
static ALWAYS_INLINE double sine_of_turn(double r)
{
    static const double s[] = {/* sin(pi r) / r in r^2: 2^-61 */
                               0x1.921fb54442d18p+1, -0x1.4abbce625be52p+2, 0x1.466bc6775aa7dp+1,
                               -0x1.32d2cce627c86p-1, 0x1.5078348551854p-4, -0x1.e3074dfaf87afp-8,
                               0x1.e8f3675ee37ddp-12, -0x1.6f7acdb8f6580p-16, 0x1.9d462020fcc78p-21};
    return r * polynomial64(r * r, s, 8);
}

/* sin(pi x) / (pi x): 1 at 0, NaN for infinities. */
static ALWAYS_INLINE double sinc_float64(double x)
{
    const double size = __builtin_fabs(x), r = beyond_whole(size), sine = sine_of_turn(r);
    const double value = (beyond_whole(0.5 * (size - r)) == 0.0 ? sine : 0.0 - sine) / (PI64 * size); /* even or odd turns */
    return x == 0.0 ? 1.0 : value;
}
