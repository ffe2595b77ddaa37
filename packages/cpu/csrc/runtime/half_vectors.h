/* Vectors of float32 from float16 and bfloat16 in memory, and back: the same bits as the functions of elements/half.h, by
   instructions where there are any. */
#pragma once
#include "elements/half.h"
#include "runtime/vector.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

enum { FLOATS = VECTOR_BYTES / sizeof(float) };
typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t signs __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t few_halves __attribute__((vector_size(VECTOR_BYTES / 2)));

/* bfloat16_of_float, in the upper halves. */
static ALWAYS_INLINE words rounded_bfloat16(words bits)
{
    const words odd = bits >> 16 & 1;
#ifdef __AVX512F__
    const __m512i nans = _mm512_set1_epi32(0x22); /* for quiet and signaling NaNs: the same, quiet */
    return (words)_mm512_fixupimm_ps((__m512)(bits + 0x7fff + odd), (__m512)bits, nans, 0);
#else
    const words nan = (words)((floats)bits != (floats)bits);
    return (bits + ((0x7fff + odd) & ~nan)) | (nan & 0x400000);
#endif
}

/* float16_of_float, in the upper halves. */
static ALWAYS_INLINE words rounded_float16(words bits)
{
    const words magnitude = bits & 0x7fffffff;
    const words normal = (magnitude - 0x38000000 + 0xfff + (magnitude >> 13 & 1)) << 3;
    const words subnormal = ((words)((floats)magnitude + 0.5f) - 0x3f000000) << 16;
    const words nan = (words)((signs)magnitude > 0x7f800000);
    const words large = (nan & (0x2000000 | (magnitude << 3 & 0x3ff0000))) | 0x7c000000;
    const words is_large = (words)((signs)magnitude >= 0x47800000);
    const words is_small = (words)((signs)magnitude < 0x38800000);
    return (bits & 0x80000000) | (is_large & large) | (is_small & subnormal) | (normal & ~(is_large | is_small));
}

/* Loads the words of FLOATS halves: GCC splits the vectors that it widens, although processors have an instruction. */
static ALWAYS_INLINE words words_of_halves(const uint16_t *a)
{
#if defined(__AVX512F__)
    return (words)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)a));
#elif defined(__AVX2__)
    return (words)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)a));
#else
    few_halves halves;
    memcpy(&halves, a, sizeof halves);
    return __builtin_convertvector(halves, words);
#endif
}

static ALWAYS_INLINE void store_upper_halves(uint16_t *o, words lanes)
{
#if defined(__AVX512F__)
    _mm256_storeu_si256((__m256i *)o, _mm512_cvtepi32_epi16((__m512i)(lanes >> 16)));
#elif defined(__AVX2__)
    const __m256i packed = _mm256_packus_epi32((__m256i)(lanes >> 16), (__m256i)(lanes >> 16));
    _mm_storeu_si128((__m128i *)o, _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08)));
#elif defined(__SSE2__)
    _mm_storel_epi64((__m128i *)o, _mm_packs_epi32((__m128i)((signs)lanes >> 16), (__m128i)((signs)lanes >> 16)));
#else
    const few_halves halves = __builtin_convertvector(lanes >> 16, few_halves);
    memcpy(o, &halves, sizeof halves);
#endif
}

static ALWAYS_INLINE floats floats_of_bfloat16(const uint16_t *a)
{
    return (floats)(words_of_halves(a) << 16);
}

static ALWAYS_INLINE void store_as_bfloat16(uint16_t *o, floats lanes)
{
    store_upper_halves(o, rounded_bfloat16((words)lanes));
}

/* From AVX2 on there are float16 instructions, which compute the same bits faster. */
static ALWAYS_INLINE floats floats_of_float16(const uint16_t *a)
{
#if defined(__AVX512F__)
    return (floats)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)a));
#elif defined(__F16C__)
    return (floats)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)a));
#else
    const words half = words_of_halves(a), sign = (half & 0x8000) << 16, rest = (half & 0x7fff) << 13;
    const words is_large = (words)((signs)rest >= 0x0f800000), nan = (words)((rest & 0x7fffff) != 0) & 0x400000;
    return (floats)(sign | (is_large & (rest | 0x7f800000 | nan)) | (~is_large & (words)((floats)rest * 0x1p112f)));
#endif
}

static ALWAYS_INLINE void store_as_float16(uint16_t *o, floats lanes)
{
#if defined(__AVX512F__)
    _mm256_storeu_si256((__m256i *)o, _mm512_cvtps_ph((__m512)lanes, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    _mm_storeu_si128((__m128i *)o, _mm256_cvtps_ph((__m256)lanes, _MM_FROUND_TO_NEAREST_INT));
#else
    store_upper_halves(o, rounded_float16((words)lanes));
#endif
}
