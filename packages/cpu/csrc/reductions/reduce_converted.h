/* Reducers of elements that are converted, some at a time, to those of another reducer. */
#pragma once
#include "reductions/reduce.cdef.h"
#include "runtime/kernel.h"

enum { CONVERTED_BYTES = 16384, CONVERTED_STRIP = 1024 };

/* Converts n elements with a distance of `step` bytes to adjacent ones. */
typedef void convert_elements(void *tile, int64_t n, const char *a, int64_t step);

struct conversion {
    const struct facula_reducer *to;
    int64_t size; /* of its elements */
    convert_elements *convert;
};

/* Converts n rows of `width` elements to adjacent ones. */
static inline void convert_tile(const struct conversion *by, char *tile, int64_t n, int64_t width, const char *a,
                                int64_t row_step, int64_t step)
{
    if (row_step == width * step) {
        width *= n;
        n = 1;
    }
    for (int64_t r = 0; r < n; r++)
        by->convert(tile + r * width * by->size, width, a + r * row_step, step);
}

static inline void converted_rows(const struct conversion *by, char *states, int64_t count, const char *a, int64_t next,
                                  int64_t n, int64_t step, int64_t first)
{
    char tile[CONVERTED_BYTES] __attribute__((aligned(64)));
    const int64_t most = CONVERTED_BYTES / by->size, together = n && n < most ? most / n : 1;
    for (int64_t r = 0; r < count; r += together) {
        const int64_t rows = count - r < together ? count - r : together;
        for (int64_t i = 0; i < n; i += most) {
            const int64_t block = n - i < most ? n - i : most;
            convert_tile(by, tile, rows, block, a + r * next + i * step, next, step);
            by->to->rows(states + r * by->to->state_bytes, rows, tile, block * by->size, block, by->size, first + i);
        }
    }
}

static inline void converted_column(const struct conversion *by, char *states, int64_t count, const char *a, int64_t step,
                                    int64_t n, int64_t row_step, int64_t first)
{
    char tile[CONVERTED_BYTES] __attribute__((aligned(64)));
    for (int64_t done = 0; done < count; done += CONVERTED_STRIP) {
        const int64_t width = count - done < CONVERTED_STRIP ? count - done : CONVERTED_STRIP;
        const int64_t most = CONVERTED_BYTES / by->size / width;
        for (int64_t r = 0; r < n; r += most) {
            const int64_t rows = n - r < most ? n - r : most;
            convert_tile(by, tile, rows, width, a + done * step + r * row_step, row_step, step);
            by->to->column(states + done * by->to->state_bytes, width, tile, by->size, rows, width * by->size, first + r);
        }
    }
}

/* The elements of type T, to which elements of type S are converted by READ, one after another. */
#define CONVERSION(suffix, S, T, READ)                                                        \
    static void convert_##suffix(void *tile, int64_t n, const char *a, int64_t step)          \
    {                                                                                         \
        if (step == sizeof(S))                                                                \
            for (int64_t j = 0; j < n; j++)                                                   \
                ((T *)tile)[j] = READ(((const S *)a)[j]);                                     \
        else                                                                                  \
            for (int64_t j = 0; j < n; j++)                                                   \
                ((T *)tile)[j] = READ(*(const S *)(a + j * step));                            \
    }

/* The reducer of operator `name` for elements that a CONVERSION converts to type T, that of the states of `other`. */
#define CONVERTED_REDUCER(name, suffix, T, other, cost, ...)                                                            \
    static const struct conversion name##_by_##suffix = {&other, sizeof(T), convert_##suffix};                          \
    static void name##_start_##suffix(void *states, int64_t count)                                                      \
    {                                                                                                                   \
        other.start(states, count);                                                                                     \
    }                                                                                                                   \
    static void name##_rows_##suffix(void *states, int64_t count, const char *a, int64_t next, int64_t n, int64_t step, \
                                     int64_t first)                                                                     \
    {                                                                                                                   \
        converted_rows(&name##_by_##suffix, states, count, a, next, n, step, first);                                    \
    }                                                                                                                   \
    static void name##_column_##suffix(void *states, int64_t count, const char *a, int64_t step, int64_t n,             \
                                       int64_t row_step, int64_t first)                                                 \
    {                                                                                                                   \
        converted_column(&name##_by_##suffix, states, count, a, step, n, row_step, first);                              \
    }                                                                                                                   \
    static void name##_join_##suffix(void *states, const void *later, int64_t count)                                    \
    {                                                                                                                   \
        other.join(states, later, count);                                                                               \
    }                                                                                                                   \
    static void name##_finish_##suffix(const void *states, int64_t count, char *o, int64_t step)                        \
    {                                                                                                                   \
        other.finish(states, count, o, step);                                                                           \
    }                                                                                                                   \
    static const struct facula_reducer name##_##suffix = {                                                              \
        .state_bytes = sizeof(T),                                                                                       \
        .start = name##_start_##suffix,                                                                                 \
        .rows = name##_rows_##suffix,                                                                                   \
        .column = name##_column_##suffix,                                                                               \
        .join = name##_join_##suffix,                                                                                   \
        .finish = name##_finish_##suffix,                                                                               \
    };                                                                                                                  \
    FACULA_KERNEL(#name "_reducer", &name##_##suffix, cost, __VA_ARGS__)
