/* Functions of one real number under one name for float32 and float64, for use in operator definitions. */
#pragma once
#include <math.h>

#include "math_float32.h"
#include "math_float64.h"

#define real_exp(x) _Generic((x), float: exp_float32, double: exp_float64)(x)
#define real_log(x) _Generic((x), float: log_float32, double: log_float64)(x)
#define real_log1p(x) _Generic((x), float: log1p_float32, double: log1p_float64)(x)
#define real_expm1(x) _Generic((x), float: expm1_float32, double: expm1_float64)(x)
#define real_tanh(x) _Generic((x), float: tanh_float32, double: tanh_float64)(x)
#define real_sigmoid(x) _Generic((x), float: sigmoid_float32, double: sigmoid_float64)(x)
#define real_sin(x) _Generic((x), float: sinf, double: sin)(x)
#define real_cos(x) _Generic((x), float: cosf, double: cos)(x)
#define real_erf(x) _Generic((x), float: erff, double: erf)(x)
#define real_sqrt(x) _Generic((x), float: sqrtf, double: sqrt)(x)
#define real_abs(x) _Generic((x), float: fabsf, double: fabs)(x)
#define real_floor(x) _Generic((x), float: floorf, double: floor)(x)
#define real_trunc(x) _Generic((x), float: truncf, double: trunc)(x)
#define real_fmod(x, y) _Generic((x), float: fmodf, double: fmod)(x, y)
#define real_copysign(x, y) _Generic((x), float: copysignf, double: copysign)(x, y)
#define real_pow(x, y) _Generic((x), float: powf, double: pow)(x, y)
