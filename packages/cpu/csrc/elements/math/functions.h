/* Functions of one real number under one name for float32 and float64, for use in operator definitions. */
#pragma once
#include <math.h>

#include "elements/math/float32.h"
#include "elements/math/float64.h"
#include "elements/math/gelu.h"
#include "elements/math/power.h"
#include "elements/math/remainder.h"
#include "elements/math/trigonometric.h"

#define real_exp(x) _Generic((x), float: exp_float32, double: exp_float64)(x)
#define real_log(x) _Generic((x), float: log_float32, double: log_float64)(x)
#define real_log1p(x) _Generic((x), float: log1p_float32, double: log1p_float64)(x)
#define real_log1p_exp(x) _Generic((x), float: log1p_exp_float32, double: log1p_exp_float64)(x)
#define real_expm1(x) _Generic((x), float: expm1_float32, double: expm1_float64)(x)
#define real_tanh(x) _Generic((x), float: tanh_float32, double: tanh_float64)(x)
#define real_sigmoid(x) _Generic((x), float: sigmoid_float32, double: sigmoid_float64)(x)
#define real_silu(x) _Generic((x), float: silu_float32, double: silu_float64)(x)
#define real_silu_slope(x) _Generic((x), float: silu_slope_float32, double: silu_slope_float64)(x)
#define real_sin(x) _Generic((x), float: sin_float32, double: sin_float64)(x) /* up to LARGEST_ANGLE */
#define real_cos(x) _Generic((x), float: cos_float32, double: cos_float64)(x)
#define library_sin(x) _Generic((x), float: sinf, double: sin)(x) /* for every angle */
#define library_cos(x) _Generic((x), float: cosf, double: cos)(x)
#define real_erf(x) _Generic((x), float: erf_float32, double: erf_float64)(x)
#define real_gelu(x) _Generic((x), float: gelu_float32, double: gelu_float64)(x)
#define real_gelu_slope(x) _Generic((x), float: gelu_slope_float32, double: gelu_slope_float64)(x)
#define real_gelu_tanh(x) _Generic((x), float: gelu_tanh_float32, double: gelu_tanh_float64)(x)
#define real_gelu_tanh_slope(x) _Generic((x), float: gelu_tanh_slope_float32, double: gelu_tanh_slope_float64)(x)
#define real_sqrt(x) _Generic((x), float: sqrtf, double: sqrt)(x)
#define real_abs(x) _Generic((x), float: fabsf, double: fabs)(x)
#define real_floor(x) _Generic((x), float: floorf, double: floor)(x)
#define real_trunc(x) _Generic((x), float: truncf, double: trunc)(x)
#define real_fmod(x, y) _Generic((x), float: fmod_float32, double: fmod_float64)(x, y) /* up to MOST_QUOTIENT */
#define library_fmod(x, y) _Generic((x), float: fmodf, double: fmod)(x, y)
#define real_copysign(x, y) _Generic((x), float: copysignf, double: copysign)(x, y)
#define real_pow(x, y) _Generic((x), float: pow_float32, double: pow_float64)(x, y)
#define real_rounded(x) _Generic((x), float: rounded_float32, double: rounded_float64)(x)
#define real_most(x) _Generic((x), float: __FLT_MAX__, double: __DBL_MAX__)
