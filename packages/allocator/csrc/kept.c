/* Free lists before the trees: freed blocks by size, each list of one stream.

   Note [Kept blocks]
   ~~~~~~~~~~~~~~~~~~
   A program that runs the same operators again and again frees and takes blocks of the same few sizes. To merge such a
   block with its neighbours and to cut it off again costs most of an allocation. So a small block that a taker
   (taker.c) returned is kept when it is freed, in a list of its stream and exact size, and a taker returns the last one
   of the list. The counters change as if the block were merged, except that it does not count as an inactive split.

   A block is pushed instead, like all others, if other streams use it, or if it is freed during a collection or while
   there are listeners. All other functions that search or report the core's blocks first merge the kept ones
   (`facula_core_settle`), so blocks are kept only until a taker finds no block of its size. */
#include "books.h"

#include <stddef.h>

static facula_block **list_of(const facula_core *core, facula_pool *pool, int64_t size)
{
    const int64_t place = size >> core->shift;
    return place < KEPT_SIZES ? &pool->kept[place] : NULL;
}

int facula_core_keep(facula_core *core, facula_block *block)
{
    facula_block **list = list_of(core, block->pool, block->size);
    if (!list || block->use_count || block->segment->kind != SMALL)
        return 0;
    count_less(core, SMALL, COUNT_ALLOCATION, 1);
    count_less(core, SMALL, COUNT_ACTIVE, 1);
    count_less(core, SMALL, BYTES_ALLOCATED, block->size);
    count_less(core, SMALL, BYTES_ACTIVE, block->size);
    count_less(core, SMALL, BYTES_REQUESTED, block->requested);
    block->state = BLOCK_KEPT;
    block->stamp = core->epoch;
    block->link = *list;
    *list = block;
    core->kept_count++;
    return 1;
}

facula_block *facula_core_reuse(facula_core *core, int64_t size, int64_t nbytes, int64_t stream)
{
    facula_pool *pool = core->kept_count && size > 0 ? books_pool(core, stream, 0, 0) : NULL;
    facula_block **list = pool ? list_of(core, pool, size) : NULL, *block = list ? *list : NULL;
    if (!block)
        return NULL;
    *list = block->link;
    core->kept_count--;
    return books_activate(core, block, SMALL, nbytes);
}

void facula_core_settle(facula_core *core)
{
    for (facula_pool *pool = core->pools; core->kept_count && pool; pool = pool->next)
        for (int place = 0; place < KEPT_SIZES; place++)
            for (facula_block *block = pool->kept[place]; block; block = pool->kept[place]) {
                pool->kept[place] = block->link;
                core->kept_count--;
                books_free(core, block, block->stamp);
            }
}
