/* Vectors as extremes want them, in the little that GCC's notation says less well than the processor: the greater of two
   numbers, and whether there is a NaN. */
#pragma once
#include "kernel.h"
#include "vector.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

typedef int8_t bytes __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t quads __attribute__((vector_size(VECTOR_BYTES)));

/* Whether each byte of a vector is set (all bits are) or clear, the first in the lowest bit. */
static ALWAYS_INLINE uint64_t bits_of_bytes(bytes set)
{
#if defined(__AVX512BW__)
    return _mm512_movepi8_mask((__m512i)set);
#elif defined(__AVX2__)
    return (uint32_t)_mm256_movemask_epi8((__m256i)set);
#elif defined(__SSE2__)
    return (uint32_t)_mm_movemask_epi8((__m128i)set);
#else
    uint64_t bits = 0;
    for (int j = 0; j < VECTOR_BYTES; j++)
        bits |= (uint64_t)(set[j] & 1) << j;
    return bits;
#endif
}

/* nan_mask UNORDERED(x, y): where there is a NaN. amax_units_float(x, found) and its kin: the extremes of both, `found`
   where one is a NaN. */
#if defined(__AVX512F__)
typedef __mmask16 nan_mask;
#define WIDE(name) _mm512_##name
#define UNORDERED_MASK(type, x, y) _mm512_cmp_##type##_mask(x, y, _CMP_UNORD_Q)
#elif defined(__AVX2__)
typedef quads nan_mask;
#define WIDE(name) _mm256_##name
#define UNORDERED_MASK(type, x, y) (nan_mask)_mm256_cmp_##type(x, y, _CMP_UNORD_Q)
#elif defined(__SSE2__)
typedef quads nan_mask;
#define WIDE(name) _mm_##name
#define UNORDERED_MASK(type, x, y) (nan_mask)_mm_cmpunord_##type(x, y)
#else
typedef quads nan_mask;
#define UNORDERED_MASK(type, x, y) (nan_mask)((x != x) | (y != y))
#endif

static ALWAYS_INLINE int any_nan(nan_mask mask)
{
#ifdef __AVX512F__
    return mask != 0;
#else
    return bits_of_bytes((bytes)mask) != 0;
#endif
}

#ifdef __SSE2__
#define EXTREME_UNITS(name, operation, beyond, type, floats, NUMBER)                  \
    static ALWAYS_INLINE floats name##_units_##NUMBER(floats x, floats found)         \
    {                                                                                 \
        return WIDE(operation##_##type)(x, found);                                    \
    }
#else
#define EXTREME_UNITS(name, operation, beyond, type, floats, NUMBER)                  \
    static ALWAYS_INLINE floats name##_units_##NUMBER(floats x, floats found)         \
    {                                                                                 \
        return SELECT(x beyond found, x, found);                                      \
    }
#endif
#define UNITS(type, floats, NUMBER)                                                   \
    EXTREME_UNITS(amax, max, >, type, floats, NUMBER)                                 \
    EXTREME_UNITS(amin, min, <, type, floats, NUMBER)                                 \
    static ALWAYS_INLINE nan_mask unordered_##NUMBER(floats x, floats y)              \
    {                                                                                 \
        return UNORDERED_MASK(type, x, y);                                            \
    }
UNITS(ps, floats, float)
UNITS(pd, doubles, double)
