/* Segments: adding, merging across streams, removing; and resetting the counters. */
#include "books.h"

#include <stdlib.h>

facula_segment *books_segment(facula_core *core)
{
    facula_segment *segment = calloc(1, sizeof *segment);
    if (segment) {
        segment->next = core->segments;
        if (core->segments)
            core->segments->prev = segment;
        core->segments = segment;
    }
    return segment;
}

void books_forget_segment(facula_core *core, facula_segment *segment)
{
    count_less(core, segment->kind, COUNT_SEGMENT, 1);
    if (segment->prev)
        segment->prev->next = segment->next;
    else
        core->segments = segment->next;
    if (segment->next)
        segment->next->prev = segment->prev;
    free(segment);
}

facula_block *facula_core_grow(facula_core *core, uint64_t address, int64_t size, int64_t nbytes, int64_t stream,
                               int64_t id)
{
    int64_t wanted = facula_core_round(core, nbytes);
    int kind = wanted <= core->options.small_size ? SMALL : LARGE;
    facula_pool *pool = books_pool(core, stream, id, 1);
    facula_block *block = pool ? books_node(core) : NULL;
    if (!block)
        return NULL;
    facula_segment *segment = books_segment(core);
    if (!segment) {
        books_spare(core, block);
        return NULL;
    }
    segment->address = address;
    segment->size = size;
    segment->first = block;
    segment->home = pool;
    segment->kind = kind;
    block->address = address;
    block->size = size;
    block->prev = block->next = NULL;
    block->pool = pool;
    block->segment = segment;
    block->stamp = 0; /* not used yet */
    block->use_count = 0;
    count_more(core, kind, COUNT_SEGMENT, 1);
    count_more(core, kind, BYTES_RESERVED, size);
    books_insert(core, block);
    return books_hand_out(core, block, wanted, nbytes, pool);
}

int facula_core_is_idle(const facula_segment *segment, uint64_t epoch)
{
    const facula_block *block = segment->first;
    return !segment->range && !block->next && block->state == BLOCK_FREE && block->stamp < epoch;
}

void facula_core_drop_segment(facula_core *core, facula_segment *segment)
{
    books_remove(core, segment->first);
    books_spare(core, segment->first);
    count_less(core, segment->kind, BYTES_RESERVED, segment->size);
    books_forget_segment(core, segment);
}

static int mergeable(const facula_block *block, uint64_t epoch)
{
    return block && block->state == BLOCK_FREE && block->stamp < epoch;
}

void facula_core_consolidate(facula_core *core, uint64_t epoch)
{
    for (facula_segment *segment = core->segments; segment; segment = segment->next)
        for (facula_block *block = segment->first; block; block = block->next) {
            if (!mergeable(block, epoch) || (block->pool == segment->home && !mergeable(block->next, epoch)))
                continue;
            books_remove(core, block);
            while (mergeable(block->next, epoch)) {
                books_remove(core, block->next);
                books_absorb_next(core, block);
            }
            block->pool = segment->home;
            books_insert(core, block);
        }
}

void facula_core_recall(facula_core *core, int64_t id, int64_t borrower, int64_t home, uint64_t epoch)
{
    for (facula_segment *segment = core->segments; segment; segment = segment->next) {
        if (segment->home->id != id || segment->home->stream != home)
            continue;
        for (facula_block *block = segment->first, *next; block; block = next) {
            next = block->next;
            if (mergeable(block, epoch) && block->pool->stream == borrower) {
                books_remove(core, block);
                block->pool = segment->home;
                if (next && next->state == BLOCK_FREE && next->pool == block->pool)
                    next = next->next; /* it will be merged, and then no longer be a block */
                books_free(core, block, block->stamp);
            }
        }
    }
}

void facula_core_reset_peaks(facula_core *core)
{
    for (int row = 0; row <= KINDS; row++)
        for (int what = 0; what < STATISTICS; what++)
            core->statistics[row][what].peak = core->statistics[row][what].current;
}

void facula_core_reset_totals(facula_core *core)
{
    for (int row = 0; row <= KINDS; row++)
        for (int what = 0; what < STATISTICS; what++)
            core->statistics[row][what].allocated = core->statistics[row][what].freed = 0;
}
