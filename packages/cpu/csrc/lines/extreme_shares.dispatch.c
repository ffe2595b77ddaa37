/* The gradient of extremes along a dimension: equal elements, and all NaN, share the gradient of their line; zeros
   elsewhere. With `flag`, of extreme magnitudes. Operands: elements, the extreme of each line, and its gradient. */
#include <math.h>

#include "elements/half.h"
#include "lines/lines.cdef.h"
#include "runtime/kernel.h"

enum { BLOCK = 4096, WIDE = 256 }; /* elements of a line that are counted in few bytes; columns */

#define IS_NUMBER(x, y) (((x) == (y)) | ((x) != (x)))
#define IS_FLOAT16(x, y) ((HALF_KEY(x) == HALF_KEY(y)) | (((x) & 0x7fff) > 0x7c00))
#define IS_BFLOAT16(x, y) ((HALF_KEY(x) == HALF_KEY(y)) | (((x) & 0x7fff) > 0x7f80))
#define HALF_KEY(x) ((x) == 0x8000 ? 0 : (x)) /* the bits, but 0 for -0 */
#define HALF_SIZE(x) ((x) & 0x7fff)

#define SHARES(suffix, S, NUMBER, COUNT, CODE, IS, READ, WRITE, SIZE)                                                          \
    static ALWAYS_INLINE int wins_##suffix(const int sizes, S x, S extreme)                                                    \
    {                                                                                                                          \
        return sizes ? IS(SIZE(x), extreme) : IS(x, extreme);                                                                  \
    }                                                                                                                          \
    static ALWAYS_INLINE S share_##suffix(const int sizes, S x, S share)                                                       \
    {                                                                                                                          \
        return sizes ? WRITE((NUMBER)((READ(x) > 0) - (READ(x) < 0)) * READ(share)) : share;                                   \
    }                                                                                                                          \
                                                                                                                               \
    /* Writes the shares of a line. */                                                                                         \
    static ALWAYS_INLINE void share_line_##suffix(const int sizes, int64_t n, const char *x, int64_t x_step,                   \
                                                  S extreme, S g, char *o, int64_t o_step)                                     \
    {                                                                                                                          \
        int64_t winners = 0;                                                                                                   \
        for (int64_t done = 0; done < n; done += BLOCK) {                                                                      \
            const int64_t end = n - done < BLOCK ? n : done + BLOCK;                                                           \
            COUNT some = 0;                                                                                                    \
            for (int64_t i = done; i < end; i++)                                                                               \
                some += wins_##suffix(sizes, *(const S *)(x + i * x_step), extreme);                                           \
            winners += some;                                                                                                   \
        }                                                                                                                      \
        const S share = WRITE(READ(g) / (NUMBER)winners);                                                                      \
        for (int64_t i = 0; i < n; i++) {                                                                                      \
            const S one = *(const S *)(x + i * x_step), some = share_##suffix(sizes, one, share);                              \
            *(S *)(o + i * o_step) = wins_##suffix(sizes, one, extreme) ? some : 0;                                            \
        }                                                                                                                      \
    }                                                                                                                          \
                                                                                                                               \
    /* Writes the shares of adjacent lines, whose rows are contiguous. */                                                      \
    static ALWAYS_INLINE void share_columns_##suffix(const int sizes, int64_t n, int64_t width, const char *x, int64_t x_step, \
                                       const S *restrict extremes, const S *restrict g, char *o, int64_t o_step)               \
    {                                                                                                                          \
        NUMBER winners[WIDE] = {0};                                                                                            \
        S shares[WIDE];                                                                                                        \
        for (int64_t i = 0; i < n; i++)                                                                                        \
            for (int64_t j = 0; j < width; j++)                                                                                \
                winners[j] += (NUMBER)wins_##suffix(sizes, ((const S *)(x + i * x_step))[j], extremes[j]);                     \
        for (int64_t j = 0; j < width; j++)                                                                                    \
            shares[j] = WRITE(READ(g[j]) / winners[j]);                                                                        \
        for (int64_t i = 0; i < n; i++) {                                                                                      \
            const S *const from = (const S *)(x + i * x_step);                                                                 \
            S *const restrict to = (S *)(o + i * o_step);                                                                      \
            for (int64_t j = 0; j < width; j++)                                                                                \
                to[j] = wins_##suffix(sizes, from[j], extremes[j]) ? share_##suffix(sizes, from[j], shares[j]) : 0;            \
        }                                                                                                                      \
    }                                                                                                                          \
                                                                                                                               \
    static ALWAYS_INLINE void share_lines_##suffix(const int sizes, const struct facula_lines *plan, char *const *at,          \
                                                   int64_t count)                                                              \
    {                                                                                                                          \
        const int64_t n = plan->n[0], size = sizeof(S), *next = plan->next, *step = plan->step;                                \
        if (plan->by_column && next[0] == size && next[1] == size && next[2] == size && next[3] == size) {                     \
            for (int64_t done = 0; done < count; done += WIDE)                                                                 \
                share_columns_##suffix(sizes, n, count - done < WIDE ? count - done : WIDE, at[0] + done * size, step[0],      \
                                       (const S *)at[1] + done, (const S *)at[2] + done, at[3] + done * size,                  \
                                       step[3]);                                                                               \
            return;                                                                                                            \
        }                                                                                                                      \
        for (int64_t k = 0; k < count; k++) {                                                                                  \
            const S extreme = *(const S *)(at[1] + k * next[1]), g = *(const S *)(at[2] + k * next[2]);                        \
            if (step[0] == size && step[3] == size)                                                                            \
                share_line_##suffix(sizes, n, at[0] + k * next[0], size, extreme, g, at[3] + k * next[3], size);               \
            else                                                                                                               \
                share_line_##suffix(sizes, n, at[0] + k * next[0], step[0], extreme, g, at[3] + k * next[3], step[3]);         \
        }                                                                                                                      \
    }                                                                                                                          \
    static int64_t extreme_shares_##suffix(const struct facula_lines *plan, char *const *at, int64_t count)                    \
    {                                                                                                                          \
        if (plan->flag)                                                                                                        \
            share_lines_##suffix(1, plan, at, count);                                                                          \
        else                                                                                                                   \
            share_lines_##suffix(0, plan, at, count);                                                                          \
        return FACULA_OK;                                                                                                      \
    }                                                                                                                          \
    FACULA_KERNEL("extreme_shares_lines", extreme_shares_##suffix, 300, CODE)

SHARES(float16, uint16_t, float, uint16_t, FLOAT16, IS_FLOAT16, float_of_float16, float16_of_float, HALF_SIZE)
SHARES(bfloat16, uint16_t, float, uint16_t, BFLOAT16, IS_BFLOAT16, float_of_bfloat16, bfloat16_of_float, HALF_SIZE)
SHARES(float32, float, float, int32_t, FLOAT32, IS_NUMBER, , , fabsf)
SHARES(float64, double, double, int64_t, FLOAT64, IS_NUMBER, , , fabs)
