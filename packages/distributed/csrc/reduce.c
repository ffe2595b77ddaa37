/* Reductions of several arrays, element by element, in the order of the sources. Arrays do not overlap, or are the same:
`ivdep` says so to the compiler, which would otherwise use its slow loop where `out` is `left`.

float16 and bfloat16 are added as float and rounded once at the end. MIN and MAX return NaN if any value is NaN. AVG
divides the sum once; that of integers rounds toward zero. */
#include "shm.h"

#include <complex.h>
#include <string.h>

enum { BLOCK = 2048 };   /* elements: the sums of a block stay in the first cache */

typedef void Fold(void *out, const void *left, const void *right, size_t count);
typedef void Divide(void *sums, size_t count, uint32_t divisor);

#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif
#define FOLD(name, T, expression)                                                                                      \
    CLONES static void name(void *out, const void *left, const void *right, size_t count) {                           \
        T *o = out;                                                                                                    \
        const T *a = left, *b = right;                                                                                 \
        _Pragma("GCC ivdep")                                                                                           \
        for (size_t i = 0; i < count; i++) {                                                                           \
            T x = a[i], y = b[i];                                                                                      \
            o[i] = (T)(expression);                                                                                    \
        }                                                                                                              \
    }
#define SUMS(T, D)                                                                                                     \
    FOLD(sum_##T, T, x + y)                                                                                            \
    static void divide_##T(void *sums, size_t count, uint32_t divisor) {                                               \
        T *s = sums;                                                                                                   \
        for (size_t i = 0; i < count; i++) s[i] = (T)(s[i] / (D)divisor);                                              \
    }
#define ORDERED(T, D)                                                                                                  \
    SUMS(T, D)                                                                                                         \
    FOLD(product_##T, T, x *y)                                                                                         \
    FOLD(min_##T, T, x < y || x != x ? x : y)                                                                          \
    FOLD(max_##T, T, x > y || x != x ? x : y)
#define BITS(T)                                                                                                        \
    FOLD(and_##T, T, x &y)                                                                                             \
    FOLD(or_##T, T, x | y)                                                                                             \
    FOLD(xor_##T, T, x ^ y)
#define INTEGERS(T) ORDERED(T, int64_t) BITS(T)

typedef float complex complex64;
typedef double complex complex128;

INTEGERS(uint8_t)
INTEGERS(int8_t)
INTEGERS(int16_t)
INTEGERS(int32_t)
INTEGERS(int64_t)
INTEGERS(uint16_t)
INTEGERS(uint32_t)
INTEGERS(uint64_t)
ORDERED(float, float)
ORDERED(double, double)
SUMS(complex64, float)
SUMS(complex128, double)

static float of_bfloat16(uint16_t half) {
    uint32_t bits = (uint32_t)half << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint16_t to_bfloat16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value) return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static void widen(uint32_t dtype, float *out, const void *from, size_t count) {
    const uint16_t *short_floats = from;
    const _Float16 *halves = from;
    for (size_t i = 0; i < count; i++) out[i] = dtype == BFLOAT16 ? of_bfloat16(short_floats[i]) : (float)halves[i];
}

static void narrow(uint32_t dtype, void *to, const float *from, size_t count) {
    uint16_t *short_floats = to;
    _Float16 *halves = to;
    for (size_t i = 0; i < count; i++) {
        if (dtype == BFLOAT16)
            short_floats[i] = to_bfloat16(from[i]);
        else
            halves[i] = (_Float16)from[i];
    }
}

typedef struct {
    size_t bytes;
    Divide *divide;
    Fold *folds[REDUCTIONS];
} Type;

#define OF_SUMS(T) [SUM] = sum_##T, [AVG] = sum_##T
#define OF_ORDERED(T) OF_SUMS(T), [PRODUCT] = product_##T, [MIN] = min_##T, [MAX] = max_##T
#define OF_INTEGERS(T) sizeof(T), divide_##T, {OF_ORDERED(T), [BAND] = and_##T, [BOR] = or_##T, [BXOR] = xor_##T}

static const Type types[DTYPES] = {
    [UINT8] = {OF_INTEGERS(uint8_t)},
    [INT8] = {OF_INTEGERS(int8_t)},
    [INT16] = {OF_INTEGERS(int16_t)},
    [INT32] = {OF_INTEGERS(int32_t)},
    [INT64] = {OF_INTEGERS(int64_t)},
    [UINT16] = {OF_INTEGERS(uint16_t)},
    [UINT32] = {OF_INTEGERS(uint32_t)},
    [UINT64] = {OF_INTEGERS(uint64_t)},
    [FLOAT16] = {2, divide_float, {OF_ORDERED(float)}},
    [BFLOAT16] = {2, divide_float, {OF_ORDERED(float)}},
    [FLOAT32] = {4, divide_float, {OF_ORDERED(float)}},
    [FLOAT64] = {8, divide_double, {OF_ORDERED(double)}},
    [COMPLEX64] = {8, divide_complex64, {OF_SUMS(complex64)}},
    [COMPLEX128] = {16, divide_complex128, {OF_SUMS(complex128)}},
    [BOOL] = {1, NULL, {[SUM] = or_uint8_t, [PRODUCT] = and_uint8_t, [MIN] = and_uint8_t, [MAX] = or_uint8_t,
                        [BAND] = and_uint8_t, [BOR] = or_uint8_t, [BXOR] = xor_uint8_t}},
};

size_t item_bytes(uint32_t dtype) { return types[dtype].bytes; }

static int is_half(uint32_t dtype) { return dtype == FLOAT16 || dtype == BFLOAT16; }

size_t sum_bytes(uint32_t dtype) { return is_half(dtype) ? sizeof(float) : item_bytes(dtype); }

/* Returns nonzero if the dtype has no such reduction. A target may be a source, or a different array. */
int continue_reduction(uint32_t dtype, uint32_t reduction, const char *before, uint32_t sources, char **from,
                       uint32_t divisor, uint32_t targets, char **to, size_t count) {
    const Type *type = &types[dtype];
    Fold *fold = type->folds[reduction];
    if (!fold) return MISMATCH;
    size_t wide = sum_bytes(dtype), result = divisor ? type->bytes : wide;
    /* The first target takes the sums itself, unless it is a source that is read later. */
    int is_direct = result == wide;
    for (uint32_t k = before ? 1 : 2; k < sources; k++) is_direct &= to[0] != from[k];
    _Alignas(64) char block[BLOCK * 16];
    float next[BLOCK];
    for (size_t at = 0; at < count; at += BLOCK) {
        size_t length = count - at < BLOCK ? count - at : BLOCK, start = at * type->bytes;
        char *sums = is_direct ? to[0] + at * wide : block;
        const char *former = before ? before + at * wide : NULL;   /* the sums, once there are any */
        for (uint32_t k = 0; k < sources; k++) {
            const char *values = from[k] + start;
            if (is_half(dtype)) {
                float *widened = former ? next : (float *)sums;
                widen(dtype, widened, values, length);
                values = (char *)widened;
            }
            if (former)
                fold(sums, former, values, length);
            else if (k + 1 < sources && !is_half(dtype)) {
                former = values;
                continue;
            } else if (values != sums)
                memmove(sums, values, length * wide);
            former = sums;
        }
        if (!sources && former != sums) memmove(sums, former, length * wide);
        if (reduction == AVG && divisor) type->divide(sums, length, divisor);
        for (uint32_t k = 0; k < targets; k++) {
            if (result != wide)
                narrow(dtype, to[k] + start, (float *)sums, length);
            else if (to[k] + at * wide != sums)
                memcpy(to[k] + at * wide, sums, length * wide);
        }
    }
    return DONE;
}

int reduce(uint32_t dtype, uint32_t reduction, uint32_t sources, char **from, uint32_t targets, char **to,
           size_t count) {
    return continue_reduction(dtype, reduction, NULL, sources, from, sources, targets, to, count);
}
