/* What element functions of the CPU expect of a compiler, for those other than GCC; and words that differ between them.
   NVRTC has no builtin functions of GCC's; those of <math.h> are the same. */
#pragma once
#ifndef FACULA_SHIM
#define __FMA__ 1
#define __FLT_MAX__ 3.402823466385288598e+38f
#define __DBL_MAX__ 1.797693134862315708e+308
#define FLT_MIN 1.17549435082228751e-38f
#define DBL_MIN 2.22507385850720138e-308
#define DBL_MAX __DBL_MAX__
#define __builtin_fabsf fabsf
#define __builtin_fabs fabs
#define __builtin_fmaf fmaf
#define __builtin_fma fma
#define __builtin_copysignf copysignf
#define __builtin_copysign copysign
#define __builtin_sqrtf sqrtf
#define __builtin_sqrt sqrt
#define __builtin_inff() __int_as_float(0x7f800000)
#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)
#define __builtin_nanf(text) __int_as_float(0x7fc00000)
#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)
#define lgamma_r(x, sign) lgamma(x)
#endif

#include "elements/casts.h"
#include "elements/dtypes.h"
#include "elements/float8.h"
#include "elements/half.h"

/* Lanes of a warp, the mask of all of them, and for a mask of lanes the number (from 1) of the first one, and how many
   there are. */
#ifdef __HIP_PLATFORM_AMD__
#define WARP 64
#define EVERY_LANE (~0ull)
#define FIRST_LANE(lanes) __ffsll((long long)(lanes))
#define COUNT_LANES(lanes) __popcll(lanes)
#else
#define WARP 32
#define EVERY_LANE 0xffffffffu
#define FIRST_LANE(lanes) __ffs((int)(lanes))
#define COUNT_LANES(lanes) __popc(lanes)
#endif
