/* Functions of one real number under one name for float32 and float64, for use in operator definitions. */
#pragma once
#include <math.h>

#include "elements/math/float32.h"
#include "elements/math/float64.h"
#include "elements/math/gelu.h"
#include "elements/math/power.h"
#include "elements/math/remainder.h"
#include "elements/math/trigonometric.h"

/* The function of the type of x, applied to the further arguments. */
#ifdef __cplusplus
#define BY_TYPE(x, of_float32, of_float64, ...) \
    (sizeof(x) == sizeof(float) ? (decltype(+(x)))of_float32(__VA_ARGS__) : (decltype(+(x)))of_float64(__VA_ARGS__))
#else
#define BY_TYPE(x, of_float32, of_float64, ...) _Generic((x), float: of_float32, double: of_float64)(__VA_ARGS__)
#endif

/* The largest finite number of T. */
#define LARGEST ((T)(sizeof(T) < 8 ? __FLT_MAX__ : __DBL_MAX__))

#define real_exp(x) BY_TYPE(x, exp_float32, exp_float64, x)
#define real_log(x) BY_TYPE(x, log_float32, log_float64, x)
#define real_log1p(x) BY_TYPE(x, log1p_float32, log1p_float64, x)
#define real_log1p_exp(x) BY_TYPE(x, log1p_exp_float32, log1p_exp_float64, x)
#define real_expm1(x) BY_TYPE(x, expm1_float32, expm1_float64, x)
#define real_tanh(x) BY_TYPE(x, tanh_float32, tanh_float64, x)
#define real_sigmoid(x) BY_TYPE(x, sigmoid_float32, sigmoid_float64, x)
#define real_silu(x) BY_TYPE(x, silu_float32, silu_float64, x)
#define real_silu_slope(x) BY_TYPE(x, silu_slope_float32, silu_slope_float64, x)
#define real_sin(x) BY_TYPE(x, sin_float32, sin_float64, x) /* up to LARGEST_ANGLE */
#define real_cos(x) BY_TYPE(x, cos_float32, cos_float64, x)
#define library_sin(x) BY_TYPE(x, sinf, sin, x) /* for every angle */
#define library_cos(x) BY_TYPE(x, cosf, cos, x)
#define library_tan(x) BY_TYPE(x, tanf, tan, x)
#define real_erf(x) BY_TYPE(x, erf_float32, erf_float64, x)
#define real_gelu(x) BY_TYPE(x, gelu_float32, gelu_float64, x)
#define real_gelu_slope(x) BY_TYPE(x, gelu_slope_float32, gelu_slope_float64, x)
#define real_gelu_tanh(x) BY_TYPE(x, gelu_tanh_float32, gelu_tanh_float64, x)
#define real_gelu_tanh_slope(x) BY_TYPE(x, gelu_tanh_slope_float32, gelu_tanh_slope_float64, x)
#define real_sqrt(x) BY_TYPE(x, sqrtf, sqrt, x)
#define real_abs(x) BY_TYPE(x, fabsf, fabs, x)
#define real_floor(x) BY_TYPE(x, floorf, floor, x)
#define real_ceil(x) BY_TYPE(x, ceilf, ceil, x)
#define real_trunc(x) BY_TYPE(x, truncf, trunc, x)
#define real_fmod(x, y) BY_TYPE(x, fmod_float32, fmod_float64, x, y) /* up to MOST_QUOTIENT */
#define library_fmod(x, y) BY_TYPE(x, fmodf, fmod, x, y)
#define real_copysign(x, y) BY_TYPE(x, copysignf, copysign, x, y)
#define real_pow(x, y) BY_TYPE(x, pow_float32, pow_float64, x, y)
#define real_rounded(x) BY_TYPE(x, rounded_float32, rounded_float64, x)
