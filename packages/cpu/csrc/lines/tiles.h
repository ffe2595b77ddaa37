/* Columns of lines: kernels that process several adjacent lines together, one element of each at a time.

   Note [Tiles of lines]
   ~~~~~~~~~~~~~~~~~~~~~
   A scan is a chain of dependent steps, so a vector advances one step of as many lines as it has lanes. If lines are
   next to each other (`by_column`), their elements are read in place. Otherwise tiles of DEPTH elements of STRIP lines
   are transposed, processed and transposed back. Every path performs the same steps in the same order, so results do
   not depend on the memory layout or on the division into segments. */
#pragma once
#include "lines/lines.cdef.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

#if defined(__AVX2__) && !defined(__AVX512F__)
#include <immintrin.h>
#endif

enum { STRIP = 32, DEPTH = 128, DENSE_STRIP = 256, DENSE_ROWS = 8, FEW_LINES = 4, STATE_BYTES = 32, CACHED = 1 << 19 };

#define SIZE 2
#define LANE uint16_t
#define PIECE 8
#define VECTOR 16
#include "copies/transpose_vectors.inc"
#if VECTOR_BYTES > 16
#define VECTOR 32
#include "copies/transpose_vectors.inc"
#endif
#if VECTOR_BYTES > 32
#define VECTOR 64
#include "copies/transpose_vectors.inc"
#endif
#undef SIZE
#undef LANE
#undef PIECE
#define SIZE 4
#define LANE uint32_t
#define PIECE 4
#define VECTOR 16
#include "copies/transpose_vectors.inc"
#if VECTOR_BYTES > 16
#define VECTOR 32
#include "copies/transpose_vectors.inc"
#endif
#if VECTOR_BYTES > 32
#define VECTOR 64
#include "copies/transpose_vectors.inc"
#endif
#undef SIZE
#undef LANE
#undef PIECE
#define SIZE 8
#define LANE uint64_t
#define PIECE 2
#define VECTOR 16
#include "copies/transpose_vectors.inc"
#if VECTOR_BYTES > 16
#define VECTOR 32
#include "copies/transpose_vectors.inc"
#endif
#if VECTOR_BYTES > 32
#define VECTOR 64
#include "copies/transpose_vectors.inc"
#endif
#undef SIZE
#undef LANE
#undef PIECE

/* to[r][c] = from[c][r]: `lines` lines of `rows` contiguous elements, both in complete squares of 16 bytes. */
#define SOME_LINES(size, vector) turn_lines_##size##_##vector(lines - c, piece, at + c * step, step, row + c * size, to_step)
#if VECTOR_BYTES > 32
#define WIDE_LINES(size) (c += SOME_LINES(size, 64), c += SOME_LINES(size, 32))
#elif VECTOR_BYTES > 16
#define WIDE_LINES(size) (c += SOME_LINES(size, 32))
#else
#define WIDE_LINES(size) ((void)0)
#endif
#define TURN(size)                                                                                          \
    static void turn_##size(int64_t lines, int64_t rows, const char *from, int64_t step, char *to, int64_t to_step) \
    {                                                                                                       \
        enum { piece = 16 / size };                                                                         \
        for (int64_t r = 0; r < rows; r += piece) {                                                         \
            const char *at = from + r * size;                                                               \
            char *row = to + r * to_step;                                                                   \
            int64_t c = 0;                                                                                  \
            WIDE_LINES(size);                                                                               \
            SOME_LINES(size, 16);                                                                           \
        }                                                                                                   \
    }
TURN(2)
TURN(4)
TURN(8)

static ALWAYS_INLINE void turn(int64_t size, int64_t lines, int64_t rows, const char *from, int64_t step, char *to, int64_t to_step)
{
    switch (size) {
    case 2: turn_2(lines, rows, from, step, to, to_step); break;
    case 4: turn_4(lines, rows, from, step, to, to_step); break;
    default: turn_8(lines, rows, from, step, to, to_step);
    }
}

struct sixteen_bytes {
    uint64_t low, high;
};

/* Copy elements between positions with any steps; the inner loop runs along the lines. */
static void move_elements(int64_t size, int64_t lines, int64_t rows, const char *from, int64_t step, int64_t row_step, char *to,
                          int64_t to_step, int64_t to_row_step)
{
#define MOVE(type)                                                                                                  \
    for (int64_t c = 0; c < lines; c++)                                                                             \
        for (int64_t r = 0; r < rows; r++)                                                                          \
            *(type *)(to + c * to_step + r * to_row_step) = *(const type *)(from + c * step + r * row_step);        \
    break;
    switch (size) {
    case 1: MOVE(uint8_t)
    case 2: MOVE(uint16_t)
    case 4: MOVE(uint32_t)
    case 8: MOVE(uint64_t)
    default: MOVE(struct sixteen_bytes)
    }
#undef MOVE
}

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
/* The same for one line. */
typedef void line_kernel(const struct facula_lines *plan, char *const *at);

/* The first `inputs` of `operands` operands are read, the others written. Lines of operand `shorter` (-1: of none) lack
   the last element. `whole_lines`: whether lines that are not next to each other are processed one by one. */
static ALWAYS_INLINE int64_t run_columns(const struct facula_lines *plan, char *const *first, int64_t count, int inputs,
                                         int operands, const int64_t *size, columns_kernel *columns, line_kernel *line, int whole_lines, int shorter)
{
    char state[DENSE_STRIP * STATE_BYTES] __attribute__((aligned(64)));
    const int64_t n = plan->n[0];
    int is_dense = 1;
    int64_t each = 0; /* bytes */
    for (int k = 0; k < operands; k++) {
        is_dense &= plan->next[k] == size[k];
        each += size[k];
    }
    const int is_cached = plan->segments * plan->segment * n * each <= CACHED;
    const int64_t strip = is_dense ? DENSE_STRIP : STRIP;
    for (int64_t done = 0; done < count; done += strip) {
        const int64_t width = count - done < strip ? count - done : strip;
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
                columns(plan, i, n - i < DENSE_ROWS ? n - i : DENSE_ROWS, width, row, plan->step, state);
            }
        } else if (whole_lines || width < FEW_LINES) {
            for (int64_t i = 0; i < width; i++) {
                line(plan, at);
                for (int k = 0; k < operands; k++)
                    at[k] += plan->next[k];
            }
        } else {
            char tiles[4][STRIP * DEPTH * 16] __attribute__((aligned(64)));
            char *const tile[4] = {tiles[0], tiles[1], tiles[2], tiles[3]};
            int64_t steps[4];
            for (int k = 0; k < operands; k++)
                steps[k] = STRIP * size[k];
            for (int64_t i = 0; i < n; i += DEPTH) {
                const int64_t rows = n - i < DEPTH ? n - i : DEPTH;
                const int more = i + DEPTH < n;
                for (int k = 0; k <= operands; k++) {
                    if (k == inputs)
                        columns(plan, i, rows, width, tile, steps, state);
                    if (k < operands)
                        pass_tile(size[k], width, rows - (k == shorter && !more), at[k] + i * plan->step[k],
                                  plan->next[k], plan->step[k], tile[k], k >= inputs,
                                  is_cached ? 0 : more ? DEPTH * plan->step[k] : STRIP * plan->next[k] - i * plan->step[k]);
                }
            }
        }
    }
    return FACULA_OK;
}
