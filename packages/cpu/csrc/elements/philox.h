/* Philox 4x32-10: random bits as a function of a counter and a key.
   J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random numbers: as easy as 1, 2, 3. SC 2011. */
#pragma once
#include <stdint.h>

#include "elements/dtypes.h"

enum { PHILOX_ROUNDS = 10 };

/* Dropout keeps elements whose word is at least this bound. `share`: the probability that an element becomes 0. */
static ALWAYS_INLINE uint32_t dropout_bound(double share)
{
    const double bound = share * 0x1p32;
    return bound < 0x1p32 - 1 ? (uint32_t)bound : 0xffffffffu;
}

/* One block of four words, for counter and key in words. */
static ALWAYS_INLINE void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t words[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], k0 = key[0], k1 = key[1];
#pragma GCC unroll 10
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        uint64_t left = (uint64_t)a * 0xD2511F53u, right = (uint64_t)c * 0xCD9E8D57u;
        a = (uint32_t)(right >> 32) ^ b ^ k0;
        b = (uint32_t)right;
        c = (uint32_t)(left >> 32) ^ d ^ k1;
        d = (uint32_t)left;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    words[0] = a;
    words[1] = b;
    words[2] = c;
    words[3] = d;
}

/* The words of `blocks` blocks, starting with block `first`. The counter is the block's number (two words) and the
   draw's offset (two words); the key is the seed. */
static inline void philox_words(int64_t first, int64_t blocks, uint64_t seed, uint64_t offset, uint32_t *words)
{
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    const uint32_t high[2] = {(uint32_t)offset, (uint32_t)(offset >> 32)};
#pragma GCC ivdep
    for (int64_t i = 0; i < blocks; i++) {
        uint64_t number = (uint64_t)(first + i);
        const uint32_t counter[4] = {(uint32_t)number, (uint32_t)(number >> 32), high[0], high[1]};
        philox(counter, key, words + 4 * i);
    }
}
