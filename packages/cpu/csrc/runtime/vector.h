/* Vectors of the instruction set's width in GCC's portable notation, and operations that the notation lacks. */
#pragma once
#include <stdint.h>
#include <string.h>

#if defined(__AVX512F__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#ifdef __AVX512F__
#include <immintrin.h>
#endif

typedef float floats __attribute__((vector_size(VECTOR_BYTES)));
typedef double doubles __attribute__((vector_size(VECTOR_BYTES)));
/* The same for unaligned addresses that may alias other types. */
typedef float loose_floats __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));
typedef double loose_doubles __attribute__((vector_size(VECTOR_BYTES), aligned(8), may_alias));

#if defined(__AVX2__) && !defined(__AVX512F__)
/* Returns a mask of the first `count` lanes of `bytes` each. */
static inline const void *mask_of_lanes(int64_t count, int64_t bytes)
{
    static const int64_t masks[8] = {-1, -1, -1, -1};
    return (const char *)(masks + 4) - count * bytes;
}
#endif

/* Load or store the first `count` lanes without accessing memory beyond them. Other lanes load as 0. */
static inline floats load_floats(const float *from, int64_t count)
{
#if defined(__AVX512F__)
    return (floats)_mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), from);
#elif defined(__AVX2__)
    int32_t mask __attribute__((vector_size(32)));
    memcpy(&mask, mask_of_lanes(count, 4), sizeof mask);
    return __builtin_ia32_maskloadps256((const floats *)from, mask);
#else
    floats lanes = {0};
    for (int64_t i = 0; i < count; i++)
        lanes[i] = from[i];
    return lanes;
#endif
}

static inline void store_floats(float *to, floats lanes, int64_t count)
{
#ifdef __AVX512F__
    _mm512_mask_storeu_ps(to, (__mmask16)((1u << count) - 1), (__m512)lanes);
#elif defined(__AVX2__) /* masked stores are slow on several processors */
    if (count & 8)
        memcpy(to, &lanes, 32);
    if (count & 4) {
        memcpy(to, &lanes, 16);
        lanes = __builtin_shuffle(lanes, (int32_t __attribute__((vector_size(32)))){4, 5, 6, 7, 4, 5, 6, 7});
    }
    if (count & 2) {
        memcpy(to + (count & 4), &lanes, 8);
        lanes = __builtin_shuffle(lanes, (int32_t __attribute__((vector_size(32)))){2, 3, 2, 3, 6, 7, 6, 7});
    }
    if (count & 1)
        to[count & 6] = lanes[0];
#else
    for (int64_t i = 0; i < count; i++)
        to[i] = lanes[i];
#endif
}

static inline doubles load_doubles(const double *from, int64_t count)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), from);
#elif defined(__AVX2__)
    long long mask __attribute__((vector_size(32)));
    memcpy(&mask, mask_of_lanes(count, 8), sizeof mask);
    return __builtin_ia32_maskloadpd256((const doubles *)from, mask);
#else
    doubles lanes = {0};
    for (int64_t i = 0; i < count; i++)
        lanes[i] = from[i];
    return lanes;
#endif
}

static inline void store_doubles(double *to, doubles lanes, int64_t count)
{
#ifdef __AVX512F__
    _mm512_mask_storeu_pd(to, (__mmask8)((1u << count) - 1), (__m512d)lanes);
#else
    for (int64_t i = 0; i < count; i++)
        to[i] = lanes[i];
#endif
}

/* Return a > b ? a : b for each lane, in one instruction where there is one. */
static inline floats larger_floats(floats a, floats b)
{
#if defined(__AVX512F__)
    return (floats)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(__AVX2__)
    return __builtin_ia32_maxps256(a, b);
#elif defined(__SSE2__)
    return __builtin_ia32_maxps(a, b);
#else
    const __typeof__(a > b) larger = a > b;
    return (floats)((larger & (__typeof__(larger))a) | (~larger & (__typeof__(larger))b));
#endif
}

static inline doubles larger_doubles(doubles a, doubles b)
{
#if defined(__AVX512F__)
    return (doubles)_mm512_max_pd((__m512d)a, (__m512d)b);
#elif defined(__AVX2__)
    return __builtin_ia32_maxpd256(a, b);
#elif defined(__SSE2__)
    return __builtin_ia32_maxpd(a, b);
#else
    const __typeof__(a > b) larger = a > b;
    return (doubles)((larger & (__typeof__(larger))a) | (~larger & (__typeof__(larger))b));
#endif
}
