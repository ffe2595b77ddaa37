/* Philox for vectors of counters: the words of philox_words (elements/philox.h), many blocks at a time.

   Note [Counters in lanes]
   ~~~~~~~~~~~~~~~~~~~~~~~~
   Each lane of 64 bits holds one block's word in its lower half, because x86 multiplies lower halves to 64 bits. The
   upper halves are not read before the last round: a product's lower word is used where it is, and its upper word after
   one shift. So a round needs two products, two shifts and two sums for as many blocks as there are lanes.

   Note [Upper words]
   ~~~~~~~~~~~~~~~~~~
   Calls process blocks whose numbers have the same upper word. Then only the lowest word of the counters varies, and
   half of the first two rounds is the same for all blocks. Pieces of a draw are powers of two, so that none contains a
   multiple of 2^33 elements. */
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
typedef uint32_t halves __attribute__((vector_size(VECTOR_BYTES)));
typedef uint64_t loose_lanes __attribute__((vector_size(VECTOR_BYTES), aligned(4), may_alias));

#if VECTOR_BYTES == 64
#define PAIRED(first, rest) {first, rest, first + 1, rest + 1, first + 2, rest + 2, first + 3, rest + 3}
#define FROM_BOTH(i) {i, 8 + i, 2 + i, 10 + i, 4 + i, 12 + i, 6 + i, 14 + i}
#define CONSECUTIVE {0, 1, 2, 3, 4, 5, 6, 7}
#define SWAPPED {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14}
#elif VECTOR_BYTES == 32
#define PAIRED(first, rest) {first, rest, first + 1, rest + 1}
#define FROM_BOTH(i) {i, 4 + i, 2 + i, 6 + i}
#define CONSECUTIVE {0, 1, 2, 3}
#define SWAPPED {1, 0, 3, 2, 5, 4, 7, 6}
#else
#define PAIRED(first, rest) {first, rest}
#define FROM_BOTH(i) {i, 2 + i}
#define CONSECUTIVE {0, 1}
#define SWAPPED {1, 0, 3, 2}
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

/* Each lane with its halves swapped. */
static ALWAYS_INLINE lanes swapped(lanes x)
{
    return (lanes)__builtin_shuffle((halves)x, (halves)SWAPPED);
}

/* The words of some vectors of blocks: vector j begins with block number first + j LANES, and its lanes have the numbers
   in `order`. Its lanes of words 0 and 1 are in pairs[j][0], and those of words 2 and 3 in pairs[j][1]. */
static ALWAYS_INLINE void philox_lanes(const int vectors, uint64_t first, uint32_t upper, lanes order, uint64_t seed,
                                       uint64_t offset, lanes pairs[TOGETHER][2])
{
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    const uint64_t right = (uint64_t)(uint32_t)offset * 0xCD9E8D57u;
    const uint64_t left = (uint64_t)((uint32_t)(right >> 32) ^ upper ^ k0) * 0xD2511F53u;
    lanes word[TOGETHER][4];
    for (int j = 0; j < vectors; j++) {
        lanes *w = word[j];
        w[3] = lower_products(order + (first + (uint64_t)(j * LANES)), 0xD2511F53u);
        w[1] = lower_products(w[3] >> 32 ^ ((uint32_t)(offset >> 32) ^ k1), 0xCD9E8D57u);
        w[0] = w[1] >> 32 ^ ((uint32_t)right ^ (k0 + 0x9E3779B9u));
        w[2] = w[3] ^ ((uint32_t)(left >> 32) ^ (k1 + 0xBB67AE85u));
        w[3] = order - order + (uint32_t)left;
    }
#pragma GCC unroll 10
    for (int round = 2; round < PHILOX_ROUNDS; round++) {
        k0 = (uint32_t)seed + (uint32_t)round * 0x9E3779B9u;
        k1 = (uint32_t)(seed >> 32) + (uint32_t)round * 0xBB67AE85u;
        for (int j = 0; j < vectors; j++) {
            lanes *w = word[j];
            const lanes left = lower_products(w[0], 0xD2511F53u), right = lower_products(w[2], 0xCD9E8D57u);
            if (round == PHILOX_ROUNDS - 1) {
                pairs[j][0] = swapped(right) ^ ((w[1] ^ k0) & 0xffffffffu);
                pairs[j][1] = swapped(left) ^ ((w[3] ^ k1) & 0xffffffffu);
            }
            w[0] = right >> 32 ^ (w[1] ^ k0);
            w[1] = right;
            w[2] = left >> 32 ^ (w[3] ^ k1);
            w[3] = left;
        }
    }
}

/* A word as a signed number, in the order of words: SSE2 compares only signed numbers. */
static ALWAYS_INLINE int32_t signed_order(uint32_t word)
{
    return (int32_t)(word ^ 0x80000000u);
}

/* The words of some vectors of blocks, in order: two vectors of words from each. */
static ALWAYS_INLINE void words_in_order(const int vectors, int64_t first, uint32_t upper, uint64_t seed,
                                         uint64_t offset, lanes *words)
{
    lanes pairs[TOGETHER][2];
    philox_lanes(vectors, (uint64_t)first, upper, (lanes)PAIRED(0, LANES / 2), seed, offset, pairs);
    for (int j = 0; j < vectors; j++) {
        words[2 * j] = __builtin_shuffle(pairs[j][0], pairs[j][1], (lanes)FROM_BOTH(0));
        words[2 * j + 1] = __builtin_shuffle(pairs[j][0], pairs[j][1], (lanes)FROM_BOTH(1));
    }
}

static ALWAYS_INLINE void write_in_order(const int vectors, int64_t first, uint32_t upper, uint64_t seed,
                                         uint64_t offset, uint32_t *words)
{
    lanes made[2 * TOGETHER];
    words_in_order(vectors, first, upper, seed, offset, made);
    for (int j = 0; j < 2 * vectors; j++)
        ((loose_lanes *)words)[j] = made[j];
}

/* The same, with words of even and of odd numbers apart. */
static ALWAYS_INLINE void write_apart(const int vectors, int64_t first, uint32_t upper, uint64_t seed, uint64_t offset,
                                      uint32_t *even, uint32_t *odd)
{
    lanes pairs[TOGETHER][2];
    philox_lanes(vectors, (uint64_t)first, upper, (lanes)CONSECUTIVE, seed, offset, pairs);
    for (int j = 0; j < vectors; j++) {
        ((loose_lanes *)even)[j] = (pairs[j][0] & 0xffffffffu) | pairs[j][1] << 32;
        ((loose_lanes *)odd)[j] = pairs[j][0] >> 32 | (pairs[j][1] >> 32 << 32);
    }
}

/* The words of `blocks` blocks, in order. Writes a vector of blocks if they fit into one, otherwise multiples of
   BLOCKS. */
static inline void philox_in_order(int64_t first, int64_t blocks, uint64_t seed, uint64_t offset, uint32_t *words)
{
    const uint32_t upper = (uint32_t)((uint64_t)first >> 32);
    if (blocks <= LANES)
        write_in_order(1, first, upper, seed, offset, words);
    else
        for (int64_t i = 0; i < blocks; i += BLOCKS, words += 4 * BLOCKS)
            write_in_order(TOGETHER, first + i, upper, seed, offset, words);
}

/* The same, with words of even and of odd numbers apart. */
static inline void philox_apart(int64_t first, int64_t blocks, uint64_t seed, uint64_t offset, uint32_t *even,
                                uint32_t *odd)
{
    const uint32_t upper = (uint32_t)((uint64_t)first >> 32);
    if (blocks <= LANES)
        write_apart(1, first, upper, seed, offset, even, odd);
    else
        for (int64_t i = 0; i < blocks; i += BLOCKS, even += 2 * BLOCKS, odd += 2 * BLOCKS)
            write_apart(TOGETHER, first + i, upper, seed, offset, even, odd);
}
