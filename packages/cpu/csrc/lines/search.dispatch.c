/* Positions of values in sorted lines. */
#include "elements/half.h"
#include "lines/lines.cdef.h"
#include "runtime/kernel.h"

enum { LANES = 32 }; /* values that are searched together, without branches, so that loads overlap */

/* Finds the position of a value in a sorted line: before the first element that is not smaller or, with flag, that
   is greater. NaN is placed at the end. */
#define FIND_ONE(type, number, READ)                                                   \
    for (int64_t i = 0; i < plan->n[1]; i++) {                                         \
        const number x = READ(*(const type *)(values + i * plan->step[1]));            \
        int64_t low = 0, high = plan->n[0];                                            \
        while (low < high) {                                                           \
            const int64_t middle = low + (high - low) / 2;                             \
            const number y = READ(*(const type *)(sorted + middle * plan->step[0]));   \
            if (plan->flag ? y > x : y >= x)                                           \
                high = middle;                                                         \
            else                                                                       \
                low = middle + 1;                                                      \
        }                                                                              \
        *(int64_t *)(o + i * plan->step[2]) = low;                                     \
    }

/* The same for several values and a line of adjacent elements. */
#define FIND_SEVERAL(type, number, READ, order)                                        \
    for (int64_t i = 0; i < plan->n[1]; i += LANES) {                                  \
        const int64_t count = plan->n[1] - i < LANES ? plan->n[1] - i : LANES;         \
        number x[LANES] = {0};                                                         \
        type found[LANES];                                                             \
        int32_t low[LANES], high[LANES], middle[LANES];                                \
        for (int j = 0; j < count; j++)                                                \
            x[j] = READ(*(const type *)(values + (i + j) * plan->step[1]));            \
        for (int j = 0; j < LANES; j++)                                                \
            low[j] = 0, high[j] = (int32_t)plan->n[0];                                 \
        for (int round = 0; round < rounds; round++) {                                 \
            for (int j = 0; j < LANES; j++)                                            \
                middle[j] = low[j] + (high[j] - low[j]) / 2;                           \
            for (int j = 0; j < LANES; j++)                                            \
                found[j] = line[middle[j] < last ? middle[j] : last];                  \
            for (int j = 0; j < LANES; j++) {                                          \
                const number y = READ(found[j]);                                       \
                const int32_t is_open = low[j] < high[j], is_after = y order x[j];     \
                low[j] += (middle[j] + 1 - low[j]) & -(is_open & !is_after);           \
                high[j] += (middle[j] - high[j]) & -(is_open & is_after);              \
            }                                                                          \
        }                                                                              \
        for (int j = 0; j < count; j++)                                                \
            *(int64_t *)(o + (i + j) * plan->step[2]) = low[j];                        \
    }

#define FIND(name, type, number, READ)                                                                       \
    static void find_##name(const struct facula_lines *plan, const char *sorted, const char *values, char *o) \
    {                                                                                                        \
        if (plan->step[0] != sizeof(type) || plan->n[0] < 1 || plan->n[0] >= INT32_MAX || plan->n[1] < LANES / 2) { \
            FIND_ONE(type, number, READ)                                                                     \
            return;                                                                                          \
        }                                                                                                    \
        const type *line = (const type *)sorted;                                                             \
        const int32_t last = (int32_t)plan->n[0] - 1;                                                      \
        const int rounds = 32 - __builtin_clz((uint32_t)last + 1);                                                     \
        if (plan->flag)                                                                                      \
            FIND_SEVERAL(type, number, READ, >)                                                              \
        else                                                                                                 \
            FIND_SEVERAL(type, number, READ, >=)                                                             \
    }

FIND(uint8, uint8_t, uint8_t, )
FIND(int8, int8_t, int8_t, )
FIND(int16, int16_t, int16_t, )
FIND(int32, int32_t, int32_t, )
FIND(int64, int64_t, int64_t, )
FIND(float16, uint16_t, float, float_of_float16)
FIND(bfloat16, uint16_t, float, float_of_bfloat16)
FIND(float32, float, float, )
FIND(float64, double, double, )

static int64_t search(const struct facula_lines *plan, char *const *first, int64_t count)
{
    typedef void (*finder)(const struct facula_lines *, const char *, const char *, char *);
    static const finder finders[] = {
        [BOOL] = find_uint8, [UINT8] = find_uint8, [INT8] = find_int8, [INT16] = find_int16, [INT32] = find_int32,
        [INT64] = find_int64, [FLOAT16] = find_float16, [BFLOAT16] = find_bfloat16, [FLOAT32] = find_float32,
        [FLOAT64] = find_float64,
    };
    for (int64_t line = 0; line < count; line++)
        finders[plan->dtype](plan, first[0] + line * plan->next[0], first[1] + line * plan->next[1],
                             first[2] + line * plan->next[2]);
    return FACULA_OK;
}

FACULA_KERNEL("search_lines", search, 0, 0)
