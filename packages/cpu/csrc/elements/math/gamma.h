/* The logarithm of the gamma function, its derivative and second derivative, for float32 and float64. Polynomials as in
   Note [Own polynomials]; float32 is computed as float64, with shorter ones.

   Note [Gamma functions]
   ~~~~~~~~~~~~~~~~~~~~~~
   Near the roots at 1 and 2 (of digamma, at 1.46) the function is a polynomial times the distance from the root, so
   that no digits are lost there. Arguments between that interval and GAMMA_FAR are moved into it by whole numbers:
   lgamma(x) = lgamma(x - 1) + log(x - 1), where the product of the steps needs one logarithm, and the sum of their
   reciprocals, as one fraction, one division. Beyond GAMMA_FAR, Stirling's series is used. Negative numbers are
   reflected, and their roots lose digits, as the terms cancel: the error is small compared with the larger term. */
#pragma once
#include "elements/math/exponents.h"
#include "elements/math/turns.h"

#define GAMMA_FAR 6.0
#define GAMMA_FAR_FLOAT32 4.0
#define DIGAMMA_ROOT 0x1.762d86356be3fp+0
#define DIGAMMA_ROOT_LOW 0x1.b86a722197829p-54
#define LOG_PI64 0x1.250d048e7a1bdp+0

static ALWAYS_INLINE double log_of_width(double x, int is_float32)
{
    return is_float32 ? wide_log(x) : log_float64(x);
}

/* ------------------------------------------------------------------------------------------------------- lgamma */
/* lgamma(2 + t) / t for t from -3/4 to 1/2. */
static ALWAYS_INLINE double lgamma_near_two(double t, int is_float32)
{
    static const double q[] = {/* 2^-57 */
                               0x1.b0ee6072093cep-2, 0x1.4a34cc4a60fa6p-2, -0x1.13e001a55760dp-4,
                               0x1.51322ac7d8931p-6, -0x1.e404fc218c557p-8, 0x1.7add6ead24b2fp-9,
                               -0x1.38ac5c2e528f1p-10, 0x1.0b36afc6a0b9ap-11, -0x1.d3fd4a7d4f970p-13,
                               0x1.a127927d22adfp-14, -0x1.78ded94b1e5dep-15, 0x1.5811f1440bedcp-16,
                               -0x1.3ca988a7346b2p-17, 0x1.254590089761cp-18, -0x1.137ac24392c4ep-19,
                               0x1.03957c5bfffebp-20, -0x1.af770681c449dp-22, 0x1.bdcb694fe824dp-23,
                               -0x1.9db0f678cb211p-23, 0x1.acfd7c347fbb1p-28, 0x1.afb50278530d2p-25,
                               0x1.44a2494351c70p-24};
    static const double short_q[] = {/* 2^-33 */
                               0x1.b0ee6071f9654p-2, 0x1.4a34cc4cae781p-2, -0x1.13e001705e68ap-4,
                               0x1.513220149671ap-6, -0x1.e4057c889642bp-8, 0x1.7ae43c6a8bf91p-9,
                               -0x1.388cdbeb6f8fap-10, 0x1.0a593984a8d4bp-11, -0x1.db7cf164ca9c4p-13,
                               0x1.b8b46860ec594p-14, -0x1.0abc6bae7ad12p-15, 0x1.f842ffcc17399p-17,
                               -0x1.dd2fabd2c8668p-16};
    return is_float32 ? polynomial64(t, short_q, 12) : polynomial64(t, q, 21);
}

/* lgamma(x) x less Stirling's formula, in z = 1 / x^2. */
static ALWAYS_INLINE double lgamma_series(double z, int is_float32)
{
    static const double s[] = {/* from 6 on: 2^-56 */
                               0x1.5555555555555p-4, -0x1.6c16c16c14538p-9, 0x1.a01a018331affp-11,
                               -0x1.3813603b5c614p-11, 0x1.b93f37c622604p-11, -0x1.f3c0af31a4220p-10,
                               0x1.82c3913a04b95p-8, -0x1.0d85138f57823p-6};
    static const double short_s[] = {/* from 4 on: 2^-35 */
                               0x1.555555552d00bp-4, -0x1.6c16b19c829e0p-9, 0x1.9ff9c91860643p-11,
                               -0x1.323260937c3fdp-11, 0x1.432a8e1cf616fp-11};
    return is_float32 ? polynomial64(z, short_s, 4) : polynomial64(z, s, 7);
}

/* For x > -1/2. */
static ALWAYS_INLINE double lgamma_of(double x, int is_float32)
{
    const int below = x < 1.25, far = x >= (is_float32 ? GAMMA_FAR_FLOAT32 : GAMMA_FAR);
    double moved = x, product = 1.0;
    const int steps = is_float32 ? 2 : 4;
#pragma GCC unroll 4
    for (int i = 0; i < steps; i++) {
        const int above = moved >= 2.5;
        moved = above ? moved - 1.0 : moved;
        product = above ? product * moved : product;
    }
    const double t = x >= 1.25 ? moved - 2.0 : x >= 0.5 ? x - 1.0 : x;
    const double quotient = x >= 0.5 ? x : __builtin_fabs(x) * (x + 1.0);
    const double logarithm = log_of_width(far ? x : below ? quotient : product, is_float32);
    const double near = t * lgamma_near_two(t, is_float32) + (below ? -logarithm : logarithm);
    const double inverse = 1.0 / x, series = inverse * lgamma_series(inverse * inverse, is_float32);
    const double stirling = (x - 0.5) * (logarithm - 1.0) + (0x1.acfe390c97d69p-2 + series); /* log(2 pi) / 2 - 1/2 */
    return far ? stirling : near;
}

/* For x <= -1/2: log(pi / |x sin(pi x)|) - lgamma(-x). */
static ALWAYS_INLINE double lgamma_reflected(double x, int is_float32)
{
    const double size = -x, sine = __builtin_fabs(sine_of_turn(beyond_whole(size)));
    const double value = LOG_PI64 - log_float64(size * sine) - lgamma_of(size, is_float32);
    return sine > 0.0 ? value : __builtin_inf();
}

/* ------------------------------------------------------------------------------------------------------ digamma */
/* digamma(x) / (x - DIGAMMA_ROOT) in x - 1.5, for x from 1 to 2. */
static ALWAYS_INLINE double digamma_near_root(double t, int is_float32)
{
    static const double q[] = {/* 2^-58 */
                               0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee98p-2, 0x1.eca189b8e6f6dp-3,
                               -0x1.2feeeb98a78eap-3, 0x1.8512e5903903ep-4, -0x1.fb44202a2306bp-5,
                               0x1.4de9aa1779d23p-5, -0x1.b9f8b11bfd3d0p-6, 0x1.2564717896ec6p-6,
                               -0x1.863563f44f303p-7, 0x1.03c0adafa529cp-7, -0x1.5a06a5d662cb4p-8,
                               0x1.cd2011454fd05p-9, -0x1.336dbe66757c8p-9, 0x1.99d3f5c0cad5ep-10,
                               -0x1.0fb38d217b800p-10, 0x1.6a3e76070c135p-11, -0x1.fd8e50abf2196p-12,
                               0x1.53b23429da21bp-12, -0x1.2fae5cb379bf2p-13, 0x1.94e73cc9821e1p-14,
                               -0x1.75c084e78a4cdp-13, 0x1.f255c4568ac4dp-14};
    static const double short_q[] = {/* 2^-32 */
                               0x1.e6f0cbb873616p-1, -0x1.b1cb62d2dcef3p-2, 0x1.eca1897c3bf13p-3,
                               -0x1.2fef1341f1b14p-3, 0x1.85131a6ff2db2p-4, -0x1.fb307dca3332fp-5,
                               0x1.4ddc93abfb95bp-5, -0x1.bc095633c9024p-6, 0x1.26c4d20080fcap-6,
                               -0x1.6b99e86822b97p-7, 0x1.e408c5bbea971p-8, -0x1.f86ab73f1c5b6p-8,
                               0x1.5023bcde38802p-8};
    return is_float32 ? polynomial64(t, short_q, 12) : polynomial64(t, q, 22);
}

/* (log(x) - 1 / (2 x) - digamma(x)) / z in z = 1 / x^2. */
static ALWAYS_INLINE double digamma_series(double z, int is_float32)
{
    static const double s[] = {/* from 6 on: 2^-56 */
                               0x1.5555555555555p-4, -0x1.1111111110839p-7, 0x1.041040ffe2d6dp-8,
                               -0x1.11110af266f01p-8, 0x1.f077969fc7983p-8, -0x1.591b31055814cp-6,
                               0x1.4d9027aef6f64p-4, -0x1.78afabe10fc96p-2, 0x1.3d3a1cf7ffb94p+0};
    static const double short_s[] = {/* from 4 on: 2^-31 */
                               0x1.55555553b8abep-4, -0x1.1110e898f4997p-7, 0x1.03e6e2a96205fp-8,
                               -0x1.0976b97df97e3p-8, 0x1.5535a54646298p-8};
    return is_float32 ? polynomial64(z, short_s, 4) : polynomial64(z, s, 8);
}

/* For x >= 0, and -0. */
static ALWAYS_INLINE double digamma_of(double x, int is_float32)
{
    const int below = x < 1.0, far = x >= (is_float32 ? GAMMA_FAR_FLOAT32 : GAMMA_FAR);
    double moved = below ? x + 1.0 : x, above = 0.0, under = 1.0; /* the fraction 1 / (x - 1) + 1 / (x - 2) + ... */
    const int steps = is_float32 ? 2 : 4;
#pragma GCC unroll 4
    for (int i = 0; i < steps; i++) {
        const int more = moved >= 2.0;
        moved = more ? moved - 1.0 : moved;
        above = more ? above * moved + under : above;
        under = more ? under * moved : under;
    }
    const double quotient = (below ? -1.0 : far ? 1.0 : above) / (below | far ? x : under);
    const double distance = (below ? x - 0x1.d8b618d5af8fep-2 : moved - DIGAMMA_ROOT) -
                            (below ? -0x1.1e563779a1f5bp-56 : DIGAMMA_ROOT_LOW);
    const double near = distance * digamma_near_root(moved - 1.5, is_float32) + quotient;
    const double z = quotient * quotient;
    const double series = log_of_width(x, is_float32) - (0.5 * quotient + z * digamma_series(z, is_float32));
    return far ? series : near;
}

/* For x < 0: digamma(1 - x) - pi / tan(pi x). */
static ALWAYS_INLINE double digamma_reflected(double x, int is_float32)
{
    const double r = beyond_whole(-x), size = __builtin_fabs(r), sine = sine_of_turn(r);
    const double value = digamma_of(1.0 - x, is_float32) + PI64 * sine_of_turn(0.5 - size) / sine;
    return size > 0.0 ? value : __builtin_nan("");
}

/* ----------------------------------------------------------------------------------------------------- trigamma */
/* (trigamma(x) - 1 / x - 1 / (2 x^2)) x^3 in z = 1 / x^2. */
static ALWAYS_INLINE double trigamma_series(double z, int is_float32)
{
    static const double s[] = {/* from 6 on: 2^-57 */
                               0x1.5555555555555p-3, -0x1.1111111110e30p-5, 0x1.86186184696f5p-6,
                               -0x1.11110f87718ddp-5, 0x1.364cdb324b06dp-4, -0x1.0317223225078p-2,
                               0x1.288c86f485c6ap+0, -0x1.a88e0b8bcb46ep+2, 0x1.3427eb09f9579p+5,
                               -0x1.2102cc84c83efp+7};
    static const double short_s[] = {/* from 4 on: 2^-33 */
                               0x1.55555554db2bfp-3, -0x1.11110870bb427p-5, 0x1.860b85807a456p-6,
                               -0x1.0f458a53fdb53p-5, 0x1.18053c5ff4412p-4, -0x1.0132f94e7440cp-3};
    return is_float32 ? polynomial64(z, short_s, 5) : polynomial64(z, s, 9);
}

/* For x >= 0: moved beyond GAMMA_FAR, since all terms are positive. The first, the largest, is divided by itself. */
static ALWAYS_INLINE double trigamma_of(double x, int is_float32)
{
    const int steps = is_float32 ? 3 : 5, near = x < (is_float32 ? GAMMA_FAR_FLOAT32 : GAMMA_FAR);
    const double first = near ? 1.0 / (x * x) : 0.0;
    double moved = near ? x + 1.0 : x, above = 0.0, under = 1.0; /* the fraction 1 / (x + 1)^2 + 1 / (x + 2)^2 + ... */
#pragma GCC unroll 6
    for (int i = 0; i < steps; i++) {
        const int more = moved < (is_float32 ? GAMMA_FAR_FLOAT32 : GAMMA_FAR);
        const double square = moved * moved;
        above = more ? above * square + under : above;
        under = more ? under * square : under;
        moved = more ? moved + 1.0 : moved;
    }
    const double inverse = 1.0 / moved, z = inverse * inverse;
    return first + (above / under + (inverse + (0.5 * z + inverse * z * trigamma_series(z, is_float32))));
}

/* For x < 0: (pi / sin(pi x))^2 - trigamma(1 - x). */
static ALWAYS_INLINE double trigamma_reflected(double x, int is_float32)
{
    const double r = beyond_whole(-x), quotient = PI64 / sine_of_turn(r);
    return r == 0.0 ? __builtin_inf() : quotient * quotient - trigamma_of(1.0 - x, is_float32);
}
