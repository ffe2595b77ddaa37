/* Evenly spaced numbers, with the signature of random draws. The first scalars[0] are computed from scalars[2], the others
   from the last number, scalars[3]; scalars[4] is the distance, and scalars[1] the place of the last number. */
#include <string.h>

#include "runtime/kernel.h"

enum { PIECE = 1 << 20 }; /* numbers whose index in a piece is an int32, which converts faster */

#define RANGE(T, ARGUMENT, CODE)                                                                                      \
    static void range_##T(int64_t first, int64_t n, int64_t address, const int64_t *scalars)                          \
    {                                                                                                                 \
        ARGUMENT ends[3];                                                                                             \
        memcpy(ends, scalars + 2, sizeof ends);                                                                       \
        for (int64_t done = 0, count; done < n; done += count) {                                                      \
            const int64_t at = first + done;                                                                          \
            const int is_second = at >= scalars[0];                                                                   \
            T *out = (T *)address + done;                                                                             \
            count = n - done < PIECE ? n - done : PIECE;                                                              \
            count = is_second || count < scalars[0] - at ? count : scalars[0] - at;                                   \
            const ARGUMENT end = ends[is_second], from = (ARGUMENT)(is_second ? scalars[1] - at : at);                \
            for (int32_t i = 0; i < (int32_t)count; i++)                                                              \
                out[i] = (T)(is_second ? end - (from - (ARGUMENT)i) * ends[2] : end + (from + (ARGUMENT)i) * ends[2]);\
        }                                                                                                             \
    }                                                                                                                 \
    FACULA_KERNEL("range", range_##T, 500, CODE)

RANGE(float, double, FLOAT32)
RANGE(double, double, FLOAT64)
RANGE(int64_t, uint64_t, INT64)
