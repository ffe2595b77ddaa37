/* Local response normalization. A. Krizhevsky, I. Sutskever, G. Hinton: ImageNet classification with deep convolutional
   neural networks, 2012. */
#include <string.h>

#include "elements/half.h"
#include "elements/math/functions.h"
#include "normalization/response.cdef.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

enum { TILE = 4096 }; /* numbers of a tile and the rows around it; also in response.py and reach/layers.c */

/* The numbers of a launch: scale is alpha / size. */
struct response_numbers {
    double scale, beta, shift;
};

/* Computes bases = sums * scale + shift, and their powers. The usual exponents need only roots. */
#define RAISE(suffix, T)                                                                                             \
    static __attribute__((noinline)) void raise_##suffix(const struct response_numbers *by, int64_t n, T *bases,     \
                                                         T *powers)                                                  \
    {                                                                                                                \
        const T scale = (T)by->scale, beta = (T)by->beta, shift = (T)by->shift;                                      \
        for (int64_t i = 0; i < n; i++)                                                                              \
            bases[i] = bases[i] * scale + shift;                                                                     \
        if (by->beta == 0.75)                                                                                        \
            for (int64_t i = 0; i < n; i++) {                                                                        \
                const T root = real_sqrt(bases[i]);                                                                  \
                powers[i] = root * real_sqrt(root);                                                                  \
            }                                                                                                        \
        else if (by->beta == 0.5)                                                                                    \
            for (int64_t i = 0; i < n; i++)                                                                          \
                powers[i] = real_sqrt(bases[i]);                                                                     \
        else if (by->beta == 1)                                                                                      \
            memcpy(powers, bases, (size_t)n * sizeof(T));                                                            \
        else                                                                                                         \
            for (int64_t i = 0; i < n; i++)                                                                          \
                powers[i] = real_pow(bases[i], beta);                                                                \
    }

RAISE(float32, float)
RAISE(float64, double)

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
