/* What core.c and segments.c share. */
#ifndef FACULA_ALLOCATOR_BOOKS_H
#define FACULA_ALLOCATOR_BOOKS_H

#include "core.h"

facula_block *books_node(facula_core *core); /* a spare node, or NULL */
void books_spare(facula_core *core, facula_block *block);
void books_insert(facula_core *core, facula_block *block); /* into its pool's tree, counted; books_remove takes it out */
void books_remove(facula_core *core, facula_block *block);
/* Merge with free neighbours of its pool, insert; `stamp`: the epoch in which the work on it may end. */
void books_free(facula_core *core, facula_block *block, uint64_t stamp);
/* Hand a free block out, its rest cut off where that is worth while. */
facula_block *books_hand_out(facula_core *core, facula_block *block, int64_t size, int64_t nbytes, facula_pool *pool);
facula_segment *books_segment(facula_core *core); /* in the list, empty; or NULL */
void books_forget_segment(facula_core *core, facula_segment *segment); /* out of the list, counted, and gone */
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

#endif
