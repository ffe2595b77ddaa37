/* Positions of values in sorted lines. */
#include "elements/half.h"
#include "lines/lines.cdef.h"
#include "runtime/kernel.h"

/* Finds the position of a value in a sorted line: before the first element that is not smaller or, with flag, that
   is greater. NaN is placed at the end. */
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
