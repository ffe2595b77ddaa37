/* The gradient of running extremes: sums of elements with one place, in order, at that place; zeros elsewhere.

   Note [Sums of segments]
   ~~~~~~~~~~~~~~~~~~~~~~~
   The places of a line never decrease, so elements with one place are adjacent, and their sum is written once. A sum is
   a chain of dependent additions: lines that are next to each other fill vectors, and those of others overlap, because
   a block of each is processed at a time. Most blocks have only the place before. A place that is no index of the line, as in a
   forged file, is skipped. */
#include "elements/half.h"
#include "lines/lines.cdef.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

#include <string.h>

enum { TOGETHER = 8, SOME = 16, WIDE = 256 }; /* lines, elements of a block, columns */

struct lines_at {
    const char *g, *places;
    char *o;
    int64_t g_step, place_step, o_step; /* along a line */
};

#define EXTREME_GRAD(suffix, S, ACC, CODE, READ, WRITE)                                                         \
    /* Writes the sum of a place, and begins that of the next one. */                                           \
    static ALWAYS_INLINE void turn_##suffix(ACC *sum, int64_t *from, int64_t to, int64_t n, char *o, int64_t step) \
    {                                                                                                           \
        if ((uint64_t)*from < (uint64_t)n)                                                                      \
            *(S *)(o + *from * step) = WRITE(*sum);                                                             \
        *from = to;                                                                                             \
        *sum = 0;                                                                                               \
    }                                                                                                           \
                                                                                                                \
    static ALWAYS_INLINE void sum_lines_##suffix(struct lines_at at, const struct facula_lines *plan, int64_t n, \
                                                 int64_t lines)                                                 \
    {                                                                                                           \
        const int64_t *next = plan->next;                                                                       \
        ACC sum[TOGETHER] = {0};                                                                                \
        int64_t place[TOGETHER];                                                                                \
        for (int64_t k = 0; k < lines; k++) {                                                                   \
            place[k] = -1;                                                                                      \
            if (at.o_step == sizeof(S))                                                                         \
                memset(at.o + k * next[2], 0, (size_t)n * sizeof(S));                                           \
            else                                                                                                \
                for (int64_t i = 0; i < n; i++)                                                                 \
                    *(S *)(at.o + k * next[2] + i * at.o_step) = 0;                                             \
        }                                                                                                       \
        for (int64_t done = 0; done < n; done += SOME) {                                                        \
            const int64_t block = n - done < SOME ? n - done : SOME;                                            \
            for (int64_t k = 0; k < lines; k++) {                                                               \
                const char *const places = at.places + k * next[1] + done * at.place_step;                      \
                const char *const g = at.g + k * next[0] + done * at.g_step;                                    \
                /* Places do not decrease: those before the last one are not read. */                           \
                if (block == SOME && *(const int64_t *)(places + (SOME - 1) * at.place_step) == place[k]) {     \
                    ACC s = sum[k];                                                                             \
                    for (int64_t i = 0; i < SOME; i++)                                                          \
                        s += READ(*(const S *)(g + i * at.g_step));                                             \
                    sum[k] = s;                                                                                 \
                    continue;                                                                                   \
                }                                                                                               \
                for (int64_t i = 0; i < block; i++) {                                                           \
                    const int64_t to = *(const int64_t *)(places + i * at.place_step);                          \
                    if (to != place[k])                                                                         \
                        turn_##suffix(sum + k, place + k, to, n, at.o + k * next[2], at.o_step);                \
                    sum[k] += READ(*(const S *)(g + i * at.g_step));                                            \
                }                                                                                               \
            }                                                                                                   \
        }                                                                                                       \
        for (int64_t k = 0; k < lines; k++)                                                                     \
            turn_##suffix(sum + k, place + k, -1, n, at.o + k * next[2], at.o_step);                            \
    }                                                                                                           \
                                                                                                                \
    /* Adjacent lines, whose rows are contiguous. */                                                            \
    static void sum_columns_##suffix(struct lines_at at, int64_t n, int64_t width)                              \
    {                                                                                                           \
        ACC sum[WIDE] = {0};                                                                                    \
        int64_t place[WIDE];                                                                                    \
        memset(place, -1, sizeof place);                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                       \
            const S *g = (const S *)(at.g + i * at.g_step);                                                     \
            const int64_t *places = (const int64_t *)(at.places + i * at.place_step);                           \
            memset(at.o + i * at.o_step, 0, (size_t)width * sizeof(S));                                         \
            for (int64_t first = 0; first < width; first += SOME) {                                             \
                const int64_t end = width - first < SOME ? width : first + SOME;                                \
                int64_t turns = 0;                                                                              \
                for (int64_t j = first; j < end; j++)                                                           \
                    turns |= places[j] ^ place[j];                                                              \
                if (turns)                                                                                      \
                    for (int64_t j = first; j < end; j++)                                                       \
                        if (places[j] != place[j])                                                              \
                            turn_##suffix(sum + j, place + j, places[j], n, at.o + j * (int64_t)sizeof(S), at.o_step); \
                for (int64_t j = first; j < end; j++)                                                           \
                    sum[j] += READ(g[j]);                                                                       \
            }                                                                                                   \
        }                                                                                                       \
        for (int64_t j = 0; j < width; j++)                                                                     \
            turn_##suffix(sum + j, place + j, -1, n, at.o + j * (int64_t)sizeof(S), at.o_step);                 \
    }                                                                                                           \
                                                                                                                \
    static int64_t extreme_grad_##suffix(const struct facula_lines *plan, char *const *first, int64_t count)    \
    {                                                                                                           \
        const int64_t n = plan->n[0], *next = plan->next, *step = plan->step;                                   \
        const int is_dense = count > 1 && next[0] == sizeof(S) && next[1] == 8 && next[2] == sizeof(S);         \
        const int64_t strip = is_dense ? WIDE : TOGETHER;                                                       \
        for (int64_t done = 0; done < count; done += strip) {                                                   \
            const int64_t width = count - done < strip ? count - done : strip;                                  \
            struct lines_at at = {first[0] + done * next[0], first[1] + done * next[1], first[2] + done * next[2], \
                                  step[0], step[1], step[2]};                                                   \
            if (is_dense) {                                                                                     \
                sum_columns_##suffix(at, n, width);                                                             \
            } else if (step[0] == sizeof(S) && step[1] == 8 && step[2] == sizeof(S)) {                          \
                at.g_step = at.o_step = sizeof(S), at.place_step = 8;                                           \
                sum_lines_##suffix(at, plan, n, width);                                                         \
            } else {                                                                                            \
                sum_lines_##suffix(at, plan, n, width);                                                         \
            }                                                                                                   \
        }                                                                                                       \
        return FACULA_OK;                                                                                       \
    }                                                                                                           \
    FACULA_KERNEL("extreme_grad_lines", extreme_grad_##suffix, 1500, CODE)

EXTREME_GRAD(float16, uint16_t, float, FLOAT16, float_of_float16, float16_of_float)
EXTREME_GRAD(bfloat16, uint16_t, float, BFLOAT16, float_of_bfloat16, bfloat16_of_float)
EXTREME_GRAD(float32, float, float, FLOAT32, , )
EXTREME_GRAD(float64, double, double, FLOAT64, , )
