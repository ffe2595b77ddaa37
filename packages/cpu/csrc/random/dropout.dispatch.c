/* Dropout: elements become 0 with the probability `share`, and the others are multiplied by 1 / (1 - share). Each
   element uses 32 random bits, for every type. N. Srivastava and others: Dropout, JMLR 15, 2014. */
#include <string.h>

#include "random/dropout.cdef.h"
#include "random/philox_lanes.h"
#include "runtime/kernel.h"

enum { TILE = 512 }; /* a multiple of 4 BLOCKS */

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
        for (int64_t done = 0; done < n; done += TILE) {                                                          \
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
