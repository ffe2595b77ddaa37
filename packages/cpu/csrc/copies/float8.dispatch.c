/* Conversions between float32 and the types of eight bits. All others go through float32. */
#include "elements/float8.h"
#include "runtime/kernel.h"

#define FLOAT8(name, CODE)                                                                                      \
    static void widen_##name(int64_t n, const int64_t *address, const int64_t *step)                            \
    {                                                                                                           \
        widen_##name##_loop(n, address, step, float_of_##name);                                                 \
    }                                                                                                           \
    static void narrow_##name(int64_t n, const int64_t *address, const int64_t *step)                           \
    {                                                                                                           \
        narrow_##name##_loop(n, address, step, name##_of_float);                                                \
    }                                                                                                           \
    FACULA_KERNEL("copy", widen_##name, 120, CODE, FLOAT32)                                                     \
    FACULA_KERNEL("copy", narrow_##name, 300, FLOAT32, CODE)

#define A uint8_t
#define R float
#define LOOP widen_float8_e4m3fn_loop
#include "loops/unary_loop.inc"
#define A float
#define R uint8_t
#define LOOP narrow_float8_e4m3fn_loop
#include "loops/unary_loop.inc"
FLOAT8(float8_e4m3fn, FLOAT8_E4M3FN)

#define A uint8_t
#define R float
#define LOOP widen_float8_e5m2_loop
#include "loops/unary_loop.inc"
#define A float
#define R uint8_t
#define LOOP narrow_float8_e5m2_loop
#include "loops/unary_loop.inc"
FLOAT8(float8_e5m2, FLOAT8_E5M2)

#define A uint8_t
#define R float
#define LOOP widen_float8_e4m3fnuz_loop
#include "loops/unary_loop.inc"
#define A float
#define R uint8_t
#define LOOP narrow_float8_e4m3fnuz_loop
#include "loops/unary_loop.inc"
FLOAT8(float8_e4m3fnuz, FLOAT8_E4M3FNUZ)

#define A uint8_t
#define R float
#define LOOP widen_float8_e5m2fnuz_loop
#include "loops/unary_loop.inc"
#define A float
#define R uint8_t
#define LOOP narrow_float8_e5m2fnuz_loop
#include "loops/unary_loop.inc"
FLOAT8(float8_e5m2fnuz, FLOAT8_E5M2FNUZ)

#define A uint8_t
#define R float
#define LOOP widen_float8_e8m0fnu_loop
#include "loops/unary_loop.inc"
#define A float
#define R uint8_t
#define LOOP narrow_float8_e8m0fnu_loop
#include "loops/unary_loop.inc"
FLOAT8(float8_e8m0fnu, FLOAT8_E8M0FNU)
