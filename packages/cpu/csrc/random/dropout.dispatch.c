/* Dropout: elements become 0 with the probability `share`, and the others are multiplied by 1 / (1 - share). Each
   element uses 32 random bits, for every type. N. Srivastava and others: Dropout, JMLR 15, 2014. */
#include <string.h>

#include "random/dropout.cdef.h"
#include "random/philox_lanes.h"
#include "runtime/kernel.h"

typedef int32_t choices __attribute__((vector_size(VECTOR_BYTES)));

/* Drops elements of complete blocks of float32, without storing their words; returns their number. */
static ALWAYS_INLINE int64_t drop_blocks(int64_t first, int64_t n, const float *x, float *o, int32_t least, float grown,
                                         uint64_t seed, uint64_t offset)
{
    enum { WIDE = VECTOR_BYTES / sizeof(float) };
    const uint32_t upper = (uint32_t)((uint64_t)first / 4 >> 32);
    int64_t done = 0;
    for (; done + 4 * BLOCKS <= n; done += 4 * BLOCKS) {
        lanes words[2 * TOGETHER];
        words_in_order(TOGETHER, (first + done) / 4, upper, seed, offset, words);
        for (int j = 0; j < 2 * TOGETHER; j++) {
            const choices kept = ((choices)words[j] ^ INT32_MIN) >= least;
            const floats value = *(const loose_floats *)(x + done + j * WIDE) * grown;
            *(loose_floats *)(o + done + j * WIDE) = (floats)((choices)value & kept);
        }
    }
    return done;
}

#define DROPOUT(T, suffix, code)                                                                                  \
    static void drop_##suffix(int64_t first, int64_t n, const char *x_, char *o_, double share, uint64_t seed,    \
                              uint64_t offset)                                                                    \
    {                                                                                                             \
        uint32_t words[TILE];                                                                                     \
        const int32_t least = signed_order(dropout_bound(share));                                                 \
        const T grown = (T)(1 / (1 - share));                                                                     \
        if (share >= 1) {                                                                                         \
            memset(o_, 0, (size_t)n * sizeof(T));                                                                 \
            return;                                                                                               \
        }                                                                                                         \
        int64_t done = 0;                                                                                         \
        if (sizeof(T) == sizeof(float))                                                                           \
            done = drop_blocks(first, n, (const float *)x_, (float *)o_, least, (float)grown, seed, offset);      \
        for (; done < n; done += TILE) {                                                                          \
            const int64_t count = n - done < TILE ? n - done : TILE;                                              \
            const T *x = (const T *)x_ + done;                                                                    \
            T *o = (T *)o_ + done;                                                                                \
            philox_in_order((first + done) / 4, (count + 3) / 4, seed, offset, words);                            \
            for (int64_t i = 0; i < count; i++) {                                                                 \
                const T value = x[i] * grown; /* unconditionally: SSE2 has no masked loads */                     \
                o[i] = signed_order(words[i]) >= least ? value : 0;                                               \
            }                                                                                                     \
        }                                                                                                         \
    }                                                                                                             \
    FACULA_KERNEL("drop", drop_##suffix, 450, code)

DROPOUT(float, float32, FLOAT32)
DROPOUT(double, float64, FLOAT64)
