/* Conversions between float32 and the half-precision types: copies, and the conversions around loops in the elementwise
   driver. */
#include "elements/casts.h"
#include "runtime/half_vectors.h"
#include "runtime/kernel.h"

enum { BOTH = 2 * FLOATS };
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
#define HIGH(i) *(const loose_words *)(a + (i) + FLOATS)
CONVERSION(narrow_bfloat16, float, uint16_t,
           *(loose_halves *)(o + i) = upper_halves(rounded_bfloat16(LOW(i)), rounded_bfloat16(HIGH(i)));)

CONVERSION(widen_float16, uint16_t, float,
           *(loose_floats *)(o + i) = floats_of_float16(a + i);
           *(loose_floats *)(o + i + FLOATS) = floats_of_float16(a + i + FLOATS);)
#ifdef __F16C__
CONVERSION(narrow_float16, float, uint16_t,
           store_as_float16(o + i, *(const loose_floats *)(a + i));
           store_as_float16(o + i + FLOATS, *(const loose_floats *)(a + i + FLOATS));)
#else
CONVERSION(narrow_float16, float, uint16_t,
           *(loose_halves *)(o + i) = upper_halves(rounded_float16(LOW(i)), rounded_float16(HIGH(i)));)
#endif

FACULA_KERNEL("copy", widen_float16, 60, FLOAT16, FLOAT32)
FACULA_KERNEL("copy", narrow_float16, 60, FLOAT32, FLOAT16)
FACULA_KERNEL("copy", widen_bfloat16_any, 60, BFLOAT16, FLOAT32)
FACULA_KERNEL("copy", narrow_bfloat16, 60, FLOAT32, BFLOAT16)
FACULA_KERNEL("copy", narrow_halves_any, 60, FLOAT16, BFLOAT16)
