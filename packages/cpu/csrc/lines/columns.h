/* Columns of lines: kernels that process several adjacent lines together, one element of each at a time.

   Note [Tiles of lines]
   ~~~~~~~~~~~~~~~~~~~~~
   A scan is a chain of dependent steps, so a vector advances one step of as many lines as it has lanes. If lines are
   next to each other (`by_column`), their elements are read in place. Otherwise tiles of DEPTH elements of STRIP lines
   are transposed, processed and transposed back. Every path performs the same steps in the same order, so results do
   not depend on the memory layout or on the division into segments. */
#pragma once
#include "lines/lines.cdef.h"
#include "lines/tiles.h"

enum {
    STRIP = 32, DEPTH = 128, DENSE_STRIP = 256, DENSE_ROWS = 8, FEW_LINES = 4, STATE_BYTES = 32,
    CACHED = 1 << 19, CONVERTED_BYTES = 8192,
};

/* Transpose `rows` elements of lines, from `along` bytes apart, into rows of a tile, or (`store`) back. */
static void move_tile(int64_t size, int64_t lines, int64_t rows, char *at, int64_t next, int64_t along, char *tile, int store)
{
    char packed[STRIP * DEPTH * 8] __attribute__((aligned(64)));
    const int64_t piece = 16 / size, row = STRIP * size, pack = DEPTH * size;
    if ((next < 0 ? -next : next) < (along < 0 ? -along : along)) { /* lines with gaps between their neighbors */
        if (store)
            move_elements(size, rows, lines, tile, row, size, at, along, next);
        else
            move_elements(size, rows, lines, at, along, next, tile, row, size);
        return;
    }
    const int64_t c = size > 1 && size < 16 ? lines / piece * piece : 0, r = c ? rows / piece * piece : 0;
    const int is_near = along == size || along == -size;
    if (c && r) { /* lines with gaps are first packed */
        char *const line = is_near ? along > 0 ? at : at - (r - 1) * size : packed;
        char *const top = !is_near || along > 0 ? tile : tile + (r - 1) * row;
        const int64_t line_step = is_near ? next : pack, top_step = !is_near || along > 0 ? row : -row;
        if (!store) {
            if (!is_near)
                move_elements(size, c, r, at, next, along, packed, pack, size);
            turn(size, c, r, line, line_step, top, top_step);
        } else {
            turn(size, r, c, top, top_step, line, line_step);
            if (!is_near)
                move_elements(size, c, r, packed, pack, size, at, next, along);
        }
    }
    for (int part = 0; part < 2; part++) { /* the last lines, and the last rows of all lines */
        const int64_t skip = part ? 0 : c, below = part ? r : 0, deep = part ? rows - r : r;
        char *const line = at + skip * next + below * along, *const top = tile + skip * size + below * row;
        if (store)
            move_elements(size, lines - skip, deep, top, size, row, line, next, along);
        else
            move_elements(size, lines - skip, deep, line, next, along, top, size, row);
    }
}

/* Processors do not prefetch lines that are far apart, so this prefetches elements of the next tile. Their addresses may
   be beyond the array: prefetching does not fault. `second`: into the second cache, as the first one keeps few rows
   that are a multiple of 4 KB apart. */
static ALWAYS_INLINE void fetch_ahead(const int second, int64_t lines, int64_t bytes, const char *at, int64_t next)
{
    for (int64_t c = 0; c < lines; c++)
        for (int64_t done = 0; done < bytes; done += 64)
            if (second)
                __builtin_prefetch(at + c * next + done, 0, 2);
            else
                __builtin_prefetch(at + c * next + done);
}

/* Move a tile of an operand, some lines at a time, and prefetch the same lines of the tile that is `ahead` bytes away
   (0: of none). */
static void pass_tile(int64_t size, int64_t lines, int64_t rows, char *at, int64_t next, int64_t along, char *tile, int store,
                      int64_t ahead)
{
    enum { PART = 16, MOST_FETCHED = 16 };
    const int64_t far = along < 0 ? -along : along, near = next < 0 ? -next : next, last = along < 0 ? (DEPTH - 1) * along : 0;
    const int by_row = near < far; /* rows have gaps between neighbors */
    for (int64_t c = 0, part; c < lines; c += part) {
        part = by_row || lines - c < PART ? lines - c : PART;
        char *const from = at + c * next;
        if (!ahead)
            ;
        else if (by_row && near <= MOST_FETCHED)
            fetch_ahead(0, rows, part * near, from + ahead + (next < 0 ? (part - 1) * next : 0), along);
        else if (!by_row && far <= MOST_FETCHED)
            fetch_ahead(0, part, DEPTH * far, from + ahead + last, next);
        move_tile(size, part, rows, from, next, along, tile + c * size, store);
    }
}

/* A kernel on columns: processes elements `first` to `first + n` of `width` adjacent lines. The rows of each operand are
   contiguous, and `step` bytes apart. `state` keeps what later elements need, at most STATE_BYTES for each line. */
typedef void columns_kernel(const struct facula_lines *plan, int64_t first, int64_t n, int64_t width, char *const *at,
                            const int64_t *step, char *state);

/* A kernel for the first `n` elements of `lines` lines of contiguous elements: `n` is a multiple of the elements in 16
   bytes, `lines` one of those in a vector. */
typedef void turned_kernel(const struct facula_lines *plan, int64_t n, int64_t lines, char *const *at, char *state);

/* Elements that are converted to and from those of another type, a block at a time. `step`: that of the elements. */
struct conversion {
    int64_t size; /* of the other type */
    void (*load)(char *to, const char *from, int64_t step, int64_t count);
    void (*store)(char *to, int64_t step, const char *from, int64_t count);
};

/* The first `inputs` of `operands` operands are read, the others written. Lines of operand `shorter` (-1: of none) lack
   the last element. The first `converted` operands are converted for the kernel. `whole_lines`: whether lines that are
   not next to each other are processed one by one. `turned`: a faster kernel for contiguous lines, or NULL. */
struct columns {
    columns_kernel *run;
    int inputs, operands, shorter, converted, whole_lines;
    int64_t size[4]; /* of elements in memory */
    const struct conversion *conversion;
    turned_kernel *turned;
};

/* Convert `n` rows of `width` elements, `step` bytes apart, or (`store`) back. The converted elements are contiguous. */
static void convert_rows(const struct conversion *conversion, int64_t size, int64_t n, int64_t width, char *at, int64_t step,
                         char *to, int store)
{
    if (width == 1 || step == width * size) {
        size = width == 1 ? step : size;
        width *= n;
        n = 1;
    }
    for (int64_t i = 0; i < n; i++, at += step, to += width * conversion->size)
        if (store)
            conversion->store(at, size, to, width);
        else
            conversion->load(to, at, size, width);
}

/* `across`: the elements to convert of each row, at least `width`; those of tiles are adjacent to the next row. */
static void run_rows(const struct columns *columns, const struct facula_lines *plan, int64_t first, int64_t n, int64_t width,
                     int64_t across, char *const *at, const int64_t *step, char *state)
{
    const struct conversion *conversion = columns->conversion;
    if (!conversion) {
        columns->run(plan, first, n, width, at, step, state);
        return;
    }
    char rooms[4][CONVERTED_BYTES] __attribute__((aligned(64))), *row[4];
    int64_t steps[4];
    const int64_t most = CONVERTED_BYTES / conversion->size / across;
    for (int64_t i = 0; i < n; i += most) {
        const int64_t rows = n - i < most ? n - i : most, is_end = first + i + rows == plan->n[0];
        for (int k = 0; k < columns->operands; k++) {
            const int converted = k < columns->converted;
            row[k] = converted ? rooms[k] : at[k] + i * step[k];
            steps[k] = converted ? across * conversion->size : step[k];
        }
        for (int k = 0; k <= columns->converted; k++) {
            if (k == columns->inputs)
                columns->run(plan, first + i, rows, width, row, steps, state);
            if (k < columns->converted)
                convert_rows(conversion, columns->size[k], rows - (k == columns->shorter && is_end), across,
                             at[k] + i * step[k], step[k], rooms[k], k >= columns->inputs);
        }
    }
}

/* Shared by all kernels: a copy for each would take a third of the time to compile them. */
static __attribute__((noinline, noclone)) int64_t run_columns(const struct facula_lines *plan, char *const *first,
                                                              int64_t count, const struct columns *columns)
{
    const int inputs = columns->inputs, operands = columns->operands;
    const int64_t *const size = columns->size;
    char state[DENSE_STRIP * STATE_BYTES] __attribute__((aligned(64)));
    const int64_t n = plan->n[0];
    if (!n)
        return FACULA_OK;
    /* Lines that are a multiple of 4 KB apart compete for one set of the first cache. */
    const int64_t across = VECTOR_BYTES / size[0], along = 16 / size[0];
    int is_dense = 1, is_turned = columns->turned && (across <= 4 || plan->next[0] % 4096);
    int64_t each = 0; /* bytes */
    for (int k = 0; k < operands; k++) {
        is_dense &= plan->next[k] == size[k];
        is_turned &= plan->step[k] == (plan->step[0] < 0 ? -size[k] : size[k]);
        each += size[k];
    }
    const int is_cached = plan->segments * plan->segment * n * each <= CACHED;
    const int64_t strip = is_dense ? DENSE_STRIP : STRIP;
    const int64_t turned = (n - (columns->shorter >= 0)) / along * along;
    int64_t width;
    for (int64_t done = 0; done < count; done += width) {
        width = count - done < strip ? count - done : strip;
        const int turns = is_turned && turned && width >= across && !(is_dense && width > 1);
        if (turns)
            width = width / across * across;
        char *at[4];
        for (int k = 0; k < operands; k++)
            at[k] = first[k] + done * plan->next[k];
        if (is_dense && width > 1) {
            for (int64_t i = 0; i < n; i += DENSE_ROWS) {
                char *row[4];
                for (int k = 0; k < operands; k++) {
                    row[k] = at[k] + i * plan->step[k];
                    fetch_ahead(1, DENSE_ROWS, width * size[k], row[k] + DENSE_ROWS * plan->step[k], plan->step[k]);
                }
                run_rows(columns, plan, i, n - i < DENSE_ROWS ? n - i : DENSE_ROWS, width, width, row, plan->step, state);
            }
        } else if (!turns && (columns->whole_lines || width < FEW_LINES)) {
            for (int64_t i = 0; i < width; i++) {
                run_rows(columns, plan, 0, n, 1, 1, at, plan->step, state);
                for (int k = 0; k < operands; k++)
                    at[k] += plan->next[k];
            }
        } else {
            char tiles[4][STRIP * DEPTH * 16] __attribute__((aligned(64)));
            char *const tile[4] = {tiles[0], tiles[1], tiles[2], tiles[3]};
            int64_t steps[4];
            for (int k = 0; k < operands; k++)
                steps[k] = STRIP * size[k];
            if (turns)
                columns->turned(plan, turned, width, at, state);
            for (int64_t i = turns ? turned : 0; i < n; i += DEPTH) {
                const int64_t rows = n - i < DEPTH ? n - i : DEPTH;
                const int more = i + DEPTH < n;
                for (int k = 0; k <= operands; k++) {
                    if (k == inputs)
                        run_rows(columns, plan, i, rows, width, STRIP, tile, steps, state);
                    if (k < operands)
                        pass_tile(size[k], width, rows - (k == columns->shorter && !more), at[k] + i * plan->step[k],
                                  plan->next[k], plan->step[k], tile[k], k >= inputs,
                                  is_cached ? 0 : more ? DEPTH * plan->step[k] : STRIP * plan->next[k] - i * plan->step[k]);
                }
            }
        }
    }
    return FACULA_OK;
}
