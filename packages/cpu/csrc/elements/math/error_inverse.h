/* The inverse error function for float32 and float64. Polynomials as in Note [Own polynomials]; float32 is computed as
   float64, with shorter ones. */
#pragma once
#include "elements/math/exponents.h"

/* erfinv(x) / x in w = -log(1 - x^2): M. Giles, Approximating the erfinv function, GPU Computing Gems, 2011. Near 1, where
   the quick form ends, it is a polynomial in the root of w. */
#define ERFINV_NEAR_FLOAT64 0x1.ff8p-1 /* w = 6.2 */
#define ERFINV_NEAR_FLOAT32 0x1.fe4p-1 /* w = 5 */

/* Of w up to 6.25; of the root of w from 2.49 to 6.06. */
static ALWAYS_INLINE double erfinv_of_near64(double w)
{
    static const double p[] = {/* in w - 25/8: 2^-58 */
                               0x1.a755e7c99ae86p+0, 0x1.ebd80d9b13df9p-3, -0x1.8b6c33114ea71p-8,
                               -0x1.8457694835230p-11, 0x1.879c2a20b13a0p-13, -0x1.d1d1f7ca61a14p-17,
                               -0x1.6e8a53ca14edfp-20, 0x1.c6b4f898a7553p-22, -0x1.f36cee3c60d01p-26,
                               -0x1.1a9eb3bfcd07cp-28, 0x1.20f53f519ed0ap-30, -0x1.dc3e5172ac9cfp-35,
                               -0x1.c8a5ab52e0019p-37, 0x1.7231a3e48d582p-39, -0x1.6ba68d1796bcfp-44,
                               -0x1.682f41a549495p-45, 0x1.d63b2bb633bd2p-48, -0x1.97658b3d58e2ep-55,
                               -0x1.1ac450727647cp-53, 0x1.2702e1128be12p-56, 0x1.7997aa9237e9cp-61,
                               -0x1.bed537ed97e92p-62, 0x1.61fa58bed690ap-66, 0x1.493dd47a7b686p-68,
                               -0x1.98901e99d9c27p-72, -0x1.71e85cb7c66e7p-76};
    return polynomial64(w - 3.125, p, 25);
}
static ALWAYS_INLINE double erfinv_of_far64(double root)
{
    static const double p[] = {/* in root - 13/4, to 4: 2^-59 */
                               0x1.8abcc380d5a48p+1, 0x1.0158a6d641d55p+0, 0x1.5ffcfe5b6cd38p-8,
                               -0x1.ebadabba02be5p-9, 0x1.468eeca944c44p-9, -0x1.ba9240d8768c3p-10,
                               0x1.f3cc545d9ca81p-11, -0x1.7448bcc8e9aa7p-12, 0x1.932e8fd4360edp-16,
                               0x1.1e6abbe66ca02p-14, -0x1.8cf463501e9a0p-15, 0x1.a241c6f237f34p-17,
                               0x1.899aa0e374402p-19, -0x1.0b79e820e8497p-18, 0x1.8db69feb41fb6p-20,
                               -0x1.da75906425fdap-26, -0x1.079a074d69940p-22, 0x1.1a9484c4d3628p-23,
                               -0x1.674f1725daa65p-26, -0x1.06f1da245bfd3p-26, 0x1.07e3c2020286fp-27};
    static const double q[] = {/* in root - 5, to 6.06: 2^-60 */
                               0x1.3664ddd1ad7fbp+2, 0x1.02a30d1fba10bp+0, -0x1.22ea5df1ccae2p-13,
                               -0x1.c2f36aa1638c2p-13, 0x1.3ebf4efb4c49cp-14, -0x1.4a34903f3f11bp-16,
                               0x1.2fbcfd61a87d9p-18, -0x1.0a903638df437p-20, 0x1.ebe3382822c77p-23,
                               -0x1.2237a31823231p-24, 0x1.f286be1619eddp-26, -0x1.056cac019a5dep-26,
                               0x1.0cc7fd2b315d3p-27, -0x1.e507b46114ceep-29, 0x1.69671312b6481p-30,
                               -0x1.a7db28d9dc0ecp-32, 0x1.3505a0f4fe690p-34, 0x1.2d196a8a5522ap-36,
                               -0x1.6994cb3e35608p-36, 0x1.7a40e4c435234p-38};
    return root < 4.0 ? polynomial64(root - 3.25, p, 20) : polynomial64(root - 5.0, q, 19);
}
static ALWAYS_INLINE double erfinv_near_float64(double x)
{
    return x * erfinv_of_near64(-log_float64((1.0 - x) * (1.0 + x)));
}
/* For sizes from ERFINV_NEAR_FLOAT64 on. */
static ALWAYS_INLINE double erfinv_far_float64(double x)
{
    const double value = x * erfinv_of_far64(__builtin_sqrt(-log_float64((1.0 - x) * (1.0 + x))));
    return __builtin_fabs(x) == 1.0 ? x * __builtin_inf() : value;
}
static ALWAYS_INLINE float erfinv_near_float32(float x)
{
    static const double p[] = {/* in w - 5/2: 2^-33 */
                               0x1.805c5cfcedef5p+0, 0x1.f91e89955a57fp-3, -0x1.11c3c3612a2ccp-8,
                               -0x1.4863d1009b540p-10, 0x1.c9b46cd91df7ap-13, -0x1.4f4496f9c1788p-18,
                               -0x1.caa32f746fad4p-19, 0x1.00f8719914c4ap-21, 0x1.d66fac2d14be4p-27,
                               -0x1.74f4495a187ccp-27, 0x1.c9c81e3c5b325p-31, 0x1.0e8b1b9516a51p-33,
                               -0x1.75045e36fd876p-36};
    const double wide = x, w = -wide_log((1.0 - wide) * (1.0 + wide));
    return (float)(wide * polynomial64(w - 2.5, p, 12));
}
static ALWAYS_INLINE float erfinv_far_float32(float x)
{
    static const double p[] = {/* in root - 25/8, to 4.06: 2^-33 */
                               0x1.7aaa3c13f9c99p+1, 0x1.00f3b55d06e38p+0, 0x1.cde40cb89fdb6p-8,
                               -0x1.5b6a7e63b25b1p-8, 0x1.f1520ff1a537cp-9, -0x1.4a1c6154f8bd0p-9,
                               0x1.4abb6acf6a0aep-10, -0x1.5e98cbccccee6p-12, -0x1.82532aff6e2fbp-14,
                               0x1.36cd6578caff0p-13, -0x1.d4e9fc2576f93p-15, -0x1.6af7316e32b84p-17,
                               0x1.627c08b0b7175p-17};
    const double wide = x, root = __builtin_sqrt(-wide_log((1.0 - wide) * (1.0 + wide)));
    const double value = wide * polynomial64(root - 3.125, p, 12);
    return __builtin_fabsf(x) == 1.0f ? x * __builtin_inff() : (float)value;
}

/* The normal distribution's quantile: sqrt(2) erfinv(2 x - 1), where 1 - (2 x - 1)^2 = 4 x (1 - x) loses no digits; so w
   goes further than erfinv's. float32 is computed as float64 with the same polynomials. */
#define NDTRI_NEAR 0x1p-11 /* w = 6.2 */
#define ROOT_TWO 0x1.6a09e667f3bcdp+0
static ALWAYS_INLINE double ndtri_near(double x)
{
    return ROOT_TWO * (2.0 * x - 1.0) * erfinv_of_near64(-log_float64(4.0 * x * (1.0 - x)));
}
static ALWAYS_INLINE double ndtri_far(double x)
{
    static const double p[] = {/* in root - 17/2, from 6 to 11: 2^-57 */
                               0x1.0c2f87b4c2fcbp+3, 0x1.01d4b302a5195p+0, -0x1.cd45277c1ef07p-12,
                               0x1.58d9b10dbb35bp-16, 0x1.3945a54d3be18p-22, -0x1.2fb0b127e09d2p-22,
                               0x1.e6dd4d2753730p-25, -0x1.3197538cf2017p-27, 0x1.59a38f3936577p-30,
                               -0x1.70b2b48099273p-33, 0x1.7a888a716a235p-36, -0x1.79e12dd2f0dd8p-39,
                               0x1.71733a0a95148p-42, -0x1.65dc5b9ceba1ap-45, 0x1.526e0c3a37c2ap-48,
                               -0x1.203f0d8e57e42p-51, 0x1.0ad193e1a6b96p-54, -0x1.80cfc6e8a81a1p-57,
                               0x1.57ae9c6fe940bp-60};
    static const double q[] = {/* in root - 77/4, from 11 to 27.5: 2^-58 */
                               0x1.32d1e3120bf9ap+4, 0x1.00a2fbb01bf33p+0, -0x1.8bdafbc0fafa0p-14,
                               0x1.f0a9b623eb659p-19, -0x1.386d19b5f0c9dp-23, 0x1.821f65e4bacbap-28,
                               -0x1.c9b21b542df53p-33, 0x1.f3248d5ab0f4ap-38, -0x1.c27dba1b0f49ap-43,
                               0x1.7e8e2ea15612dp-49, 0x1.feea38a44241ap-53, -0x1.0551fe5c958d3p-55,
                               0x1.4d2f3662e5f22p-59, -0x1.6d5b67b4f3cc4p-63, 0x1.7ae5457ce85aep-67,
                               -0x1.6e052b7dae8c3p-71, 0x1.269b190f15838p-75, -0x1.11ac8be9da054p-79,
                               0x1.b7f6abfbb024bp-83, -0x1.810bd7500d973p-87, -0x1.19d5152f1ec64p-92,
                               0x1.c51abbbd2347ep-97, 0x1.271e02c3adedbp-98, -0x1.f714aa8757283p-103};
    const double root = __builtin_sqrt(-log_float64(4.0 * x * (1.0 - x)));
    const double beyond = root < 11.0 ? polynomial64(root - 8.5, p, 18) : polynomial64(root - 19.25, q, 23);
    const double value = ROOT_TWO * (2.0 * x - 1.0) * (root < 6.0 ? erfinv_of_far64(root) : beyond);
    return x == 0.0 ? -__builtin_inf() : x == 1.0 ? __builtin_inf() : value;
}
