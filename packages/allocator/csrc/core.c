/* Taking, freeing and merging blocks; see core.h. Segments are in segments.c. */
#include "books.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK 256 /* nodes */

facula_core *facula_core_new(const facula_options *options)
{
    facula_core *core = calloc(1, sizeof *core);
    if (core) {
        core->options = *options;
        core->random = 2463534242u;
        core->epoch = 1;
        core->shift = (uint32_t)__builtin_ctzll((uint64_t)options->granularity);
    }
    return core;
}

void facula_core_delete(facula_core *core)
{
    for (uint32_t id = 0; id < core->node_count; id++)
        free(core->chunks[id / CHUNK][id % CHUNK].uses);
    for (uint32_t i = 0; i < core->chunk_count; i++)
        free(core->chunks[i]);
    free(core->chunks);
    for (facula_segment *segment = core->segments, *next; segment; segment = next) {
        next = segment->next;
        free(segment);
    }
    for (facula_pool *pool = core->pools, *next; pool; pool = next) {
        next = pool->next;
        free(pool);
    }
    free(core);
}

/* Nodes stay in place as long as the core lives, so their addresses and ids remain valid. */
static int more_nodes(facula_core *core)
{
    facula_block **chunks = realloc(core->chunks, (core->chunk_count + 1) * sizeof *chunks);
    if (!chunks)
        return -1;
    core->chunks = chunks;
    facula_block *nodes = calloc(CHUNK, sizeof *nodes);
    if (!nodes)
        return -1;
    core->chunks[core->chunk_count++] = nodes;
    for (int i = CHUNK - 1; i >= 0; i--) {
        nodes[i].id = core->node_count + (uint32_t)i;
        nodes[i].link = core->spare;
        core->spare = nodes + i;
    }
    core->node_count += CHUNK;
    return 0;
}

facula_block *books_node(facula_core *core)
{
    if (!core->spare && more_nodes(core))
        return NULL;
    facula_block *block = core->spare;
    core->spare = block->link;
    core->random ^= core->random << 13;
    core->random ^= core->random >> 17;
    core->random ^= core->random << 5;
    block->priority = core->random;
    return block;
}

void books_spare(facula_core *core, facula_block *block)
{
    block->state = BLOCK_SPARE;
    block->link = core->spare;
    core->spare = block;
}

void books_insert(facula_core *core, facula_block *block)
{
    int kind = block->segment->kind;
    block->state = BLOCK_FREE;
    if (block->prev || block->next) {
        count_more(core, kind, COUNT_INACTIVE_SPLIT, 1);
        count_more(core, kind, BYTES_INACTIVE_SPLIT, block->size);
    }
    facula_tree_insert(&block->pool->root[kind], block);
}

void books_remove(facula_core *core, facula_block *block)
{
    int kind = block->segment->kind;
    if (block->prev || block->next) {
        count_less(core, kind, COUNT_INACTIVE_SPLIT, 1);
        count_less(core, kind, BYTES_INACTIVE_SPLIT, block->size);
    }
    facula_tree_remove(&block->pool->root[kind], block);
}

facula_pool *books_pool(facula_core *core, int64_t stream, int64_t id, int make)
{
    facula_pool *pool = core->last_pool;
    if (pool && pool->stream == stream && pool->id == id)
        return pool;
    for (pool = core->pools; pool; pool = pool->next)
        if (pool->stream == stream && pool->id == id)
            return core->last_pool = pool;
    if (!make || !(pool = calloc(1, sizeof *pool)))
        return NULL;
    pool->id = id;
    pool->stream = stream;
    pool->next = core->pools;
    return core->pools = pool;
}

static int64_t multiple(int64_t nbytes, int64_t step)
{
    int64_t up;
    return __builtin_add_overflow(nbytes, step - 1, &up) ? -1 : up - up % step;
}

int64_t facula_core_round(const facula_core *core, int64_t nbytes)
{
    int64_t step = core->options.granularity, divisions = core->options.roundup_power2_divisions;
    if (divisions > 1 && nbytes > step * divisions) {
        int64_t power = (int64_t)1 << (63 - __builtin_clzll((uint64_t)nbytes)); /* the largest one not above nbytes */
        if (power / divisions > step)
            step = multiple(power / divisions, step);
    }
    return multiple(nbytes, step);
}

int64_t facula_core_segment_size(const facula_core *core, int64_t size)
{
    const facula_options *options = &core->options;
    if (size <= options->small_size)
        return options->small_segment;
    return size < options->huge_size ? options->large_segment : multiple(size, options->huge_step);
}

static int kind_of(const facula_core *core, int64_t size)
{
    return size <= core->options.small_size ? SMALL : LARGE;
}

/* Return the best free block of a pool, if it does not exceed the sizes that may serve this request unsplit. */
static facula_block *best_of(const facula_core *core, const facula_pool *pool, int kind, int64_t size)
{
    int64_t bound = core->options.max_split_size;
    facula_block *block = facula_tree_best(pool->root[kind], size);
    if (block && !block->segment->range && block->size > bound && (size <= bound || block->size - size >= core->options.large_segment))
        return NULL;
    return block;
}

/* Hand out a free block, and split off the remainder if it is large enough. */
facula_block *books_hand_out(facula_core *core, facula_block *block, int64_t size, int64_t nbytes, facula_pool *pool)
{
    int kind = block->segment->kind;
    int64_t left = block->size - size;
    facula_block *rest = NULL;
    books_remove(core, block);
    if (kind == SMALL || block->segment->range
            ? left > 0
            : left > core->options.small_size && block->size <= core->options.max_split_size)
        rest = books_node(core); /* without memory for a node the block goes as a whole */
    if (rest) {
        rest->address = block->address + (uint64_t)size;
        rest->size = left;
        rest->pool = block->pool;
        rest->segment = block->segment;
        rest->stamp = block->stamp;
        rest->use_count = 0;
        rest->prev = block;
        rest->next = block->next;
        if (rest->next)
            rest->next->prev = rest;
        block->next = rest;
        block->size = size;
        books_insert(core, rest);
    }
    block->pool = pool;
    return books_activate(core, block, kind, nbytes);
}

facula_block *facula_core_take(facula_core *core, int64_t nbytes, int64_t stream, int64_t id)
{
    int64_t size = facula_core_round(core, nbytes);
    facula_pool *pool = books_pool(core, stream, id, 0);
    facula_block *block = pool && size > 0 ? best_of(core, pool, kind_of(core, size), size) : NULL;
    return block ? books_hand_out(core, block, size, nbytes, pool) : NULL;
}

facula_block *facula_core_borrow(facula_core *core, int64_t nbytes, int64_t stream, int64_t id, int64_t *lender)
{
    int64_t size = facula_core_round(core, nbytes);
    facula_block *best = NULL, *block;
    if (size <= 0)
        return NULL;
    facula_core_settle(core);
    for (facula_pool *pool = core->pools; pool; pool = pool->next)
        if (pool->id == id && pool->stream != stream && (block = best_of(core, pool, kind_of(core, size), size)) &&
            (!best || block->size < best->size))
            best = block;
    facula_pool *mine = best ? books_pool(core, stream, id, 1) : NULL;
    if (!mine)
        return NULL;
    *lender = best->pool->stream;
    return books_hand_out(core, best, size, nbytes, mine);
}

facula_block *facula_core_take_any(facula_core *core, int64_t nbytes, int64_t stream, int64_t id, uint64_t epoch)
{
    int64_t size = facula_core_round(core, nbytes);
    facula_block *best = NULL;
    if (size <= 0)
        return NULL;
    facula_core_settle(core);
    /* A scan of all free blocks: this is the last attempt before an error. */
    for (facula_segment *segment = core->segments; segment; segment = segment->next)
        for (facula_block *block = segment->first; block; block = block->next)
            if (block->state == BLOCK_FREE && block->pool->id == id && block->size >= size &&
                (block->stamp < epoch || block->pool->stream == stream) && (!best || block->size < best->size))
                best = block;
    facula_pool *mine = best ? books_pool(core, stream, id, 1) : NULL;
    return mine ? books_hand_out(core, best, size, nbytes, mine) : NULL;
}

int facula_core_return(facula_core *core, facula_block *block, int64_t lender)
{
    facula_pool *pool = books_pool(core, lender, block->pool->id, 1);
    if (!pool)
        return -1;
    block->pool = pool;
    return 0;
}

int facula_core_use(facula_block *block, int64_t stream)
{
    if (stream == block->pool->stream)
        return 0;
    for (int32_t i = 0; i < block->use_count; i++)
        if (block->uses[i] == stream)
            return 0;
    if (block->use_count == block->use_room) {
        int32_t room = block->use_room ? 2 * block->use_room : 2;
        int64_t *uses = realloc(block->uses, (size_t)room * sizeof *uses);
        if (!uses)
            return -1;
        block->uses = uses;
        block->use_room = room;
    }
    block->uses[block->use_count++] = stream;
    return 0;
}

void facula_core_push(facula_core *core, facula_block *block)
{
    facula_block *head = atomic_load_explicit(&core->pushed, memory_order_relaxed);
    do
        block->link = head;
    while (!atomic_compare_exchange_weak_explicit(&core->pushed, &head, block, memory_order_release,
                                                  memory_order_relaxed));
}

void books_absorb_next(facula_core *core, facula_block *block)
{
    facula_block *next = block->next;
    block->size += next->size;
    block->next = next->next;
    if (block->next)
        block->next->prev = block;
    if (next->stamp > block->stamp)
        block->stamp = next->stamp;
    books_spare(core, next);
}

void books_free(facula_core *core, facula_block *block, uint64_t stamp)
{
    facula_block *next = block->next, *prev = block->prev;
    block->use_count = 0;
    block->stamp = stamp;
    if (next && next->state == BLOCK_FREE && next->pool == block->pool) {
        books_remove(core, next);
        books_absorb_next(core, block);
    }
    if (prev && prev->state == BLOCK_FREE && prev->pool == block->pool) {
        books_remove(core, prev);
        books_absorb_next(core, prev);
        block = prev;
    }
    books_insert(core, block);
}

static void end_active(facula_core *core, facula_block *block, uint64_t stamp)
{
    count_less(core, block->segment->kind, COUNT_ACTIVE, 1);
    count_less(core, block->segment->kind, BYTES_ACTIVE, block->size);
    books_free(core, block, stamp);
}

void facula_core_mark_pushed(facula_core *core)
{
    for (facula_block *block = atomic_load_explicit(&core->pushed, memory_order_acquire); block; block = block->link)
        block->state = BLOCK_PUSHED;
}

static facula_block *reversed(facula_block *list)
{
    facula_block *before = NULL, *next;
    for (; list; list = next) {
        next = list->link;
        list->link = before;
        before = list;
    }
    return before;
}

facula_block *facula_core_detach(facula_core *core)
{
    if (!atomic_load_explicit(&core->pushed, memory_order_relaxed))
        return NULL;
    return reversed(atomic_exchange_explicit(&core->pushed, NULL, memory_order_acquire));
}

void facula_core_merge(facula_core *core, facula_block *block)
{
    for (facula_block *next; block; block = next) {
        int kind = block->segment->kind;
        next = block->link;
        count_less(core, kind, COUNT_ALLOCATION, 1);
        count_less(core, kind, BYTES_ALLOCATED, block->size);
        count_less(core, kind, BYTES_REQUESTED, block->requested);
        if (block->use_count) {
            block->state = BLOCK_WAITING;
            block->link = core->waiting_now;
            core->waiting_now = block;
        } else {
            end_active(core, block, core->epoch);
        }
    }
}

facula_block *facula_core_waiting(facula_core *core, int64_t id)
{
    if (id < 0 || id >= core->node_count)
        return NULL;
    facula_block *block = &core->chunks[id / CHUNK][id % CHUNK];
    return block->state == BLOCK_WAITING ? block : NULL;
}

void facula_core_reclaim(facula_core *core, facula_block *block, uint64_t stamp)
{
    end_active(core, block, stamp);
}
