/* Joins arrays along a dimension. The arrays are arguments of the launch, so one plan serves all shapes. */
#include "runtime/kernel.h"

#include <string.h>

enum {
    PIECE = 1 << 17, /* bytes of output in a task */
    ROWS = 256,      /* of elements that are interleaved in the cache */
};

struct work {
    const int64_t *table; /* outer, parts, then for each part its address and its number of bytes in each outer step */
    char *o;
    int64_t row, total; /* bytes */
    int64_t element;    /* bytes of the elements of parts that have one in each outer step; otherwise 0 */
    int64_t rows;       /* outer steps in a task, for these */
};

/* Elements of the parts in turn, from row `first` on. Two parts are a loop that compilers vectorize. */
#define INTERLEAVE(T)                                                                           \
    static void interleave_##T(const struct work *work, int64_t first, int64_t end)             \
    {                                                                                           \
        const int64_t parts = work->table[1], *source = work->table + 2;                        \
        T *restrict o = (T *)work->o;                                                           \
        if (parts == 2) {                                                                       \
            const T *restrict a = (const T *)source[0], *restrict b = (const T *)source[2];     \
            for (int64_t i = first; i < end; i++) {                                             \
                o[2 * i] = a[i];                                                                \
                o[2 * i + 1] = b[i];                                                            \
            }                                                                                   \
            return;                                                                             \
        }                                                                                       \
        for (int64_t row = first; row < end; row += ROWS)                                       \
            for (int64_t part = 0; part < parts; part++) {                                      \
                const T *restrict a = (const T *)source[2 * part];                              \
                for (int64_t i = row; i < (row + ROWS < end ? row + ROWS : end); i++)           \
                    o[i * parts + part] = a[i];                                                 \
            }                                                                                   \
    }
INTERLEAVE(uint8_t)
INTERLEAVE(uint16_t)
INTERLEAVE(uint32_t)
INTERLEAVE(uint64_t)

/* Returns the size of elements that are joined one by one; 0 if parts are longer, or not equally long. */
static int64_t element_size(const struct work *work)
{
    const int64_t parts = work->table[1], width = work->table[3];
    int64_t places = width | (int64_t)work->o;
    for (int64_t part = 0; part < parts; part++) {
        if (work->table[3 + 2 * part] != width)
            return 0;
        places |= work->table[2 + 2 * part];
    }
    return (width == 1 || width == 2 || width == 4 || width == 8) && places % width == 0 ? width : 0;
}

static void join_rows(const struct work *work, int64_t first, int64_t end)
{
    switch (work->element) {
    case 1: interleave_uint8_t(work, first, end); return;
    case 2: interleave_uint16_t(work, first, end); return;
    case 4: interleave_uint32_t(work, first, end); return;
    case 8: interleave_uint64_t(work, first, end); return;
    }
}

/* Writes the bytes [from, to) of the output. */
static void join(const struct work *work, int64_t from, int64_t to)
{
    const int64_t parts = work->table[1];
    int64_t outer = from / work->row, at = from % work->row, part = 0;
    const int64_t *source = work->table + 2;
    while (at >= source[2 * part + 1])
        at -= source[2 * part++ + 1];
    while (from < to) {
        const int64_t width = source[2 * part + 1];
        const int64_t count = width - at < to - from ? width - at : to - from;
        if (count > 0)
            memmove(work->o + from, (const char *)source[2 * part] + outer * width + at, (size_t)count);
        from += count;
        at = 0;
        if (++part == parts) {
            part = 0;
            outer++;
        }
    }
}

static void join_piece(void *context, int64_t number)
{
    const struct work *work = context;
    if (work->element) {
        const int64_t first = number * work->rows, end = first + work->rows;
        join_rows(work, first, end < work->table[0] ? end : work->table[0]);
        return;
    }
    const int64_t from = number * PIECE, to = from + PIECE;
    join(work, from, to < work->total ? to : work->total);
}

static int64_t cat(const void *plan, int64_t *args)
{
    struct work work = {args + 1, (char *)args[3 + 2 * args[2]], 0, 0, 0, 0};
    (void)plan;
    for (int64_t part = 0; part < work.table[1]; part++)
        work.row += work.table[3 + 2 * part];
    work.total = work.row * work.table[0];
    if (work.total && work.table[1] > 1 && work.table[0] > 1)
        work.element = element_size(&work);
    if (work.element) {
        work.rows = PIECE / work.row + 1;
        const int64_t tasks = work.total > 2 * PIECE ? (work.table[0] + work.rows - 1) / work.rows : 1;
        if (tasks > 1)
            facula_parallel(tasks, join_piece, &work);
        else
            join_rows(&work, 0, work.table[0]);
    } else if (work.total > 2 * PIECE)
        facula_parallel((work.total + PIECE - 1) / PIECE, join_piece, &work);
    else if (work.total)
        join(&work, 0, work.total);
    return FACULA_OK;
}

FACULA_KERNEL("cat", cat, 30, 0)
