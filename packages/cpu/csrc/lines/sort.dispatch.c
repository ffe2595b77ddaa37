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
#define BACK float32_of_key
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
#undef BACK
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
#define NAN_KEY(itemsize) ((itemsize) == 2 ? 0xffffu : (itemsize) == 4 ? 0xffffffffu : ~(uint64_t)0)
#define BACK float64_of_key
#define BACK_DTYPE FLOAT64
#define ZERO_KEY 0x8000000000000000

#define SIGNED int64_t
#include "lines/sort.inc"
#include "lines/select.inc"

#define BY_WIDTH(name)                                                                                      \
    static int64_t name(const struct facula_lines *plan, char *const *at, int64_t count)                    \
    {                                                                                                       \
        return (plan->itemsize <= 4 && plan->n[0] <= INT32_MAX ? name##_narrow : name##_wide)(plan, at, count); \
    }                                                                                                       \
    FACULA_KERNEL(#name "_lines", name, 0, 0)

BY_WIDTH(sort)
BY_WIDTH(topk)
BY_WIDTH(rank)
