/* Numbers of eight bits as bits, to and from float32: the formats of P. Micikevicius et al., FP8 formats for deep
   learning, 2022 (e4m3fn, e5m2), of B. Noune et al., 8-bit numerical formats for deep neural networks, 2022 (fnuz: one
   zero, one NaN, no infinity), and the scales of OCP Microscaling 1.0 (e8m0fnu: powers of two, no sign). To nearest
   even, and the same bits as PyTorch's conversions: e4m3fn, which has no infinity, saturates; the fnuz formats give NaN
   instead. */
#pragma once
#include "elements/half.h"

/* Parameters of a format: bits of the fraction, the exponent's bias, the largest finite magnitude, the result for
   larger ones, NaN, and whether zero and NaN have signs. */
struct float8 {
    uint32_t fraction, bias, largest, beyond, nan, is_signed;
};
static const struct float8 E4M3FN = {3, 7, 0x7e, 0x7e, 0x7f, 1}, E5M2 = {2, 15, 0x7b, 0x7c, 0x7f, 1},
                           E4M3FNUZ = {3, 8, 0x7f, 0x80, 0x80, 0}, E5M2FNUZ = {2, 16, 0x7f, 0x80, 0x80, 0};

static ALWAYS_INLINE uint8_t float8_of(float value, const struct float8 format)
{
    const uint32_t bits = bits_of_float(value), magnitude = bits & 0x7fffffff, shift = 23 - format.fraction;
    const uint32_t least = (128 - format.bias) << 23; /* the smallest normal number */
    const uint32_t normal = (magnitude - ((127 - format.bias) << 23) + (1u << (shift - 1)) - 1 + (magnitude >> shift & 1)) >> shift;
    /* The last bit of this number is the unit of subnormal ones. */
    const uint32_t anchor = (151 - format.bias - format.fraction) << 23;
    const uint32_t subnormal = bits_of_float(float_of_bits(magnitude) + float_of_bits(anchor)) - anchor;
    uint32_t found = magnitude < least ? subnormal : normal;
    found = found > format.largest ? format.beyond : found;
    found = magnitude > 0x7f800000 ? format.nan : found;
    const uint32_t sign = format.is_signed || (found && found != format.nan) ? bits >> 24 & 0x80 : 0;
    return (uint8_t)(sign | found);
}

/* For all except e5m2, which is the upper half of a float16. */
static ALWAYS_INLINE float float_of_float8(uint8_t code, const struct float8 format)
{
    const uint32_t sign = (uint32_t)(code & 0x80) << 24, rest = (uint32_t)(code & 0x7f) << (23 - format.fraction);
    const float scale = float_of_bits((254 - format.bias) << 23);
    const uint32_t finite = sign | bits_of_float(float_of_bits(rest) * scale);
    if (format.is_signed)
        return float_of_bits((code & 0x7f) == format.nan ? sign | 0x7ff00000 : finite);
    return float_of_bits(code == format.nan ? 0x7f800001 : finite);
}

#define FLOAT8(name, FORMAT)                                                                            \
    static ALWAYS_INLINE uint8_t name##_of_float(float value) { return float8_of(value, FORMAT); }      \
    static ALWAYS_INLINE float float_of_##name(uint8_t code) { return float_of_float8(code, FORMAT); }
FLOAT8(float8_e4m3fn, E4M3FN)
FLOAT8(float8_e4m3fnuz, E4M3FNUZ)
FLOAT8(float8_e5m2fnuz, E5M2FNUZ)
#undef FLOAT8

static ALWAYS_INLINE uint8_t float8_e5m2_of_float(float value)
{
    return float8_of(value, E5M2);
}
static ALWAYS_INLINE float float_of_float8_e5m2(uint8_t code)
{
    return float_of_float16((uint16_t)(code << 8));
}

/* The exponent alone. Ties round up, except between the two smallest powers, where all except 2^-127 itself round
   up. */
static ALWAYS_INLINE uint8_t float8_e8m0fnu_of_float(float value)
{
    const uint32_t magnitude = bits_of_float(value) & 0x7fffffff, exponent = magnitude >> 23;
    const uint32_t rounded = exponent + ((magnitude & 0x7fffff) >= (exponent ? 0x400000 : 0x400001));
    return (uint8_t)(magnitude >= 0x7f800000 ? 0xff : rounded);
}
static ALWAYS_INLINE float float_of_float8_e8m0fnu(uint8_t code)
{
    const uint32_t power = code ? (uint32_t)code << 23 : 0x400000;
    return float_of_bits(code == 0xff ? 0x7f800001 : power);
}
