/* tan and the inverse circular functions for float32 and float64. Polynomials as in Note [Own polynomials], with their
   errors in comments. float32 is computed as float64 throughout, with shorter polynomials. */
#pragma once
#include "elements/math/pairs.h"
#include "elements/math/trigonometric.h"

#define PI_HIGH 0x1.921fb54442d18p+1
#define PI_LOW 0x1.1a62633145c07p-53

static ALWAYS_INLINE double tan_of(double x, int is_short)
{
    static const double s[] = {-0x1.5555555555549p-3, 0x1.111111110f87bp-7, -0x1.a01a019c11a28p-13,
                               0x1.71de3577bdc8cp-19, -0x1.ae5e663fbe512p-26, 0x1.5d9302631881cp-33};
    static const double c[] = {0x1.5555555555553p-5, -0x1.6c16c16c1612ep-10, 0x1.a01a019e2441bp-16,
                               -0x1.27e4f90375addp-22, 0x1.1eea88e95583ep-29, -0x1.8ff99ab4498b8p-37};
    static const double short_s[] = {-0x1.5555554cb925dp-3, 0x1.11110895bad94p-7, -0x1.a00f9d300d11ep-13,
                                     0x1.6cd83baafd543p-19}; /* these four as in trigonometric.h */
    static const double short_c[] = {0x1.55554ee02587bp-5, -0x1.6c0e773f4ccaep-10, 0x1.9a6efa1593719p-16};
    uint64_t quadrant;
    double tail;
    const double r = reduce_angle(x, &quadrant, &tail), z = r * r, half = 0.5 * z, most = 1.0 - half;
    const double sine = is_short ? MULTIPLY_ADD64(r * z, polynomial64(z, short_s, 3), r)
                                 : r + MULTIPLY_ADD64(r * z, polynomial64(z, s, 5), MULTIPLY_ADD64(-half, tail, tail));
    const double rest = is_short ? z * z * MULTIPLY_ADD64(MULTIPLY_ADD64(short_c[2], z, short_c[1]), z, short_c[0])
                                 : MULTIPLY_ADD64(z * z, polynomial64(z, c, 5), -r * tail);
    const double cosine = most + (((1.0 - most) - half) + rest);
    const double above = quadrant & 1 ? -cosine : sine, below = quadrant & 1 ? sine : cosine;
    return x == 0.0 ? x : above / below;
}
static ALWAYS_INLINE double tan_float64(double x) { return tan_of(x, 0); } /* up to LARGEST_ANGLE */
static ALWAYS_INLINE float tan_float32(float x) { return (float)tan_of(x, 1); }

/* The angle from 0 to pi/2 whose tangent is above / below, neither negative. Beyond tan(3 pi/8) it is pi/2 less that of
   the inverse, beyond tan(pi/8) it is pi/4 and that of (above - below) / (above + below). */
static ALWAYS_INLINE double angle_of(double above, double below, int is_short)
{
    static const double p[] = {/* (atan(t) / t - 1) / t^2 in t^2, up to tan(pi/8): 2^-57 of the angle */
                               -0x1.5555555555555p-2, 0x1.9999999999999p-3, -0x1.2492492492460p-3,
                               0x1.c71c71c718cd9p-4, -0x1.745d1744b460ap-4, 0x1.3b13b106be071p-4,
                               -0x1.11110ad3458eep-4, 0x1.e1e0de4023a93p-5, -0x1.af19a4df9619cp-5,
                               0x1.857f8346cd3fdp-5, -0x1.5fc8a61e87785p-5, 0x1.31038a2d9a394p-5,
                               -0x1.bed41c47c5a20p-6, 0x1.87d01190ba280p-7};
    static const double short_p[] = {/* the same: 2^-37 */
                                     -0x1.5555555501fccp-2, 0x1.999998252c102p-3, -0x1.2491c06b7beb4p-3,
                                     0x1.c6f6805515223p-4, -0x1.71d36b7402effp-4, 0x1.244168c2ea69bp-4,
                                     -0x1.4b308db6bc79ap-5};
    const int steep = above > 0x1.3504f333f9de6p+1 * below, middle = above > 0x1.a827999fcef34p-2 * below;
    const double upper = steep ? -below : middle ? above - below : above;
    const double lower = steep ? above : middle ? above + below : below;
    const double base = steep ? PI_HIGH / 2 : middle ? PI_HIGH / 4 : 0.0;
    const double base_low = steep ? PI_LOW / 2 : middle ? PI_LOW / 4 : 0.0;
    const double t = upper / lower, z = t * t;
    const double series = is_short ? polynomial64(z, short_p, 6) : polynomial64(z, p, 13);
    return base + (t + MULTIPLY_ADD64(t * z, series, base_low));
}
static ALWAYS_INLINE double atan_of(double x, int is_short)
{
    const double size = __builtin_fabs(x), bounded = size > 0x1p60 ? 0x1p60 : size;
    return __builtin_copysign(angle_of(bounded, 1.0, is_short), x);
}
static ALWAYS_INLINE double atan_float64(double x) { return atan_of(x, 0); }
static ALWAYS_INLINE float atan_float32(float x) { return (float)atan_of(x, 1); }

/* The angle of the point (x, y), from -pi to pi. Lengths are scaled so that sums do not overflow, nor quotients lose
   bits. */
static ALWAYS_INLINE double atan2_of(double y, double x, int is_short)
{
    const double infinite = __builtin_inf();
    double above = __builtin_fabs(y), below = __builtin_fabs(x);
    const int both = (above == infinite) & (below == infinite), neither = (above == 0.0) & (below == 0.0);
    if (!is_short) {
        const double larger = above > below ? above : below;
        const double scale = larger > 0x1p1000 ? 0x1p-100 : larger < 0x1p-900 ? 0x1p120 : 1.0;
        above *= scale;
        below *= scale;
    }
    above = both ? 1.0 : above;
    below = both | neither ? 1.0 : below;
    const int straight = above == infinite; /* a quotient of infinities elsewhere */
    above = straight ? 1.0 : above;
    below = straight & (below == below) ? 0.0 : below;
    const double angle = angle_of(above, below, is_short);
    const int left = bits_of_double(x) >> 63 != 0;
    const double turned = left ? PI_HIGH - (angle - PI_LOW) : angle;
    const double signed_angle = __builtin_copysign(turned, y);
    return (x != x) | (y != y) ? x + y : signed_angle;
}
static ALWAYS_INLINE double atan2_float64(double y, double x) { return atan2_of(y, x, 0); }
static ALWAYS_INLINE float atan2_float32(float y, float x) { return (float)atan2_of(y, x, 1); }

/* (asin(s) / s - 1) / s^2 in z = s^2, up to 1/4. */
static ALWAYS_INLINE double arcsine_series(double z, int is_short)
{
    static const double p[] = {/* 2^-58 of the angle */
                               0x1.5555555555555p-3, 0x1.3333333333388p-4, 0x1.6db6db6dac1e0p-5, 0x1.f1c71c7a52ba3p-6,
                               0x1.6e8ba123e494cp-6, 0x1.1c4efce23019fp-6, 0x1.c990ad3d8fdcap-7, 0x1.7b027ee1dd585p-7,
                               0x1.3b49de7121487p-7, 0x1.31622469ce5adp-7, 0x1.8f193743418ffp-9, 0x1.406192d124629p-6,
                               -0x1.3b416bb7d9257p-6, 0x1.e529c6fce9bb4p-6};
    static const double short_p[] = {/* 2^-33 */
                                     0x1.5555555c0171dp-3, 0x1.33331ecf8b70bp-4, 0x1.6dc0f007c13e8p-5,
                                     0x1.efedf83ab6506p-6, 0x1.82db23768c84fp-6, 0x1.5a80a068e3ee2p-7,
                                     0x1.fb7ca379d49c6p-6};
    return is_short ? polynomial64(z, short_p, 6) : polynomial64(z, p, 13);
}

/* Of x from -1 to 1, NaN elsewhere. Near 1: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)); the root's own rounding error
   counts for float64. */
static ALWAYS_INLINE double arc_of(double x, int is_cosine, int is_short)
{
    const double size = __builtin_fabs(x);
    const int near = size > 0.5;
    const double z = near ? 0.5 - 0.5 * size : size * size, s = near ? __builtin_sqrt(z) : size;
    double lost = 0.0;
    if (!is_short) {
        const struct pair square = exact_product(s, s);
        const double half = ((z - square.high) - square.low) / (2.0 * s);
        lost = near & (s > 0.0) ? half : 0.0;
    }
    const double rest = MULTIPLY_ADD64(s * z, arcsine_series(z, is_short), lost); /* asin(s) is s + rest */
    if (is_cosine) {
        const int left = bits_of_double(x) >> 63 != 0;
        const double twice = 2.0 * (s + rest), inner = __builtin_copysign(s, x), further = left ? -rest : rest;
        const double close = PI_HIGH / 2 - (inner - (PI_LOW / 2 - further));
        return near ? (left ? PI_HIGH - (twice - PI_LOW) : twice) : close;
    }
    const double far = PI_HIGH / 2 - (2.0 * s + (2.0 * rest - PI_LOW / 2));
    return __builtin_copysign(near ? far : s + rest, x);
}
static ALWAYS_INLINE double asin_float64(double x) { return arc_of(x, 0, 0); }
static ALWAYS_INLINE float asin_float32(float x) { return (float)arc_of(x, 0, 1); }
static ALWAYS_INLINE double acos_float64(double x) { return arc_of(x, 1, 0); }
static ALWAYS_INLINE float acos_float32(float x) { return (float)arc_of(x, 1, 1); }
