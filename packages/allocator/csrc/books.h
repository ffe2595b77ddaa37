/* Functions that core.c and segments.c share. */
#ifndef FACULA_ALLOCATOR_BOOKS_H
#define FACULA_ALLOCATOR_BOOKS_H

#include "core.h"

facula_block *books_node(facula_core *core); /* a spare node, or NULL */
void books_spare(facula_core *core, facula_block *block);
void books_insert(facula_core *core, facula_block *block); /* into its pool's tree, counted; books_remove reverses it */
void books_remove(facula_core *core, facula_block *block);
/* Merge with free neighbours of its pool, then insert. `stamp`: the epoch in which work on the block may end. */
void books_free(facula_core *core, facula_block *block, uint64_t stamp);
/* Hand out a free block, and split off the remainder if it is large enough. */
facula_block *books_hand_out(facula_core *core, facula_block *block, int64_t size, int64_t nbytes, facula_pool *pool);
facula_segment *books_segment(facula_core *core); /* a new, empty segment in the list; or NULL */
void books_forget_segment(facula_core *core, facula_segment *segment); /* removes it from list and counts; frees it */
void books_absorb_next(facula_core *core, facula_block *block);
facula_pool *books_pool(facula_core *core, int64_t stream, int64_t id, int make); /* NULL: none, or no memory */

static inline void count_more(facula_core *core, int kind, int what, int64_t by)
{
    for (int row = kind; row <= KINDS; row += KINDS - kind) {
        facula_statistic *at = &core->statistics[row][what];
        at->current += by;
        at->allocated += by;
        if (at->current > at->peak)
            at->peak = at->current;
    }
}

static inline void count_less(facula_core *core, int kind, int what, int64_t by)
{
    for (int row = kind; row <= KINDS; row += KINDS - kind) {
        core->statistics[row][what].current -= by;
        core->statistics[row][what].freed += by;
    }
}

/* Count a block that is handed out. */
static inline facula_block *books_activate(facula_core *core, facula_block *block, int kind, int64_t nbytes)
{
    block->state = BLOCK_ACTIVE;
    block->requested = nbytes;
    count_more(core, kind, COUNT_ALLOCATION, 1);
    count_more(core, kind, COUNT_ACTIVE, 1);
    count_more(core, kind, BYTES_ALLOCATED, block->size);
    count_more(core, kind, BYTES_ACTIVE, block->size);
    count_more(core, kind, BYTES_REQUESTED, nbytes);
    return block;
}

#endif
