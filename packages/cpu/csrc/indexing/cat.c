/* Joins arrays along a dimension. The arrays are arguments of the launch, so one plan serves all shapes. */
#include "runtime/kernel.h"

#include <string.h>

enum { PIECE = 1 << 17 }; /* bytes of output in a task */

struct work {
    const int64_t *table; /* outer, parts, then for each part its address and its number of bytes in each outer step */
    char *o;
    int64_t row, total; /* bytes */
};

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
    const int64_t from = number * PIECE, to = from + PIECE;
    join(work, from, to < work->total ? to : work->total);
}

static int64_t cat(const void *plan, int64_t *args)
{
    struct work work = {args + 1, (char *)args[3 + 2 * args[2]], 0, 0};
    (void)plan;
    for (int64_t part = 0; part < work.table[1]; part++)
        work.row += work.table[3 + 2 * part];
    work.total = work.row * work.table[0];
    if (work.total > 2 * PIECE)
        facula_parallel((work.total + PIECE - 1) / PIECE, join_piece, &work);
    else if (work.total)
        join(&work, 0, work.total);
    return FACULA_OK;
}

FACULA_KERNEL("cat", cat, 30, 0)
