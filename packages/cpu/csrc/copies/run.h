/* Copies of short runs of bytes by vectors. */
#pragma once
#include "elements/dtypes.h"
#include "runtime/vector.h"

/* Copies a run of bytes. */
static ALWAYS_INLINE void copy_run(char *to, const char *from, int64_t bytes)
{
    typedef char vector __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));
    if (bytes >= VECTOR_BYTES) {
        if (bytes > 4096) {
            memmove(to, from, (size_t)bytes);
            return;
        }
        const vector last = *(const vector *)(from + bytes - VECTOR_BYTES);
        for (int64_t done = 0; done < bytes - VECTOR_BYTES; done += VECTOR_BYTES)
            *(vector *)(to + done) = *(const vector *)(from + done);
        *(vector *)(to + bytes - VECTOR_BYTES) = last;
        return;
    }
#ifdef __AVX512F__
    const __mmask64 lanes = (1ull << bytes) - 1;
    _mm512_mask_storeu_epi8(to, lanes, _mm512_maskz_loadu_epi8(lanes, from));
#else
#define PAIR(size)                                      \
    if (bytes >= size) {                                \
        char first[size], last[size];                   \
        memcpy(first, from, size);                      \
        memcpy(last, from + bytes - size, size);        \
        memcpy(to, first, size);                        \
        memcpy(to + bytes - size, last, size);          \
        return;                                         \
    }
#if VECTOR_BYTES > 16
    PAIR(16)
#endif
    PAIR(8)
    PAIR(4)
#undef PAIR
    for (int64_t i = 0; i < bytes; i++)
        to[i] = from[i];
#endif
}
