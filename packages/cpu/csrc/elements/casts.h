/* Conversions of numbers to integers and between half types: all levels, machines and devices follow the same rules.
   Numbers are truncated toward zero; those out of range and NaN become the smallest number (as processors do it). */
#pragma once
#include <stdint.h>

#include "elements/half.h"

static ALWAYS_INLINE int64_t truncated(double x)
{
    return x >= -0x1p63 && x < 0x1p63 ? (int64_t)x : INT64_MIN;
}

/* To int32, of which narrower integers keep the low bits. */
static ALWAYS_INLINE int32_t truncated_short(double x)
{
    return x > -0x1p31 - 1 && x < 0x1p31 ? (int32_t)x : INT32_MIN;
}

/* To uint64: numbers out of its range are converted as to int64, NaN to 2^63. */
static ALWAYS_INLINE uint64_t truncated_unsigned(double x)
{
    return x >= 0x1p63 && x < 0x1p64 ? (uint64_t)x : x >= -0x1p63 && x < 0x1p63 ? (uint64_t)(int64_t)x : 1ull << 63;
}

/* Every NaN becomes the quiet one without sign and payload, as in PyTorch. */
static ALWAYS_INLINE uint16_t bfloat16_of_float16(uint16_t half)
{
    return (half & 0x7fff) > 0x7c00 ? 0x7fc0 : bfloat16_of_float(float_of_float16(half));
}
