/* Scalars of a launch as elements, for operands that are not arrays. */
#pragma once
#include <complex.h>
#include <string.h>

#include "elements/float8.h"
#include "elements/half.h"
#include "runtime/kernel.h"

union element {
    uint8_t u8;
    int16_t i16;
    uint16_t half;
    int32_t i32;
    int64_t i64;
    float f32;
    double f64;
    _Complex float c64;
    _Complex double c128;
};

/* Integers keep their low bits, like in all integer arithmetic here. */
static void store_integer(union element *into, int dtype, int64_t value)
{
    switch (dtype) {
    case BOOL: into->u8 = value != 0; break;
    case UINT8: case INT8: into->u8 = (uint8_t)value; break;
    case INT16: case UINT16: into->i16 = (int16_t)value; break;
    case INT32: case UINT32: into->i32 = (int32_t)value; break;
    default: into->i64 = value; break;
    }
}

static void store_real(union element *into, int dtype, double value)
{
    switch (dtype) {
    case BOOL: into->u8 = value != 0; break;
    case FLOAT16: into->half = float16_of_float((float)value); break;
    case BFLOAT16: into->half = bfloat16_of_float((float)value); break;
    case FLOAT8_E4M3FN: into->u8 = float8_e4m3fn_of_float((float)value); break;
    case FLOAT8_E5M2: into->u8 = float8_e5m2_of_float((float)value); break;
    case FLOAT8_E8M0FNU: into->u8 = float8_e8m0fnu_of_float((float)value); break;
    case FLOAT8_E4M3FNUZ: into->u8 = float8_e4m3fnuz_of_float((float)value); break;
    case FLOAT8_E5M2FNUZ: into->u8 = float8_e5m2fnuz_of_float((float)value); break;
    case FLOAT32: into->f32 = (float)value; break;
    case FLOAT64: into->f64 = value; break;
    case INT64: into->i64 = value >= -0x1p63 && value < 0x1p63 ? (int64_t)value : INT64_MIN; break;
    case UINT16: case UINT32: case UINT64:
        store_integer(into, dtype, value < 0x1p63 ? (int64_t)value : (int64_t)(uint64_t)value);
        break;
    default: store_integer(into, dtype, value > -0x1p31 - 1 && value < 0x1p31 ? (int32_t)value : INT32_MIN); break;
    }
}

/* Convert a scalar of the launch, of this kind, to the dtype of its operand. */
static void store_scalar(union element *into, int dtype, int kind, const int64_t *argument)
{
    double parts[2] = {0, 0};
    if (kind == SCALAR_INTEGER) {
        if (dtype == BOOL || (dtype >= UINT8 && dtype <= INT64) || (dtype >= UINT16 && dtype <= UINT64)) {
            store_integer(into, dtype, *argument);
            return;
        }
        parts[0] = (double)*argument;
    } else {
        memcpy(parts, argument, kind == SCALAR_COMPLEX ? sizeof parts : sizeof parts[0]);
    }
    if (kind == SCALAR_FLOAT16)
        parts[0] = float_of_float16(float16_of_float((float)parts[0]));
    else if (kind == SCALAR_BFLOAT16)
        parts[0] = float_of_bfloat16(bfloat16_of_float((float)parts[0]));
    if (dtype == COMPLEX64)
        into->c64 = CMPLXF((float)parts[0], (float)parts[1]);
    else if (dtype == COMPLEX128)
        into->c128 = CMPLX(parts[0], parts[1]);
    else
        store_real(into, dtype, parts[0]);
}
