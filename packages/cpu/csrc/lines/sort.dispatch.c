/* Sorting, the first k elements and the element of a given rank, along lines. NaN is last, and sorting is stable. */
#include <stdlib.h>
#include <string.h>

#include "lines/network.h"
#include "lines/sort_keys.h"

/* Keys of at most 32 bits share 64 bits with their index. */
#define SUFFIX narrow
#define PAIR uint64_t
#define KEY uint32_t
#define MAKE(key, place) ((uint64_t)(key) << 32 | (uint64_t)(place))
#define KEY_OF(pair) ((uint32_t)((pair) >> 32))
#define PLACE_OF(pair) ((uint32_t)(pair))
#define LESS(a, b) ((a) < (b))
#define LOAD narrow_keys
#define DIGITS(itemsize) ((int)(itemsize))
#define DIGIT(pair, d) ((pair) >> (32 + 8 * (d)) & 0xff)
#define NAN_KEY(itemsize) ((itemsize) == 2 ? 0xffffu : 0xffffffffu)
#define SHORTEST (1 << 17)
#define BACK float32_of_key
#define NUMBER number_of_key32
#define BACK_DTYPE FLOAT32
#define ZERO_KEY 0x80000000u

#define SIGNED int32_t
#include "lines/sort.inc"
#include "lines/select.inc"

struct pair {
    uint64_t key, place;
};

#undef SUFFIX
#undef PAIR
#undef KEY
#undef MAKE
#undef KEY_OF
#undef PLACE_OF
#undef LESS
#undef LOAD
#undef DIGITS
#undef DIGIT
#undef NAN_KEY
#undef SHORTEST
#undef BACK
#undef NUMBER
#undef BACK_DTYPE
#undef ZERO_KEY
#undef SIGNED
#define SUFFIX wide
#define PAIR struct pair
#define KEY uint64_t
#define MAKE(key_, place_) ((struct pair){(key_), (uint64_t)(place_)})
#define KEY_OF(pair) ((pair).key)
#define PLACE_OF(pair) ((pair).place)
#define LESS(a, b) ((a).key < (b).key || ((a).key == (b).key && (a).place < (b).place))
#define LOAD wide_keys
#define DIGITS(itemsize) ((int)(itemsize))
#define DIGIT(pair, d) ((pair).key >> 8 * (d) & 0xff)
#define SHORTEST (MOST_WORDS + 1)
#define NAN_KEY(itemsize) ((itemsize) == 2 ? 0xffffu : (itemsize) == 4 ? 0xffffffffu : ~(uint64_t)0)
#define BACK float64_of_key
#define NUMBER number_of_key64
#define BACK_DTYPE FLOAT64
#define ZERO_KEY 0x8000000000000000

#define SIGNED int64_t
#include "lines/sort.inc"
#include "lines/select.inc"

/* to[r][c] = from[c][r], with any steps. */
static void transpose(int64_t size, int64_t lines, int64_t rows, const char *from, int64_t step, int64_t along, char *to,
                      int64_t to_step, int64_t to_along)
{
    const int64_t piece = 16 / size, is_dense = along == size && to_along == size && size > 1;
    const int64_t c = is_dense ? lines / piece * piece : 0, r = is_dense ? rows / piece * piece : 0;
    if (c && r)
        turn(size, c, r, from, step, to, to_step);
    move_elements(size, lines, rows - r, from + r * along, step, along, to + r * to_step, to_along, to_step);
    move_elements(size, lines - c, r, from + c * step, step, along, to + c * to_along, to_along, to_step);
}

/* Lines that are next to each other are transposed first, some at a time, so that complete cache lines are read and
   written. Their plan has the same lengths. */
static int64_t by_rows(const struct facula_lines *plan, char *const *first, int64_t count,
                       int64_t (*kernel)(const struct facula_lines *plan, char *const *at, int64_t count), int64_t outputs)
{
    enum { ROWS = 16, MOST_BYTES = 1 << 20, GAP = 64 };
    const int64_t size = plan->itemsize, n = plan->n[0];
    const int64_t row = n * size + GAP, values = outputs * size + GAP, places = outputs * 8 + GAP;
    struct facula_lines rows = *plan;
    char *room = NULL;
    if (plan->by_column && count > 1 && n > 1 && ROWS * (row + values + places) <= MOST_BYTES)
        room = malloc((size_t)(ROWS * (row + values + places)));
    if (!room)
        return kernel(plan, first, count);
    char *const at[3] = {room, room + ROWS * row, room + ROWS * (row + values)};
    rows.step[0] = rows.step[1] = size, rows.step[2] = 8;
    rows.next[0] = row, rows.next[1] = values, rows.next[2] = places;
    int64_t status = FACULA_OK;
    for (int64_t done = 0; done < count && !status; done += ROWS) {
        const int64_t lines = count - done < ROWS ? count - done : ROWS;
        transpose(size, n, lines, first[0] + done * plan->next[0], plan->step[0], plan->next[0], at[0], row, size);
        status = kernel(&rows, at, lines);
        transpose(size, lines, outputs, at[1], values, size, first[1] + done * plan->next[1], plan->step[1], plan->next[1]);
        transpose(8, lines, outputs, at[2], places, 8, first[2] + done * plan->next[2], plan->step[2], plan->next[2]);
    }
    free(room);
    return status;
}

#define BY_WIDTH(name, outputs)                                                                                         \
    static int64_t name(const struct facula_lines *plan, char *const *at, int64_t count)                                \
    {                                                                                                                   \
        const int is_narrow = plan->itemsize <= 4 && plan->n[0] <= INT32_MAX;                                           \
        return by_rows(plan, at, count, is_narrow ? name##_narrow : name##_wide, outputs);                              \
    }                                                                                                                   \
    FACULA_KERNEL(#name "_lines", name, 0, 0)

BY_WIDTH(sort, plan->n[0])
BY_WIDTH(topk, plan->option)
BY_WIDTH(rank, 1)
