/* sin and cos for float32 and float64. Polynomials as in Note [Own polynomials], with their errors in comments.

   Note [Arguments of sine and cosine]
   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
   x = n pi/2 + r with |r| <= pi/4. pi/2 consists of parts of 33 bits, so that n times a part is exact while n has 20
   bits, with fused multiply-add or without. No float64 of that range is closer to a multiple than about 2^-60, so two
   parts and the remainder leave r all its bits. Larger arguments are rare: they go to the C library, see Note [Guards]
   in functions.inc. float32 is computed as float64 throughout. */
#pragma once
#include <math.h>

#include "elements/math/float64.h"

#define HALF_PI_HIGH 0x1.921fb544p+0
#define HALF_PI_MIDDLE 0x1.0b4611a6p-34
#define HALF_PI_LOW 0x1.3198a2e037073p-69
#define LARGEST_ANGLE 0x1.8p20

/* n, in the low bits, and the remainder of x after the first two parts: r, and in `tail` its rounding error. */
static ALWAYS_INLINE double reduce_angle(double x, uint64_t *quadrant, double *tail)
{
    const double shifted = MULTIPLY_ADD64(x, 0x1.45f306dc9c883p-1, ROUNDING64), whole = shifted - ROUNDING64;
    const double high = MULTIPLY_ADD64(whole, -HALF_PI_HIGH, x), middle = whole * HALF_PI_MIDDLE;
    const double r = high - middle, part = r - high;
    const double lost = (high - (r - part)) - (middle + part), rest = MULTIPLY_ADD64(whole, -HALF_PI_LOW, lost);
    const double sum = r + rest;
    *quadrant = bits_of_double(shifted);
    *tail = rest - (sum - r);
    return sum;
}

/* The sine or the cosine, by quadrant, with its sign: 0 sin, 1 cos, 2 -sin, 3 -cos. */
static ALWAYS_INLINE double of_quadrant(uint64_t quadrant, double sine, double cosine)
{
    return double_of_bits(bits_of_double(quadrant & 1 ? cosine : sine) ^ (quadrant & 2) << 62);
}

/* sin(x + turns pi/2). */
static ALWAYS_INLINE double sine_float64(double x, uint64_t turns)
{
    static const double s[] = {/* (sin(r) / r - 1) / r^2 in r^2: 2^-58 of the sine */
                               -0x1.5555555555549p-3, 0x1.111111110f87bp-7, -0x1.a01a019c11a28p-13,
                               0x1.71de3577bdc8cp-19, -0x1.ae5e663fbe512p-26, 0x1.5d9302631881cp-33};
    static const double c[] = {/* (cos(r) - 1 + r^2 / 2) / r^4 in r^2: 2^-62 of the cosine */
                               0x1.5555555555553p-5, -0x1.6c16c16c1612ep-10, 0x1.a01a019e2441bp-16,
                               -0x1.27e4f90375addp-22, 0x1.1eea88e95583ep-29, -0x1.8ff99ab4498b8p-37};
    uint64_t quadrant;
    double tail;
    const double r = reduce_angle(x, &quadrant, &tail), z = r * r, half = 0.5 * z, most = 1.0 - half;
    const double sine = r + MULTIPLY_ADD64(r * z, polynomial64(z, s, 5), MULTIPLY_ADD64(-half, tail, tail));
    const double rest = MULTIPLY_ADD64(z * z, polynomial64(z, c, 5), -r * tail);
    const double cosine = most + (((1.0 - most) - half) + rest);
    return of_quadrant(quadrant + turns, sine, cosine);
}

static ALWAYS_INLINE float sine_float32(float x, uint64_t turns)
{
    static const double s[] = {/* as above: 2^-37 */
                               -0x1.5555554cb925dp-3, 0x1.11110895bad94p-7, -0x1.a00f9d300d11ep-13,
                               0x1.6cd83baafd543p-19};
    static const double c[] = {/* as above: 2^-32 */
                               0x1.55554ee02587bp-5, -0x1.6c0e773f4ccaep-10, 0x1.9a6efa1593719p-16};
    const double shifted = MULTIPLY_ADD64((double)x, 0x1.45f306dc9c883p-1, ROUNDING64), whole = shifted - ROUNDING64;
    const double high = MULTIPLY_ADD64(whole, -HALF_PI_HIGH, (double)x);
    const double r = MULTIPLY_ADD64(whole, -(HALF_PI_MIDDLE + HALF_PI_LOW), high), z = r * r;
    const double sine = MULTIPLY_ADD64(r * z, polynomial64(z, s, 3), r);
    const double cosine = MULTIPLY_ADD64(z * z, polynomial64(z, c, 2), MULTIPLY_ADD64(z, -0.5, 1.0));
    return (float)of_quadrant(bits_of_double(shifted) + turns, sine, cosine);
}

static ALWAYS_INLINE float sin_float32(float x)
{
    return x == 0.0f ? x : sine_float32(x, 0); /* the sum loses the sign of 0 */
}
static ALWAYS_INLINE float cos_float32(float x) { return sine_float32(x, 1); }
static ALWAYS_INLINE double sin_float64(double x) { return x == 0.0 ? x : sine_float64(x, 0); }
static ALWAYS_INLINE double cos_float64(double x) { return sine_float64(x, 1); }
