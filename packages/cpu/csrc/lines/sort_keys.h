/* Keys of all elements of a line, and numbers from their keys. */
#pragma once
#include "elements/sort_keys.h"
#include "lines/lines.cdef.h"
#include "runtime/kernel.h"

/* Returns the bits of a number, neither NaN nor zero, from its key. */
static ALWAYS_INLINE uint32_t float32_of_key(uint32_t key)
{
    return key & 0x80000000u ? key ^ 0x80000000u : ~key;
}

static ALWAYS_INLINE uint64_t float64_of_key(uint64_t key)
{
    return key & 0x8000000000000000 ? key ^ 0x8000000000000000 : ~key;
}

static ALWAYS_INLINE double number_of_key32(uint32_t key)
{
    const uint32_t bits = float32_of_key(key);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static ALWAYS_INLINE double number_of_key64(uint64_t key)
{
    const uint64_t bits = float64_of_key(key);
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

#define EACH_KEY(type, key)                                              \
    if (step == sizeof(type))                                            \
        for (int64_t i = 0; i < n; i++) {                                \
            const type x = ((const type *)from)[i];                      \
            keys[i] = (key) ^ flip;                                      \
        }                                                                \
    else                                                                 \
        for (int64_t i = 0; i < n; i++) {                                \
            const type x = *(const type *)(from + i * step);             \
            keys[i] = (key) ^ flip;                                      \
        }                                                                \
    break;

/* Keys of at most 32 bits. Descending order flips all bits of the dtype. */
static void narrow_keys(int64_t dtype, const char *from, int64_t step, int64_t n, uint32_t flip, uint32_t *keys)
{
    switch (dtype) {
    case BOOL: EACH_KEY(uint8_t, (uint32_t)(x != 0))
    case UINT8: EACH_KEY(uint8_t, (uint32_t)x)
    case INT8: EACH_KEY(uint8_t, (uint32_t)x ^ 0x80)
    case INT16: EACH_KEY(uint16_t, (uint32_t)x ^ 0x8000)
    case INT32: EACH_KEY(uint32_t, x ^ 0x80000000u)
    case UINT16: EACH_KEY(uint16_t, (uint32_t)x)
    case UINT32: EACH_KEY(uint32_t, x)
    case FLOAT16: EACH_KEY(uint16_t, key_of_float16(x))
    case BFLOAT16: EACH_KEY(uint16_t, key_of_bfloat16(x))
    case FLOAT32: EACH_KEY(uint32_t, key_of_float32(x))
    }
}

static void wide_keys(int64_t dtype, const char *from, int64_t step, int64_t n, uint64_t flip, uint64_t *keys)
{
    switch (dtype) {
    case INT64: EACH_KEY(uint64_t, x ^ 0x8000000000000000)
    case UINT64: EACH_KEY(uint64_t, x)
    case FLOAT64: EACH_KEY(uint64_t, key_of_float64(x))
    default: /* a line of more than 2^31 elements */
        for (int64_t i = 0; i < n; i++) {
            uint32_t key = 0;
            narrow_keys(dtype, from + i * step, step, 1, (uint32_t)flip, &key);
            keys[i] = key;
        }
    }
}

/* Returns whether the greatest key of the dtype stands for NaN. */
static ALWAYS_INLINE int has_nan(int64_t dtype)
{
    return dtype >= FLOAT16 && dtype <= FLOAT64;
}
