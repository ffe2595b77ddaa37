/* Philox for vectors of counters: the words of philox_words (elements/philox.h), many blocks at a time.

   Note [Counters in lanes]
   ~~~~~~~~~~~~~~~~~~~~~~~~
   Each lane of 64 bits holds one block's word in its lower half, because x86 multiplies lower halves to 64 bits. The
   upper halves are never read: a product's lower word is used where it is, and its upper word after one shift. So a
   round needs two products, two shifts and two sums for as many blocks as there are lanes. */
#pragma once
#include "elements/philox.h"
#include "runtime/vector.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

/* Vectors are computed together because each waits for its products, but only as many as fit into registers. BLOCKS is
   the number of their lanes, and tiles contain multiples of their words. */
enum {
    LANES = VECTOR_BYTES / 8,
    TOGETHER = VECTOR_BYTES == 64 ? 4 : 3,
    BLOCKS = TOGETHER * LANES,
    TILE = 512 / (4 * BLOCKS) * (4 * BLOCKS)
};

typedef uint64_t lanes __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t loose_lanes __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

#if VECTOR_BYTES == 64
#define PAIRED(first, rest) {first, rest, first + 1, rest + 1, first + 2, rest + 2, first + 3, rest + 3}
#define FROM_BOTH(i) {i, 8 + i, 2 + i, 10 + i, 4 + i, 12 + i, 6 + i, 14 + i}
#define CONSECUTIVE {0, 1, 2, 3, 4, 5, 6, 7}
#elif VECTOR_BYTES == 32
#define PAIRED(first, rest) {first, rest, first + 1, rest + 1}
#define FROM_BOTH(i) {i, 4 + i, 2 + i, 6 + i}
#define CONSECUTIVE {0, 1, 2, 3}
#else
#define PAIRED(first, rest) {first, rest}
#define FROM_BOTH(i) {i, 2 + i}
#define CONSECUTIVE {0, 1}
#endif

/* The products of the lower halves of lanes with a word. */
static ALWAYS_INLINE lanes lower_products(lanes x, uint32_t factor)
{
#if defined(__AVX512F__)
    return (lanes)_mm512_mul_epu32((__m512i)x, _mm512_set1_epi64(factor));
#elif defined(__AVX2__)
    return (lanes)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi64x(factor));
#elif defined(__SSE2__)
    return (lanes)_mm_mul_epu32((__m128i)x, _mm_set1_epi64x(factor));
#else
    return (x & 0xffffffffu) * factor;
#endif
}

/* The words of some vectors of blocks: vector j begins with block number first + j LANES, and its lanes have the
   numbers in `order`. */
static ALWAYS_INLINE void philox_lanes(const int vectors, uint64_t first, lanes order, uint64_t seed, uint64_t offset,
                                       lanes word[TOGETHER][4])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int j = 0; j < vectors; j++) {
        word[j][0] = order + (first + (uint64_t)(j * LANES));
        word[j][1] = word[j][0] >> 32;
        word[j][2] = order - order + (uint32_t)offset;
        word[j][3] = order - order + (offset >> 32);
    }
#pragma GCC unroll 10
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        for (int j = 0; j < vectors; j++) {
            lanes *w = word[j];
            const lanes left = lower_products(w[0], 0xD2511F53u), right = lower_products(w[2], 0xCD9E8D57u);
            w[0] = (right >> 32) ^ w[1] ^ k0;
            w[1] = right;
            w[2] = (left >> 32) ^ w[3] ^ k1;
            w[3] = left;
        }
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
}

/* A word as a signed number, in the order of words: SSE2 compares only signed numbers. */
static ALWAYS_INLINE int32_t signed_order(uint32_t word)
{
    return (int32_t)(word ^ 0x80000000u);
}

static ALWAYS_INLINE lanes joined(lanes lower, lanes upper)
{
    return (lower & 0xffffffffu) | upper << 32;
}

/* The words of some vectors of blocks, in order: two vectors of words from each. */
static ALWAYS_INLINE void words_in_order(const int vectors, int64_t first, uint64_t seed, uint64_t offset, lanes *words)
{
    lanes word[TOGETHER][4];
    philox_lanes(vectors, (uint64_t)first, (lanes)PAIRED(0, LANES / 2), seed, offset, word);
    for (int j = 0; j < vectors; j++) {
        const lanes front = joined(word[j][0], word[j][1]), back = joined(word[j][2], word[j][3]);
        words[2 * j] = __builtin_shuffle(front, back, (lanes)FROM_BOTH(0));
        words[2 * j + 1] = __builtin_shuffle(front, back, (lanes)FROM_BOTH(1));
    }
}

static ALWAYS_INLINE void write_in_order(const int vectors, int64_t first, uint64_t seed, uint64_t offset, uint32_t *words)
{
    lanes made[2 * TOGETHER];
    words_in_order(vectors, first, seed, offset, made);
    for (int j = 0; j < 2 * vectors; j++)
        ((loose_lanes *)words)[j] = made[j];
}

/* The same, with words of even and of odd numbers apart. */
static ALWAYS_INLINE void write_apart(const int vectors, int64_t first, uint64_t seed, uint64_t offset, uint32_t *even,
                                      uint32_t *odd)
{
    lanes word[TOGETHER][4];
    philox_lanes(vectors, (uint64_t)first, (lanes)CONSECUTIVE, seed, offset, word);
    for (int j = 0; j < vectors; j++) {
        ((loose_lanes *)even)[j] = joined(word[j][0], word[j][2]);
        ((loose_lanes *)odd)[j] = joined(word[j][1], word[j][3]);
    }
}

/* The words of `blocks` blocks, in order. Writes a vector of blocks if they fit into one, otherwise multiples of BLOCKS. */
static inline void philox_in_order(int64_t first, int64_t blocks, uint64_t seed, uint64_t offset, uint32_t *words)
{
    if (blocks <= LANES)
        write_in_order(1, first, seed, offset, words);
    else
        for (int64_t i = 0; i < blocks; i += BLOCKS, words += 4 * BLOCKS)
            write_in_order(TOGETHER, first + i, seed, offset, words);
}

/* The same, with words of even and of odd numbers apart. */
static inline void philox_apart(int64_t first, int64_t blocks, uint64_t seed, uint64_t offset, uint32_t *even,
                                uint32_t *odd)
{
    if (blocks <= LANES)
        write_apart(1, first, seed, offset, even, odd);
    else
        for (int64_t i = 0; i < blocks; i += BLOCKS, even += 2 * BLOCKS, odd += 2 * BLOCKS)
            write_apart(TOGETHER, first + i, seed, offset, even, odd);
}
