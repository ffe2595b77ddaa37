/* Conversions between float32 and the half-precision types: copies, and the conversions around loops in the elementwise
   driver. */
#include "elements/casts.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

/* Two vectors of bits of float32, or the elements of the same number of bytes. */
enum { BOTH = VECTOR_BYTES / 2 };
typedef uint32_t words __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t signs __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t halves __attribute__((vector_size(VECTOR_BYTES)));
typedef words loose_words __attribute__((aligned(4), may_alias));
typedef halves loose_halves __attribute__((aligned(2), may_alias));

/* The upper halves of the words. */
static ALWAYS_INLINE halves upper_halves(words a, words b)
{
#if defined(__AVX512BW__)
    const __m512i odd = (__m512i)(halves){1,  3,  5,  7,  9,  11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                                          33, 35, 37, 39, 41, 43, 45, 47, 49, 51, 53, 55, 57, 59, 61, 63};
    return (halves)_mm512_permutex2var_epi16((__m512i)a, odd, (__m512i)b);
#elif defined(__AVX2__)
    const __m256i packed = _mm256_packs_epi32((__m256i)((signs)a >> 16), (__m256i)((signs)b >> 16));
    return (halves)_mm256_permute4x64_epi64(packed, 0xd8); /* packed by 16 bytes of both */
#elif defined(__SSE2__)
    return (halves)_mm_packs_epi32((__m128i)((signs)a >> 16), (__m128i)((signs)b >> 16));
#else
    return __builtin_shuffle((halves)a, (halves)b, (halves){1, 3, 5, 7, 9, 11, 13, 15});
#endif
}

/* bfloat16_of_float, in the upper halves. */
static ALWAYS_INLINE words rounded(words bits)
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

#define HALF(name, A_, R_, value)                                                               \
    static ALWAYS_INLINE R_ name##_of(A_ x) { return value(x); }                                \
    static ALWAYS_INLINE void name##_any(int64_t n, const int64_t *address, const int64_t *step)\
    {                                                                                           \
        name##_loop(n, address, step, name##_of);                                               \
    }

#define A uint16_t
#define R float
#define LOOP widen_bfloat16_loop
#include "loops/unary_loop.inc"
HALF(widen_bfloat16, uint16_t, float, float_of_bfloat16)

#define A float
#define R uint16_t
#define LOOP narrow_bfloat16_loop
#include "loops/unary_loop.inc"
HALF(narrow_bfloat16, float, uint16_t, bfloat16_of_float)

#define A uint16_t
#define R float
#define LOOP widen_float16_loop
#include "loops/unary_loop.inc"
HALF(widen_float16, uint16_t, float, float_of_float16)

#define A float
#define R uint16_t
#define LOOP narrow_float16_loop
#include "loops/unary_loop.inc"
HALF(narrow_float16, float, uint16_t, float16_of_float)

#define A uint16_t
#define R uint16_t
#define LOOP narrow_halves_loop
#include "loops/unary_loop.inc"
HALF(narrow_halves, uint16_t, uint16_t, bfloat16_of_float16)

/* A conversion: in the loop over i, vectors of adjacent elements at a and o; then the rest. */
#define CONVERSION(name, A_, R_, BODY)                                                          \
    static void name(int64_t n, const int64_t *address, const int64_t *step)                    \
    {                                                                                           \
        const A_ *a = (const A_ *)address[0];                                                   \
        R_ *o = (R_ *)address[1];                                                               \
        int64_t i = 0;                                                                          \
        if (step[0] == sizeof(A_) && step[1] == sizeof(R_))                                     \
            for (; i + BOTH <= n; i += BOTH) {                                                  \
                BODY                                                                            \
            }                                                                                   \
        const int64_t rest[2] = {address[0] + i * step[0], address[1] + i * step[1]};           \
        name##_any(n - i, rest, step);                                                          \
    }

#define LOW(i) *(const loose_words *)(a + (i))
#define HIGH(i) *(const loose_words *)(a + (i) + BOTH / 2)
CONVERSION(narrow_bfloat16, float, uint16_t,
           *(loose_halves *)(o + i) = upper_halves(rounded(LOW(i)), rounded(HIGH(i)));)

/* From AVX2 on there are float16 instructions, which compute the same bits faster. */
#if defined(__AVX512F__)
CONVERSION(widen_float16, uint16_t, float,
           _mm512_storeu_ps(o + i, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(a + i))));
           _mm512_storeu_ps(o + i + 16, _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(a + i + 16))));)
CONVERSION(narrow_float16, float, uint16_t,
           _mm256_storeu_si256((__m256i *)(o + i), _mm512_cvtps_ph(_mm512_loadu_ps(a + i), 0));
           _mm256_storeu_si256((__m256i *)(o + i + 16), _mm512_cvtps_ph(_mm512_loadu_ps(a + i + 16), 0));)
#elif defined(__F16C__)
CONVERSION(widen_float16, uint16_t, float,
           _mm256_storeu_ps(o + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i))));
           _mm256_storeu_ps(o + i + 8, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(a + i + 8))));)
CONVERSION(narrow_float16, float, uint16_t,
           _mm_storeu_si128((__m128i *)(o + i), _mm256_cvtps_ph(_mm256_loadu_ps(a + i), 0));
           _mm_storeu_si128((__m128i *)(o + i + 8), _mm256_cvtps_ph(_mm256_loadu_ps(a + i + 8), 0));)
#else
CONVERSION(narrow_float16, float, uint16_t,
           *(loose_halves *)(o + i) = upper_halves(rounded_float16(LOW(i)), rounded_float16(HIGH(i)));)
#define widen_float16 widen_float16_any
#endif

FACULA_KERNEL("copy", widen_float16, 60, FLOAT16, FLOAT32)
FACULA_KERNEL("copy", narrow_float16, 60, FLOAT32, FLOAT16)
FACULA_KERNEL("copy", widen_bfloat16_any, 60, BFLOAT16, FLOAT32)
FACULA_KERNEL("copy", narrow_bfloat16, 60, FLOAT32, BFLOAT16)
FACULA_KERNEL("copy", narrow_halves_any, 60, FLOAT16, BFLOAT16)
