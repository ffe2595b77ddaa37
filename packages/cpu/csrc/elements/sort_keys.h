/* Conversion of floating-point numbers, given as bits, to unsigned keys with the same order. NaN is last, and equal
   numbers (-0 and 0, all NaNs) have equal keys. */
#pragma once
#include <stdint.h>

#include "elements/dtypes.h"

static ALWAYS_INLINE uint32_t key_of_float16(uint16_t bits)
{
    const uint32_t magnitude = bits & 0x7fff;
    return magnitude > 0x7c00 ? 0xffff : bits == 0x8000 ? 0x8000 : bits & 0x8000 ? 0xffff & ~bits : bits | 0x8000u;
}

static ALWAYS_INLINE uint32_t key_of_bfloat16(uint16_t bits)
{
    const uint32_t magnitude = bits & 0x7fff;
    return magnitude > 0x7f80 ? 0xffff : bits == 0x8000 ? 0x8000 : bits & 0x8000 ? 0xffff & ~bits : bits | 0x8000u;
}

static ALWAYS_INLINE uint32_t key_of_float32(uint32_t bits)
{
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t ordered = bits ^ ((uint32_t)((int32_t)bits >> 31) | 0x80000000u);
    return magnitude > 0x7f800000 ? 0xffffffffu : magnitude == 0 ? 0x80000000u : ordered;
}

static ALWAYS_INLINE uint64_t key_of_float64(uint64_t bits)
{
    const uint64_t magnitude = bits & 0x7fffffffffffffff;
    const uint64_t ordered = bits ^ ((uint64_t)((int64_t)bits >> 63) | 0x8000000000000000);
    return magnitude > 0x7ff0000000000000 ? ~(uint64_t)0 : magnitude == 0 ? 0x8000000000000000 : ordered;
}
