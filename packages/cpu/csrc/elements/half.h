/* float16 and bfloat16 as bits, to and from float32, rounded to nearest even. Branch-free, so that loops vectorize, and
   equal to the processors' own conversions (NaNs become quiet and keep the upper bits of their payload). */
#pragma once
#include <stdint.h>
#include <string.h>

#include "elements/dtypes.h"

static ALWAYS_INLINE float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static ALWAYS_INLINE uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static ALWAYS_INLINE float float_of_bfloat16(uint16_t half)
{
    return float_of_bits((uint32_t)half << 16);
}

static ALWAYS_INLINE uint16_t bfloat16_of_float(float value)
{
    uint32_t bits = bits_of_float(value);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    uint32_t nan = bits >> 16 | 0x40;
    return (uint16_t)((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

static ALWAYS_INLINE float float_of_float16(uint16_t half)
{
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, rest = (uint32_t)(half & 0x7fff) << 13;
    /* Moves the exponent's bias from 15 to 127, and makes subnormal numbers normal on the way. */
    uint32_t finite = bits_of_float(float_of_bits(rest) * 0x1p112f);
    uint32_t nan = (rest & 0x7fffff) ? 0x400000 : 0;
    return float_of_bits(sign | (rest >= 0x0f800000 ? rest | 0x7f800000 | nan : finite));
}

static ALWAYS_INLINE uint16_t float16_of_float(float value)
{
    uint32_t bits = bits_of_float(value), sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
    uint32_t normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) >> 13;
    /* Below 2^-14 the result counts in units of 2^-24, which is the last place of numbers near 0.5. */
    uint32_t subnormal = bits_of_float(float_of_bits(magnitude) + 0.5f) - 0x3f000000;
    uint32_t large = magnitude > 0x7f800000 ? 0x7e00 | (magnitude >> 13 & 0x3ff) : 0x7c00;
    return (uint16_t)(sign | (magnitude >= 0x47800000 ? large : magnitude < 0x38800000 ? subnormal : normal));
}
