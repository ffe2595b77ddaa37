/* Vector operations for extremes for which a processor's instructions are better than GCC's vector notation: the
   greater of two numbers, and whether there is a NaN. */
#pragma once
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

typedef int8_t bytes __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t quads __attribute__((vector_size(VECTOR_BYTES)));

/* Returns a bit for each byte of a vector, the first in the lowest bit: 1 if all bits of the byte are set. */
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

/* For each type of number: amax_units_float(x, found) and amin_units_float return the extremes of both, and `found`
   if either is a NaN. For floating-point numbers: unordered_float(x, y) returns whether either is a NaN. */
#if defined(__AVX512BW__)
typedef __mmask16 nan_mask;
#define WIDE(name) _mm512_##name
#define INTEGERS __m512i
#define UNORDERED_MASK(type, x, y) _mm512_cmp_##type##_mask(x, y, _CMP_UNORD_Q)
#elif defined(__AVX2__)
typedef quads nan_mask;
#define WIDE(name) _mm256_##name
#define INTEGERS __m256i
#define UNORDERED_MASK(type, x, y) (nan_mask)_mm256_cmp_##type(x, y, _CMP_UNORD_Q)
#elif defined(__SSE2__)
typedef quads nan_mask;
#define WIDE(name) _mm_##name
#define INTEGERS __m128i
#define UNORDERED_MASK(type, x, y) (nan_mask)_mm_cmpunord_##type(x, y)
#else
typedef quads nan_mask;
#define UNORDERED_MASK(type, x, y) (nan_mask)((x != x) | (y != y))
#endif

static ALWAYS_INLINE int any_nan(nan_mask mask)
{
#ifdef __AVX512BW__
    return mask != 0;
#else
    return bits_of_bytes((bytes)mask) != 0;
#endif
}

#define BOTH_WAYS(NUMBER, units, greater, less)                                       \
    static ALWAYS_INLINE units amax_units_##NUMBER(units x, units found)              \
    {                                                                                 \
        return greater;                                                               \
    }                                                                                 \
    static ALWAYS_INLINE units amin_units_##NUMBER(units x, units found)              \
    {                                                                                 \
        return less;                                                                  \
    }
#define BY_CHOICE(NUMBER, units) BOTH_WAYS(NUMBER, units, SELECT(x > found, x, found), SELECT(x < found, x, found))
#define OF_INTEGERS(NUMBER, units, type)                                              \
    BOTH_WAYS(NUMBER, units, (units)WIDE(max_##type)((INTEGERS)x, (INTEGERS)found),   \
              (units)WIDE(min_##type)((INTEGERS)x, (INTEGERS)found))
#ifdef __SSE2__
#define OF_FLOATS(NUMBER, units, type) BOTH_WAYS(NUMBER, units, WIDE(max_##type)(x, found), WIDE(min_##type)(x, found))
#else
#define OF_FLOATS(NUMBER, units, type) BY_CHOICE(NUMBER, units)
#endif
#define OF_FLOATING(NUMBER, units, type)                                              \
    OF_FLOATS(NUMBER, units, type)                                                    \
    static ALWAYS_INLINE nan_mask unordered_##NUMBER(units x, units y)                \
    {                                                                                 \
        return UNORDERED_MASK(type, x, y);                                            \
    }

typedef uint8_t unsigned_bytes __attribute__((vector_size(VECTOR_BYTES)));
typedef int16_t pairs __attribute__((vector_size(VECTOR_BYTES)));
typedef int64_t octets __attribute__((vector_size(VECTOR_BYTES)));

OF_FLOATING(float, floats, ps)
OF_FLOATING(double, doubles, pd)
#ifdef __SSE2__
OF_INTEGERS(uint8_t, unsigned_bytes, epu8)
OF_INTEGERS(int16_t, pairs, epi16)
#else
BY_CHOICE(uint8_t, unsigned_bytes)
BY_CHOICE(int16_t, pairs)
#endif
#ifdef __AVX2__
OF_INTEGERS(int8_t, bytes, epi8)
OF_INTEGERS(int32_t, quads, epi32)
#else
BY_CHOICE(int8_t, bytes)
BY_CHOICE(int32_t, quads)
#endif
#ifdef __AVX512BW__
OF_INTEGERS(int64_t, octets, epi64)
#else
BY_CHOICE(int64_t, octets)
#endif
