/* Elements picked, or added, by index along a dimension: an index for each, in lines of their own. */
#include <complex.h>

#include "half.h"
#include "kernel.h"
#include "plans/lines.h"

struct sixteen {
    uint64_t low, high;
};

/* The index if it is one of `size` elements, else -1. */
static ALWAYS_INLINE int64_t index_of(const char *at, int64_t size)
{
    const int64_t index = *(const volatile int64_t *)at;
    return index >= 0 && index < size ? index : -1;
}

/* o[i] = a[index[i]] */
static int64_t pick(const struct facula_lines *plan, char *const *first, int64_t count)
{
    for (int64_t line = 0; line < count; line++) {
        const char *a = first[0] + line * plan->next[0], *places = first[1] + line * plan->next[1];
        char *o = first[2] + line * plan->next[2];
        for (int64_t i = 0; i < plan->n[1]; i++, o += plan->step[2]) {
            const int64_t index = index_of(places + i * plan->step[1], plan->n[0]);
            if (index < 0)
                return FACULA_RANGE;
            const char *x = a + index * plan->step[0];
            switch (plan->itemsize) {
            case 1: *(uint8_t *)o = *(const uint8_t *)x; break;
            case 2: *(uint16_t *)o = *(const uint16_t *)x; break;
            case 4: *(uint32_t *)o = *(const uint32_t *)x; break;
            case 8: *(uint64_t *)o = *(const uint64_t *)x; break;
            default: *(struct sixteen *)o = *(const struct sixteen *)x;
            }
        }
    }
    return FACULA_OK;
}

#define ADD(type, sum)                                          \
    {                                                           \
        type *into = (type *)place, x = *(const type *)element; \
        *into = sum;                                            \
        break;                                                  \
    }

/* o = 0, then o[index[i]] += a[i] */
static int64_t spread(const struct facula_lines *plan, char *const *first, int64_t count)
{
    for (int64_t line = 0; line < count; line++) {
        const char *a = first[0] + line * plan->next[0], *places = first[1] + line * plan->next[1];
        char *o = first[2] + line * plan->next[2];
        for (int64_t i = 0; i < plan->n[2]; i++)
            for (int64_t b = 0; b < plan->itemsize; b++)
                o[i * plan->step[2] + b] = 0;
        for (int64_t i = 0; i < plan->n[0]; i++) {
            const int64_t index = index_of(places + i * plan->step[1], plan->n[2]);
            if (index < 0)
                return FACULA_RANGE;
            const char *element = a + i * plan->step[0];
            char *place = o + index * plan->step[2];
            switch (plan->dtype) {
            case BOOL: ADD(uint8_t, *into | x)
            case UINT8: case INT8: ADD(uint8_t, (uint8_t)(*into + x))
            case INT16: ADD(uint16_t, (uint16_t)(*into + x))
            case INT32: ADD(uint32_t, *into + x)
            case INT64: ADD(uint64_t, *into + x)
            case FLOAT16: ADD(uint16_t, float16_of_float(float_of_float16(*into) + float_of_float16(x)))
            case BFLOAT16: ADD(uint16_t, bfloat16_of_float(float_of_bfloat16(*into) + float_of_bfloat16(x)))
            case FLOAT32: ADD(float, *into + x)
            case FLOAT64: ADD(double, *into + x)
            case COMPLEX64: ADD(_Complex float, *into + x)
            case COMPLEX128: ADD(_Complex double, *into + x)
            }
        }
    }
    return FACULA_OK;
}

FACULA_KERNEL("pick_lines", pick, 0, 0)
FACULA_KERNEL("spread_lines", spread, 0, 0)

/* Where a value belongs in a sorted line: before the first element that is not smaller, or (flag) that is greater. NaN
   belongs at the end. */
#define FIND(type, READ)                                                               \
    for (int64_t i = 0; i < plan->n[1]; i++) {                                         \
        const type x_ = *(const type *)(values + i * plan->step[1]);                   \
        int64_t low = 0, high = plan->n[0];                                            \
        while (low < high) {                                                           \
            const int64_t middle = low + (high - low) / 2;                             \
            const type y_ = *(const type *)(sorted + middle * plan->step[0]);          \
            if (plan->flag ? READ(y_) > READ(x_) : READ(y_) >= READ(x_))               \
                high = middle;                                                         \
            else                                                                       \
                low = middle + 1;                                                      \
        }                                                                              \
        *(int64_t *)(o + i * plan->step[2]) = low;                                     \
    }                                                                                  \
    break;

static int64_t search(const struct facula_lines *plan, char *const *first, int64_t count)
{
    for (int64_t line = 0; line < count; line++) {
        const char *sorted = first[0] + line * plan->next[0], *values = first[1] + line * plan->next[1];
        char *o = first[2] + line * plan->next[2];
        switch (plan->dtype) {
        case BOOL: case UINT8: FIND(uint8_t, )
        case INT8: FIND(int8_t, )
        case INT16: FIND(int16_t, )
        case INT32: FIND(int32_t, )
        case INT64: FIND(int64_t, )
        case FLOAT16: FIND(uint16_t, float_of_float16)
        case BFLOAT16: FIND(uint16_t, float_of_bfloat16)
        case FLOAT32: FIND(float, )
        case FLOAT64: FIND(double, )
        }
    }
    return FACULA_OK;
}

FACULA_KERNEL("search_lines", search, 0, 0)
