/* Loads of vectors of lanes from adjacent elements in memory, for reductions. */
#pragma once
#include "elements/half.h"
#include "runtime/vector.h"

#ifdef __AVX2__
#include <immintrin.h>

/* The asm keeps GCC 12 from merging load, conversion and mask into an instruction for which it then finds no
   registers. */
static ALWAYS_INLINE __m128i load_8_bytes(const void *a)
{
    __m128i loaded = _mm_loadl_epi64(a);
    __asm__("" : "+x"(loaded));
    return loaded;
}

/* Loads a number of bytes into the smallest vector that contains them. */
#define LOAD_BYTES(bytes, a)                                                                                     \
    __builtin_choose_expr((bytes) == 32, _mm256_loadu_si256((const __m256i *)(a)),                               \
    __builtin_choose_expr((bytes) == 16, _mm_loadu_si128((const __m128i *)(a)),                                  \
    __builtin_choose_expr((bytes) == 8, load_8_bytes(a), _mm_loadu_si32(a))))
#endif

/* GCC splits the vectors that it widens, although processors have an instruction. */
#if VECTOR_BYTES == 64
#define WIDENED(kind, x) _mm512_cvt##kind(x)
#elif VECTOR_BYTES == 32
#define WIDENED(kind, x) _mm256_cvt##kind(x)
#endif

/* Defines a function that loads elements S as lanes LANE; READ(x) converts the vector if more is necessary. */
#ifdef WIDENED
#define WIDENING(name, S, LANE, kind, READ)                                                                      \
    static ALWAYS_INLINE LANE __attribute__((vector_size(VECTOR_BYTES))) name(const S *a)                        \
    {                                                                                                            \
        typedef LANE lanes __attribute__((vector_size(VECTOR_BYTES)));                                           \
        return (lanes)WIDENED(kind, READ(LOAD_BYTES(VECTOR_BYTES / sizeof(LANE) * sizeof(S), a)));               \
    }
#define ONES_OF_TRUE(x) _mm_min_epu8(x, _mm_set1_epi8(1))
#else
#define WIDENING(name, S, LANE, kind, READ)                                                                      \
    static ALWAYS_INLINE LANE __attribute__((vector_size(VECTOR_BYTES))) name(const S *a)                        \
    {                                                                                                            \
        typedef LANE lanes __attribute__((vector_size(VECTOR_BYTES)));                                           \
        typedef S elements __attribute__((vector_size(VECTOR_BYTES / sizeof(LANE) * sizeof(S))));                \
        elements x;                                                                                              \
        memcpy(&x, a, sizeof x);                                                                                 \
        return __builtin_convertvector(READ(x), lanes);                                                          \
    }
#define ONES_OF_TRUE(x) (-((x) != 0))
#endif
#define AS_LOADED(x) (x)

#define LOADING(name, S, LANE)                                                                                   \
    static ALWAYS_INLINE LANE __attribute__((vector_size(VECTOR_BYTES))) name(const S *a)                        \
    {                                                                                                            \
        typedef LANE lanes __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(S)), may_alias));            \
        return *(const lanes *)a;                                                                                \
    }
