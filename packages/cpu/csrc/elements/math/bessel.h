/* The modified Bessel functions of the first kind, of orders 0 and 1, and the same times exp(-|x|), for float32 and
   float64. Polynomials as in Note [Own polynomials]; float32 is computed as float64, with shorter ones. */
#pragma once
#include "elements/math/float64.h"

#define BESSEL_FAR 8.0 /* the boundary between the polynomials in x^2 and those in 1 / x */

/* Of order 0 (or 1, over x / 2) in z = x^2 / 4, up to BESSEL_FAR. */
static ALWAYS_INLINE double bessel_near(double z, int order, int is_float32)
{
    static const double p[] = {/* of order 0: 2^-61 */
                               0x1.0p+0, 0x1.0p+0, 0x1.0000000000002p-2, 0x1.c71c71c71c6dfp-6, 0x1.c71c71c71cbe1p-10,
                               0x1.23456789a8318p-14, 0x1.02e85c08d260ap-19, 0x1.522a43f155552p-25,
                               0x1.522a444603fe2p-31, 0x1.0b312ee43b7c5p-37, 0x1.5601c7e411b36p-44,
                               0x1.69c76363ac35fp-51, 0x1.41b6c17a09391p-58, 0x1.e56f7ffb05c87p-66,
                               0x1.46a4446d3e276p-73, 0x1.31d00bad6ba1ap-81, 0x1.20d247d00eeebp-88};
    static const double short_p[] = {/* the same: 2^-37 */
                               0x1.000000000671cp+0, 0x1.fffffffeefc8dp-1, 0x1.000000076f576p-2, 0x1.c71c7123e326bp-6,
                               0x1.c71c790a8b92cp-10, 0x1.2345365ed7919p-14, 0x1.02ea06747420cp-19,
                               0x1.5216f4b9d7d37p-25, 0x1.52c2e759c7227p-31, 0x1.07f989bbe74f1p-37,
                               0x1.6d39d7902e99bp-44, 0x1.ff5f71023dde2p-52, 0x1.2772a5231d6f6p-57};
    static const double q[] = {/* of order 1: 2^-59 */
                               0x1.0p+0, 0x1.0000000000001p-1, 0x1.5555555555540p-4, 0x1.c71c71c71c9ecp-8,
                               0x1.6c16c16c13a93p-12, 0x1.845c8a0d26f80p-17, 0x1.27e4fb73f1ad7p-22,
                               0x1.522a443ba2a26p-28, 0x1.2c97552280795p-34, 0x1.ab8234c2c46fbp-41,
                               0x1.f17258b099a34p-48, 0x1.e290ec0d14f98p-55, 0x1.8a6faa072cdf9p-62,
                               0x1.1dc3a22d140b2p-69, 0x1.1ec8e2d9b0ddbp-77, 0x1.20de50ee937a2p-84};
    static const double short_q[] = {/* the same: 2^-35 */
                               0x1.ffffffffd638ep-1, 0x1.00000002efc9ap-1, 0x1.5555550f717a7p-4, 0x1.c71c76dc3cb7bp-8,
                               0x1.6c16909d0c135p-12, 0x1.845eb21d0b466p-17, 0x1.27d58edd575fep-22,
                               0x1.52baffe65364ap-28, 0x1.291241e309bb4p-34, 0x1.c830370b9fc2dp-41,
                               0x1.5ffa5ba179b0dp-48, 0x1.bb5e9645db2e2p-54};
    return order ? is_float32 ? polynomial64(z, short_q, 11) : polynomial64(z, q, 15)
                 : is_float32 ? polynomial64(z, short_p, 12) : polynomial64(z, p, 16);
}

/* Times sqrt(x) exp(-x), in v = 1 / x - 1/16, from BESSEL_FAR on. */
static ALWAYS_INLINE double bessel_far(double v, int order, int is_float32)
{
    static const double p[] = {/* of order 0: 2^-57 */
                               0x1.9bd428ad249a5p-2, 0x1.b87969bb93b75p-5, 0x1.1daa72b5e650cp-5, 0x1.75e5ee71edd14p-5,
                               0x1.8e513a1d5e52bp-4, 0x1.3f49a6bcfc2d9p-2, 0x1.7d0f75812d9bcp+0, 0x1.51ced7b713adcp+3,
                               0x1.7224b1828e507p+6, 0x1.03896efb09a41p+9, -0x1.ce768f00b5374p+12,
                               -0x1.cc90f59ec1228p+17, -0x1.77cc956faaa2fp+20, 0x1.0317d4c7b215ap+25,
                               0x1.047454ffcb608p+29, -0x1.df1549cddfaf8p+31, -0x1.a9411c5b0ad08p+36,
                               0x1.9bbbfe31d81e9p+38, 0x1.0ab5ef575d285p+44, -0x1.31c908a5dd531p+45,
                               -0x1.e8fd992032bedp+50, 0x1.42a55974d41b8p+51, 0x1.1ce14787c5bdep+57,
                               -0x1.52109c25bd9ecp+56, -0x1.36e52c10032d7p+62};
    static const double short_p[] = {/* the same: 2^-34 */
                               0x1.9bd428ace466cp-2, 0x1.b87969ad8ea15p-5, 0x1.1daad75177365p-5, 0x1.75e8b706d3b8dp-5,
                               0x1.8cb8c8ec27089p-4, 0x1.3c4383e6b0d90p-2, 0x1.c67d5abdc5f50p+0, 0x1.a260057098b05p+3,
                               0x1.890ca334d7dd2p+2, -0x1.0549af0deb682p+9};
    static const double q[] = {/* of order 1: 2^-57 */
                               0x1.8ebe783a84030p-2, -0x1.3f796198ee63fp-3, -0x1.cbc54df1e894cp-5,
                               -0x1.f89c230446f74p-5, -0x1.ec8e107bd7eaap-4, -0x1.7613865ea6e9ap-2,
                               -0x1.ad8d43e5d60bep+0, -0x1.727702ec186d3p+3, -0x1.9191ff33370adp+6,
                               -0x1.21f47a4eb566bp+9, 0x1.ceff3cea7c3a4p+12, 0x1.e413f0678e137p+17,
                               0x1.99d190fe908dap+20, -0x1.0c96c7afcb02cp+25, -0x1.0e2bb88351649p+29,
                               0x1.05656ba38c1b6p+32, 0x1.aa440cf09ce30p+36, -0x1.11c9f66d690fcp+39,
                               -0x1.01ef463d9c576p+44, 0x1.268bd450a314cp+46, 0x1.c7aed1ee533f7p+50,
                               -0x1.07d06c81c1d24p+53, -0x1.fff33f3b3e75ap+56, 0x1.37bea5c8dbcccp+59,
                               0x1.0ddc7620a9205p+62, -0x1.5a29b473f1663p+64};
    static const double short_q[] = {/* the same: 2^-34 */
                               0x1.8ebe783ac82c6p-2, -0x1.3f79619513fb9p-3, -0x1.cbc5b8b9529cfp-5,
                               -0x1.f89f31bea253bp-5, -0x1.eadd4dc656c41p-4, -0x1.72c490a6947eep-2,
                               -0x1.fb0e5b3dc69f6p+0, -0x1.c9ef77019f9c2p+3, -0x1.4125acfc15804p+3,
                               0x1.0c324b2b14e6cp+9};
    return order ? is_float32 ? polynomial64(v, short_q, 9) : polynomial64(v, q, 25)
                 : is_float32 ? polynomial64(v, short_p, 9) : polynomial64(v, p, 24);
}

/* For x of any sign; `scaled` with exp(-|x|). Infinite from 720 on. */
static ALWAYS_INLINE double bessel_wide(double x, int order, int scaled, int is_float32)
{
    const double size = __builtin_fabs(x), bounded = size > 720.0 && !scaled ? 720.0 : size; /* NaN passes */
    const int far = bounded >= BESSEL_FAR;
    const double half = 0.5 * (far ? BESSEL_FAR : bounded), series = bessel_near(half * half, order, is_float32);
    const double near = order ? half * series : series;
    const double inverse = 1.0 / (far ? bounded : BESSEL_FAR);
    const double rest = bessel_far(inverse - 0.0625, order, is_float32) / __builtin_sqrt(far ? bounded : BESSEL_FAR);
    const double power = exp_float64(scaled ? -size : 0.5 * bounded); /* of half: exp(x) overflows before the result */
    const double result = scaled ? far ? rest : near * power : far ? rest * power * power : near;
    return order ? __builtin_copysign(result, x) : result;
}
