/* Distributions over random bits. A draw generates the words for a tile of elements, then a value from each.
   Elements of 32-bit draws use one word, those of 64-bit draws two; normal numbers are generated in pairs from the
   words of both. */
#include <string.h>

#include "elements/draws.h"
#include "random/philox_lanes.h"
#include "runtime/kernel.h"

static ALWAYS_INLINE double real_argument(int64_t argument)
{
    double value;
    memcpy(&value, &argument, sizeof value);
    return value;
}

/* The two words of an element of 64 bits: as in two_words. */
typedef uint64_t loose_long __attribute__((aligned(4), may_alias));

/* high_product for a factor of 32 bits, in vectors. */
static ALWAYS_INLINE uint64_t short_product(uint64_t words, uint32_t factor)
{
    const uint64_t upper = (words >> 32) * factor, lower = (words & 0xffffffffu) * factor;
    return (upper + (lower >> 32)) >> 32;
}

static void philox_draw(int64_t first, int64_t n, int64_t address, const int64_t *scalars)
{
    uint32_t words[TILE];
    for (int64_t done = 0, count; done < n; done += count) {
        const uint64_t block = (uint64_t)scalars[2] + (uint64_t)(first + done) / 4;
        const int64_t rest = 4 * (0x100000000 - (int64_t)(uint32_t)block); /* until the upper word changes */
        count = n - done < TILE ? n - done : TILE;
        count = count < rest ? count : rest;
        philox_in_order((int64_t)block, (count + 3) / 4, (uint64_t)scalars[0], (uint64_t)scalars[1], words);
        memcpy((uint32_t *)address + done, words, (size_t)count * sizeof *words);
    }
}
FACULA_KERNEL("philox", philox_draw, 400, INT32)

static ALWAYS_INLINE float itself(float value)
{
    return value;
}

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#define BITS 24
#define OF_FLOAT itself
#define TO_FLOAT itself
#include "random/draw_floating.inc"

#define T uint16_t
#define SUFFIX float16
#define CODE FLOAT16
#define BITS 11
#define OF_FLOAT float16_of_float
#define TO_FLOAT float_of_float16
#include "random/draw_floating.inc"

#define T uint16_t
#define SUFFIX bfloat16
#define CODE BFLOAT16
#define BITS 8
#define OF_FLOAT bfloat16_of_float
#define TO_FLOAT float_of_bfloat16
#include "random/draw_floating.inc"

static void uniform_float64(int64_t first, int64_t n, int64_t address, const int64_t *scalars)
{
    uint32_t words[2 * TILE];
    const double low = real_argument(scalars[2]), high = real_argument(scalars[3]);
    for (int64_t done = 0; done < n; done += TILE) {
        int64_t count = n - done < TILE ? n - done : TILE;
        double *out = (double *)address + done;
        const loose_long *both = (const loose_long *)words;
        philox_in_order((first + done) / 2, (count + 1) / 2, (uint64_t)scalars[0], (uint64_t)scalars[1], words);
        for (int64_t i = 0; i < count; i++)
            out[i] = uniform_of_two(both[i], low, high);
    }
}
FACULA_KERNEL("uniform", uniform_float64, 800, FLOAT64)

static void normal_float64(int64_t first, int64_t n, int64_t address, const int64_t *scalars)
{
    uint32_t words[2 * TILE];
    double tile[TILE];
    const double mean = real_argument(scalars[2]), deviation = real_argument(scalars[3]);
    for (int64_t done = 0; done < n; done += TILE) {
        const int64_t count = n - done < TILE ? n - done : TILE, pairs = (count + 1) / 2;
        const loose_long *both = (const loose_long *)words;
        double *out = (double *)address + done, *into = count < TILE ? tile : out;
        philox_in_order((first + done) / 2, pairs, (uint64_t)scalars[0], (uint64_t)scalars[1], words);
#pragma GCC ivdep
        for (int64_t i = 0; i < pairs; i++) {
            double one, other;
            normal_of_two(both[2 * i], both[2 * i + 1], &one, &other);
            into[2 * i] = mean + deviation * one;
            into[2 * i + 1] = mean + deviation * other;
        }
        if (into == tile)
            memcpy(out, tile, (size_t)count * sizeof *out);
    }
}
FACULA_KERNEL("normal", normal_float64, 3000, FLOAT64)

#define T uint8_t
#define SUFFIX 1
#include "random/draw_integer.inc"

#define T int16_t
#define SUFFIX 2
#include "random/draw_integer.inc"

#define T int32_t
#define SUFFIX 4
#include "random/draw_integer.inc"

#define T int64_t
#define SUFFIX 8
#include "random/draw_integer.inc"

FACULA_KERNEL("randint", randint_1, 900, BOOL)
FACULA_KERNEL("randint", randint_1, 900, UINT8)
FACULA_KERNEL("randint", randint_1, 900, INT8)
FACULA_KERNEL("randint", randint_2, 900, INT16)
FACULA_KERNEL("randint", randint_4, 900, INT32)
FACULA_KERNEL("randint", randint_8, 900, INT64)

/* bernoulli writes 0 or 1, whose bits depend on the type. */
#define BERNOULLI(code, name, T, one)                                                                  \
    static void bernoulli_##name(int64_t first, int64_t n, int64_t address, const int64_t *scalars)    \
    {                                                                                                  \
        bernoulli_##T(first, n, address, scalars, one);                                                \
    }                                                                                                  \
    FACULA_KERNEL("bernoulli", bernoulli_##name, 450, code)

BERNOULLI(BOOL, bool, 1, 1)
BERNOULLI(UINT8, uint8, 1, 1)
BERNOULLI(INT8, int8, 1, 1)
BERNOULLI(INT16, int16, 2, 1)
BERNOULLI(INT32, int32, 4, 1)
BERNOULLI(INT64, int64, 8, 1)
BERNOULLI(FLOAT16, float16, 2, 0x3c00)
BERNOULLI(BFLOAT16, bfloat16, 2, 0x3f80)
BERNOULLI(FLOAT32, float32, 4, 0x3f800000)
BERNOULLI(FLOAT64, float64, 8, 0x3ff0000000000000)
