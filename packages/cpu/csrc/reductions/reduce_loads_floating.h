/* Loads of vectors of float and double from floating-point numbers in memory, for reductions. */
#pragma once
#include "elements/half.h"
#include "reductions/reduce_loads.h"

LOADING(floats_of_float32, float, float)
LOADING(doubles_of_float64, double, double)
WIDENING(words_of_bfloat16, uint16_t, uint32_t, epu16_epi32, AS_LOADED)

static ALWAYS_INLINE floats floats_of_bfloat16(const uint16_t *a)
{
    return (floats)(words_of_bfloat16(a) << 16);
}

#if VECTOR_BYTES == 64
static ALWAYS_INLINE doubles doubles_of_float32(const float *a)
{
    return (doubles)_mm512_cvtps_pd(_mm256_loadu_ps(a));
}

static ALWAYS_INLINE floats floats_of_float16(const uint16_t *a)
{
    return (floats)_mm512_cvtph_ps(LOAD_BYTES(32, a));
}

static ALWAYS_INLINE doubles doubles_of_float16(const uint16_t *a)
{
    return (doubles)_mm512_cvtps_pd(_mm256_cvtph_ps(LOAD_BYTES(16, a)));
}

static ALWAYS_INLINE doubles doubles_of_bfloat16(const uint16_t *a)
{
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(LOAD_BYTES(16, a)), 16);
    return (doubles)_mm512_cvtps_pd(_mm256_castsi256_ps(bits));
}
#elif VECTOR_BYTES == 32
static ALWAYS_INLINE doubles doubles_of_float32(const float *a)
{
    return (doubles)_mm256_cvtps_pd(_mm_loadu_ps(a));
}

static ALWAYS_INLINE floats floats_of_float16(const uint16_t *a)
{
    return (floats)_mm256_cvtph_ps(LOAD_BYTES(16, a));
}

static ALWAYS_INLINE doubles doubles_of_float16(const uint16_t *a)
{
    return (doubles)_mm256_cvtps_pd(_mm_cvtph_ps(LOAD_BYTES(8, a)));
}

static ALWAYS_INLINE doubles doubles_of_bfloat16(const uint16_t *a)
{
    const __m128i bits = _mm_slli_epi32(_mm_cvtepu16_epi32(LOAD_BYTES(8, a)), 16);
    return (doubles)_mm256_cvtps_pd(_mm_castsi128_ps(bits));
}
#else
WIDENING(doubles_of_float32, float, double, ps_pd, AS_LOADED)

static ALWAYS_INLINE floats floats_of_float16(const uint16_t *a)
{
    return (floats){float_of_float16(a[0]), float_of_float16(a[1]), float_of_float16(a[2]), float_of_float16(a[3])};
}

static ALWAYS_INLINE doubles doubles_of_float16(const uint16_t *a)
{
    return (doubles){float_of_float16(a[0]), float_of_float16(a[1])};
}

static ALWAYS_INLINE doubles doubles_of_bfloat16(const uint16_t *a)
{
    return (doubles){float_of_bfloat16(a[0]), float_of_bfloat16(a[1])};
}
#endif
