/* How generated kernels access arrays: packs of neighbouring elements, the nest of strided arrays, and reports. */
#pragma once
#include "facula/words.h"

/* Elements that are loaded or stored at once. */
template <class T, int N> struct alignas(sizeof(T) * N) pack {
    T at[N];
};

/* Up to D dimensions of N strided arrays, innermost first, with the steps of each in bytes. */
template <int N, int D = 6> struct nest {
    int64_t dims, extent[D], step[D][N];

    /* The offset of element i of each array. */
    ALWAYS_INLINE void find(int64_t i, int64_t *at) const
    {
        for (int k = 0; k < N; k++)
            at[k] = 0;
        if (i < (1ll << 31)) { /* division of 32 bits is several times faster */
            unsigned rest = (unsigned)i;
#pragma unroll 1
            for (int d = 0; d < dims; d++) {
                const unsigned length = (unsigned)extent[d], over = d + 1 < dims ? rest / length : 0;
                const unsigned index = rest - over * length;
                for (int k = 0; k < N; k++)
                    at[k] += index * step[d][k];
                rest = over;
            }
        } else {
#pragma unroll 1
            for (int d = 0; d < dims; d++) {
                const int64_t over = d + 1 < dims ? i / extent[d] : 0, index = i - over * extent[d];
                for (int k = 0; k < N; k++)
                    at[k] += index * step[d][k];
                i = over;
            }
        }
    }
};

/* Store a status in the record of errors, unless there is one. */
static ALWAYS_INLINE void report(unsigned long long *record, unsigned long long status)
{
    atomicCAS(record, 0ull, status);
}
