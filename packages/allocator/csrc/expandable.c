/* Expandable segments: runs of mapped pages in a reserved address range, which grow, join, shrink and split. */
#include "books.h"

#include <stdlib.h>

/* Whether a free block counts as a split depends on its neighbours: remove it from its tree while they change. */
static void lift(facula_core *core, facula_block *block)
{
    if (block && block->state == BLOCK_FREE)
        books_remove(core, block);
}

static void lower(facula_core *core, facula_block *block)
{
    if (block && block->state == BLOCK_FREE)
        books_insert(core, block);
}

static facula_block *last_of(const facula_segment *segment)
{
    facula_block *block = segment->first;
    while (block->next)
        block = block->next;
    return block;
}

static void own(facula_segment *segment, facula_block *first)
{
    segment->first = first;
    for (facula_block *block = first; block; block = block->next)
        block->segment = segment;
}

facula_block *facula_core_map(facula_core *core, uint64_t address, int64_t size, uint64_t range, int64_t nbytes,
                              int64_t stream, int64_t id)
{
    int kind = facula_core_round(core, nbytes) <= core->options.small_size ? SMALL : LARGE;
    facula_segment *before = NULL, *after = NULL, *segment;
    for (segment = core->segments; segment; segment = segment->next) {
        if (segment->range != range)
            continue;
        if (segment->address + (uint64_t)segment->size == address)
            before = segment;
        else if (segment->address == address + (uint64_t)size)
            after = segment;
    }
    facula_pool *pool = books_pool(core, stream, id, 1);
    facula_block *block = pool ? books_node(core) : NULL;
    if (!block)
        return NULL;
    segment = before ? before : after ? after : books_segment(core);
    if (!segment) {
        books_spare(core, block);
        return NULL;
    }
    facula_block *prev = before ? last_of(before) : NULL, *next = after ? after->first : NULL;
    lift(core, prev);
    lift(core, next);
    *block = (facula_block){.address = address, .size = size, .prev = prev, .next = next, .pool = pool, .uses = block->uses,
                            .use_room = block->use_room, .priority = block->priority, .id = block->id};
    if (prev)
        prev->next = block;
    if (next)
        next->prev = block;
    if (before || after) {
        segment->size += size;
        if (!before)
            segment->address = address;
        if (before && after) {
            segment->size += after->size;
            books_forget_segment(core, after);
        }
        own(segment, before ? before->first : block);
    } else {
        segment->address = address;
        segment->size = size;
        segment->range = range;
        segment->home = pool;
        segment->kind = kind;
        count_more(core, kind, COUNT_SEGMENT, 1);
        own(segment, block);
    }
    count_more(core, kind, BYTES_RESERVED, size);
    lower(core, prev);
    lower(core, next);
    books_free(core, block, 0); /* not used yet */
    return facula_core_take(core, nbytes, stream, id);
}

static facula_block *free_block_at(const facula_core *core, uint64_t address, int64_t size, uint64_t epoch)
{
    for (facula_segment *segment = core->segments; segment; segment = segment->next) {
        if (!segment->range || address < segment->address || address >= segment->address + (uint64_t)segment->size)
            continue;
        for (facula_block *block = segment->first; block; block = block->next)
            if (address >= block->address && address + (uint64_t)size <= block->address + (uint64_t)block->size)
                return block->state == BLOCK_FREE && block->stamp < epoch ? block : NULL;
    }
    return NULL;
}

int facula_core_unmap(facula_core *core, uint64_t address, int64_t size, uint64_t epoch)
{
    facula_block *block = free_block_at(core, address, size, epoch), *right = NULL;
    if (!block)
        return 0;
    facula_segment *segment = block->segment, *other = NULL;
    facula_block *prev = block->prev, *next = block->next;
    uint64_t end = address + (uint64_t)size;
    int64_t before = (int64_t)(address - block->address), after = block->size - before - size;
    if (before && after && !(right = books_node(core)))
        return -1;
    if ((before || prev) && (after || next) && !(other = books_segment(core))) {
        if (right)
            books_spare(core, right);
        return -1;
    }
    books_remove(core, block);
    lift(core, prev);
    lift(core, next);
    if (after) {
        if (!right)
            right = block;
        else
            *right = (facula_block){.pool = block->pool, .stamp = block->stamp, .uses = right->uses,
                                    .use_room = right->use_room, .priority = right->priority, .id = right->id};
        right->address = end;
        right->size = after;
        right->prev = NULL;
        right->next = next;
    }
    if (next)
        next->prev = right;
    if (before) {
        block->size = before;
        block->next = NULL;
    } else if (prev) {
        prev->next = NULL;
    }
    facula_block *rest = right ? right : next;
    count_less(core, segment->kind, BYTES_RESERVED, size);
    if (!before && !prev && !rest) {
        books_forget_segment(core, segment);
    } else if (!before && !prev) {
        segment->size -= (int64_t)(end - segment->address);
        segment->address = end;
        segment->first = rest;
        rest->segment = segment;
    } else {
        if (rest) {
            other->address = end;
            other->size = segment->size - (int64_t)(end - segment->address);
            other->range = segment->range;
            other->home = segment->home;
            other->kind = segment->kind;
            own(other, rest);
            count_more(core, segment->kind, COUNT_SEGMENT, 1);
        }
        segment->size = (int64_t)(address - segment->address);
    }
    if (before)
        books_insert(core, block);
    else if (right != block)
        books_spare(core, block);
    if (right)
        books_insert(core, right);
    lower(core, prev);
    lower(core, next);
    return 1;
}
