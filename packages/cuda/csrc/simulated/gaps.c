/* Free addresses, as sorted ranges that never touch. */

#include "simulated.h"

#include <stdlib.h>
#include <string.h>

static int make_room(struct gaps *gaps)
{
    if (gaps->count < gaps->room)
        return 1;
    const size_t room = gaps->room ? 2 * gaps->room : 16;
    struct gap *grown = realloc(gaps->gaps, room * sizeof *grown);
    if (!grown)
        return 0;
    gaps->gaps = grown;
    gaps->room = room;
    return 1;
}

static void remove_gap(struct gaps *gaps, size_t i)
{
    gaps->count--;
    memmove(gaps->gaps + i, gaps->gaps + i + 1, (gaps->count - i) * sizeof *gaps->gaps);
}

uint64_t gaps_take(struct gaps *gaps, uint64_t nbytes, uint64_t alignment)
{
    if (!make_room(gaps)) /* for the second half of a gap */
        return 0;
    for (size_t i = 0; i < gaps->count; i++) {
        struct gap *gap = &gaps->gaps[i];
        const uint64_t start = (gap->start + alignment - 1) / alignment * alignment, end = gap->end;
        if (start < gap->start || start > end || end - start < nbytes)
            continue;
        gap->end = start;
        if (start + nbytes < end) {
            memmove(gap + 2, gap + 1, (gaps->count - i - 1) * sizeof *gap);
            gap[1] = (struct gap){start + nbytes, end};
            gaps->count++;
        }
        if (gaps->gaps[i].start == gaps->gaps[i].end)
            remove_gap(gaps, i);
        return start;
    }
    return 0;
}

int gaps_give(struct gaps *gaps, uint64_t start, uint64_t end)
{
    size_t i = 0;
    if (!make_room(gaps))
        return OUT_OF_MEMORY;
    while (i < gaps->count && gaps->gaps[i].start < start)
        i++;
    memmove(gaps->gaps + i + 1, gaps->gaps + i, (gaps->count - i) * sizeof *gaps->gaps);
    gaps->gaps[i] = (struct gap){start, end};
    gaps->count++;
    if (i + 1 < gaps->count && gaps->gaps[i + 1].start == end) {
        gaps->gaps[i].end = gaps->gaps[i + 1].end;
        remove_gap(gaps, i + 1);
    }
    if (i && gaps->gaps[i - 1].end == start) {
        gaps->gaps[i - 1].end = gaps->gaps[i].end;
        remove_gap(gaps, i);
    }
    return SUCCESS;
}
