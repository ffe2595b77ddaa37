/* Local response normalization. A. Krizhevsky, I. Sutskever, G. Hinton: ImageNet classification with deep convolutional
   neural networks, 2012. */
#include <math.h>
#include <string.h>

#include "elements/half.h"
#include "elements/math/functions.h"
#include "normalization/response.cdef.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

/* The numbers of a launch: scale is alpha / size. */
struct response_numbers {
    double scale, beta, shift;
};

/* Computes bases = sums * scale + shift, and the inverses of their powers; returns whether one is infinite. d^(-3/4), the usual one, needs no roots and
   quotients: the bits of d yield y = d^(-1/4) up to 3 %, series of e = 1 - d y^4 correct y, and y^3 in the end. */
#define RAISE(suffix, T, FUSED, guess, steps)                                                                        \
    static ALWAYS_INLINE T three_quarters_##suffix(T d)                                                              \
    {                                                                                                                \
        T y = guess;                                                                                                 \
        for (int step = 0; step < steps; step++) {                                                                   \
            const T square = y * y, e = FUSED(-d, square * square, (T)1);                                            \
            y = FUSED(y * e, FUSED(e, (T)(5.0 / 32), (T)0.25), y);                                                   \
        }                                                                                                            \
        const T square = y * y, e = FUSED(-d, square * square, (T)1), cube = square * y;                             \
        return FUSED(cube * e, FUSED(e, (T)(21.0 / 32), (T)0.75), cube);                                             \
    }                                                                                                                \
    static ALWAYS_INLINE int is_near_##suffix(T d) { return (d >= (T)0x1p-100) & (d <= (T)0x1p100); }                \
    static __attribute__((noinline)) int raise_##suffix(const struct response_numbers *by, int64_t n, T *bases,      \
                                                        T *powers)                                                   \
    {                                                                                                                \
        const T scale = (T)by->scale, beta = (T)by->beta, shift = (T)by->shift;                                      \
        int beyond = 0, infinite = 0;                                                                                \
        for (int64_t i = 0; i < n; i++)                                                                              \
            bases[i] = bases[i] * scale + shift;                                                                     \
        if (by->beta == 0.75) {                                                                                      \
            for (int64_t i = 0; i < n; i++) {                                                                        \
                beyond |= !is_near_##suffix(bases[i]);                                                               \
                powers[i] = three_quarters_##suffix(bases[i]);                                                       \
            }                                                                                                        \
            for (int64_t i = 0; beyond && i < n; i++)                                                                \
                if (!is_near_##suffix(bases[i])) {                                                                   \
                    const T root = real_sqrt(bases[i]);                                                              \
                    powers[i] = 1 / (root * real_sqrt(root));                                                        \
                }                                                                                                    \
        } else if (by->beta == 0.5)                                                                                  \
            for (int64_t i = 0; i < n; i++)                                                                          \
                powers[i] = 1 / real_sqrt(bases[i]);                                                                 \
        else if (by->beta == 1)                                                                                      \
            for (int64_t i = 0; i < n; i++)                                                                          \
                powers[i] = 1 / bases[i];                                                                            \
        else                                                                                                         \
            for (int64_t i = 0; i < n; i++)                                                                          \
                powers[i] = real_pow(bases[i], -beta);                                                               \
        for (int64_t i = 0; i < n; i++)                                                                              \
            infinite |= powers[i] == (T)INFINITY;                                                                    \
        return infinite;                                                                                             \
    }

RAISE(float32, float, MULTIPLY_ADD, float_of_bits(0x4f581000 - (bits_of_float(d) >> 2)), 1)
RAISE(float64, double, MULTIPLY_ADD64, double_of_bits(0x4feb020000000000 - (bits_of_double(d) >> 2)), 2)

#define S float
#define NUMBER float
#define SUFFIX float32
#define RAISED raise_float32
#define CODE FLOAT32
#define READ(x) (x)
#define WRITE(x) (x)
#include "normalization/response.inc"

#define S double
#define NUMBER double
#define SUFFIX float64
#define RAISED raise_float64
#define CODE FLOAT64
#define READ(x) (x)
#define WRITE(x) (x)
#include "normalization/response.inc"

#define S uint16_t
#define NUMBER float
#define SUFFIX float16
#define RAISED raise_float32
#define CODE FLOAT16
#define READ(x) float_of_float16(x)
#define WRITE(x) float16_of_float(x)
#include "normalization/response.inc"

#define S uint16_t
#define NUMBER float
#define SUFFIX bfloat16
#define RAISED raise_float32
#define CODE BFLOAT16
#define READ(x) float_of_bfloat16(x)
#define WRITE(x) bfloat16_of_float(x)
#include "normalization/response.inc"
