/* Elements of each dtype by its code: how they are stored, the number that is computed with, and the conversions. */
#pragma once
#include "facula/complex.h"

template <int code> struct element;

#define FACULA_ELEMENT(code, type)                                             \
    template <> struct element<code> {                                         \
        typedef type stored;                                                   \
        typedef type number;                                                   \
        static ALWAYS_INLINE number read(stored x) { return x; }               \
        static ALWAYS_INLINE stored write(number x) { return x; }              \
    };
FACULA_ELEMENT(UINT8, uint8_t)
FACULA_ELEMENT(INT8, int8_t)
FACULA_ELEMENT(INT16, int16_t)
FACULA_ELEMENT(INT32, int32_t)
FACULA_ELEMENT(INT64, int64_t)
FACULA_ELEMENT(UINT16, uint16_t)
FACULA_ELEMENT(UINT32, uint32_t)
FACULA_ELEMENT(UINT64, uint64_t)
FACULA_ELEMENT(FLOAT32, float)
FACULA_ELEMENT(FLOAT64, double)
FACULA_ELEMENT(COMPLEX64, complex64_t)
FACULA_ELEMENT(COMPLEX128, complex128_t)
#undef FACULA_ELEMENT

template <> struct element<BOOL> {
    typedef uint8_t stored;
    typedef uint8_t number;
    static ALWAYS_INLINE number read(stored x) { return x != 0; }
    static ALWAYS_INLINE stored write(number x) { return x; }
};
template <> struct element<FLOAT16> {
    typedef uint16_t stored;
    typedef float number;
    static ALWAYS_INLINE number read(stored x) { return float_of_float16(x); }
    static ALWAYS_INLINE stored write(number x) { return float16_of_float(x); }
};
template <> struct element<BFLOAT16> {
    typedef uint16_t stored;
    typedef float number;
    static ALWAYS_INLINE number read(stored x) { return float_of_bfloat16(x); }
    static ALWAYS_INLINE stored write(number x) { return bfloat16_of_float(x); }
};

/* Up to D dimensions of N arrays, innermost first: lengths, and the steps of each array in bytes. */
template <int N, int D> struct dimensions {
    int64_t count, extent[D], step[D][N];

    /* Add the offset of element i to each of `at`. */
    ALWAYS_INLINE void move(int64_t i, int64_t (&at)[N]) const
    {
#pragma unroll 1
        for (int d = 0; d < count; d++) {
            int64_t over = 0, index = i;
            if (d + 1 < count) {
                over = i < (1ll << 31) ? (unsigned)i / (unsigned)extent[d] : i / extent[d]; /* of 32 bits: quicker */
                index = i - over * extent[d];
            }
            for (int k = 0; k < N; k++)
                at[k] += index * step[d][k];
            i = over;
        }
    }
};
