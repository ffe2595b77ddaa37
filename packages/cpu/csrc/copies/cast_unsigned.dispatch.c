/* Conversions of uint16, uint32 and uint64, from and to the signed type that represents their numbers or their bits.
   For uint64, which exceeds the range of int64, also from and to floating types. Other conversions go through these. */
#include "elements/casts.h"
#include "runtime/kernel.h"

#include <complex.h>

#define CAST(from, FROM, to, TO)                                                                     \
    static void cast_##from##_##to(int64_t n, const int64_t *address, const int64_t *step)           \
    {                                                                                                \
        cast_##from##_##to##_loop(n, address, step, cast_##from##_##to##_of);                        \
    }                                                                                                \
    FACULA_KERNEL("copy", cast_##from##_##to, 300, FROM, TO)

static ALWAYS_INLINE int32_t cast_uint16_int32_of(uint16_t x)
{
    return (int32_t)x;
}
#define A uint16_t
#define R int32_t
#define LOOP cast_uint16_int32_loop
#include "loops/unary_loop.inc"
CAST(uint16, UINT16, int32, INT32)

static ALWAYS_INLINE uint16_t cast_int32_uint16_of(int32_t x)
{
    return (uint16_t)x;
}
#define A int32_t
#define R uint16_t
#define LOOP cast_int32_uint16_loop
#include "loops/unary_loop.inc"
CAST(int32, INT32, uint16, UINT16)

static ALWAYS_INLINE int64_t cast_uint32_int64_of(uint32_t x)
{
    return (int64_t)x;
}
#define A uint32_t
#define R int64_t
#define LOOP cast_uint32_int64_loop
#include "loops/unary_loop.inc"
CAST(uint32, UINT32, int64, INT64)

static ALWAYS_INLINE uint32_t cast_int64_uint32_of(int64_t x)
{
    return (uint32_t)x;
}
#define A int64_t
#define R uint32_t
#define LOOP cast_int64_uint32_loop
#include "loops/unary_loop.inc"
CAST(int64, INT64, uint32, UINT32)

static ALWAYS_INLINE int64_t cast_uint64_int64_of(uint64_t x)
{
    return (int64_t)x;
}
#define A uint64_t
#define R int64_t
#define LOOP cast_uint64_int64_loop
#include "loops/unary_loop.inc"
CAST(uint64, UINT64, int64, INT64)

static ALWAYS_INLINE uint64_t cast_int64_uint64_of(int64_t x)
{
    return (uint64_t)x;
}
#define A int64_t
#define R uint64_t
#define LOOP cast_int64_uint64_loop
#include "loops/unary_loop.inc"
CAST(int64, INT64, uint64, UINT64)

static ALWAYS_INLINE float cast_uint64_float32_of(uint64_t x)
{
    return (float)x;
}
#define A uint64_t
#define R float
#define LOOP cast_uint64_float32_loop
#include "loops/unary_loop.inc"
CAST(uint64, UINT64, float32, FLOAT32)

static ALWAYS_INLINE uint64_t cast_float32_uint64_of(float x)
{
    return truncated_unsigned(x);
}
#define A float
#define R uint64_t
#define LOOP cast_float32_uint64_loop
#include "loops/unary_loop.inc"
CAST(float32, FLOAT32, uint64, UINT64)

static ALWAYS_INLINE double cast_uint64_float64_of(uint64_t x)
{
    return (double)x;
}
#define A uint64_t
#define R double
#define LOOP cast_uint64_float64_loop
#include "loops/unary_loop.inc"
CAST(uint64, UINT64, float64, FLOAT64)

static ALWAYS_INLINE uint64_t cast_float64_uint64_of(double x)
{
    return truncated_unsigned(x);
}
#define A double
#define R uint64_t
#define LOOP cast_float64_uint64_loop
#include "loops/unary_loop.inc"
CAST(float64, FLOAT64, uint64, UINT64)

static ALWAYS_INLINE float _Complex cast_uint64_complex64_of(uint64_t x)
{
    return (float _Complex)x;
}
#define A uint64_t
#define R float _Complex
#define LOOP cast_uint64_complex64_loop
#include "loops/unary_loop.inc"
CAST(uint64, UINT64, complex64, COMPLEX64)

static ALWAYS_INLINE uint64_t cast_complex64_uint64_of(float _Complex x)
{
    return truncated_unsigned(crealf(x));
}
#define A float _Complex
#define R uint64_t
#define LOOP cast_complex64_uint64_loop
#include "loops/unary_loop.inc"
CAST(complex64, COMPLEX64, uint64, UINT64)

static ALWAYS_INLINE double _Complex cast_uint64_complex128_of(uint64_t x)
{
    return (double _Complex)x;
}
#define A uint64_t
#define R double _Complex
#define LOOP cast_uint64_complex128_loop
#include "loops/unary_loop.inc"
CAST(uint64, UINT64, complex128, COMPLEX128)

static ALWAYS_INLINE uint64_t cast_complex128_uint64_of(double _Complex x)
{
    return truncated_unsigned(creal(x));
}
#define A double _Complex
#define R uint64_t
#define LOOP cast_complex128_uint64_loop
#include "loops/unary_loop.inc"
CAST(complex128, COMPLEX128, uint64, UINT64)
