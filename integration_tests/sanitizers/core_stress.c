/* Four threads share the books of a caching allocator: all calls but the push under a lock, pushes at any time.
   One stream has segments, the other one a range of which pages come and go.

   Every 512 bytes of memory in use have an owner, so two blocks over the same memory are seen; at the end everything
   must be free again, and merge into whole segments. Exit status 0: all is well. */
#include "core.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRANULE 512
#define SEGMENTS 4096
#define SEGMENT (1 << 18)
#define THREADS 4
#define TURNS 60000
#define HELD 64

static facula_core *core;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int owner[(int64_t)SEGMENTS * SEGMENT / GRANULE];
static int64_t segments;
static char mapped[SEGMENTS];
#define RANGE (SEGMENTS / 2) /* the first page of the range: segments lie below */

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void mark(const facula_block *block, int from, int to)
{
    int64_t first = (int64_t)block->address / GRANULE - SEGMENT / GRANULE, count = block->size / GRANULE;
    for (int64_t i = first; i < first + count; i++)
        if (atomic_exchange_explicit(owner + i, to, memory_order_relaxed) != from)
            fail("two blocks over the same memory");
}

static void merge_all(void)
{
    facula_core_merge(core, facula_core_detach(core));
    facula_block *block = core->waiting_now, *next;
    core->waiting_now = NULL;
    for (; block; block = next) {
        next = block->link;
        facula_core_reclaim(core, block, core->epoch);
    }
}

/* A block with a page that is mapped at the lowest free place, so that segments join. */
static facula_block *map(int64_t nbytes)
{
    for (uint64_t page = RANGE; page < SEGMENTS; page++)
        if (!mapped[page]) {
            mapped[page] = 1;
            return facula_core_map(core, page * SEGMENT, SEGMENT, (uint64_t)RANGE * SEGMENT, nbytes, 1, 0);
        }
    return NULL;
}

static void unmap(uint64_t page)
{
    if (mapped[page] && facula_core_unmap(core, page * SEGMENT, SEGMENT, ++core->epoch) == 1)
        mapped[page] = 0;
}

static facula_block *take(int64_t nbytes, int64_t stream)
{
    facula_block *block = facula_core_take(core, nbytes, stream, 0);
    if (!block) {
        merge_all();
        block = facula_core_take(core, nbytes, stream, 0);
    }
    if (!block && stream)
        return map(nbytes);
    if (!block && segments + 1 < RANGE)
        block = facula_core_grow(core, (uint64_t)++segments * SEGMENT, SEGMENT, nbytes, stream, 0);
    return block;
}

static void *work(void *argument)
{
    int me = (int)(intptr_t)argument;
    unsigned random = (unsigned)me * 2654435761u;
    facula_block *held[HELD] = {0};
    for (int turn = 0; turn < TURNS; turn++) {
        random = random * 1664525u + 1013904223u;
        facula_block **at = held + (random >> 8) % HELD;
        if (*at) {
            if (random & 4)
                facula_core_use(*at, 100 + me);
            mark(*at, me, 0);
            facula_core_push(core, *at);
            *at = NULL;
        } else {
            pthread_mutex_lock(&lock);
            *at = take(1 + (random >> 12) % 20000, random & 1);
            unmap(RANGE + (random >> 16) % 64);
            pthread_mutex_unlock(&lock);
            if (*at)
                mark(*at, 0, me);
        }
    }
    for (int i = 0; i < HELD; i++)
        if (held[i]) {
            mark(held[i], me, 0);
            facula_core_push(core, held[i]);
        }
    return NULL;
}

int main(void)
{
    facula_options options = {GRANULE, SEGMENT, SEGMENT, SEGMENT, SEGMENT, SEGMENT, INT64_MAX, 0};
    pthread_t threads[THREADS];
    core = facula_core_new(&options);
    for (int i = 0; i < THREADS; i++)
        pthread_create(threads + i, NULL, work, (void *)(intptr_t)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    merge_all();
    facula_core_consolidate(core, ++core->epoch);
    for (uint64_t page = RANGE; page < SEGMENTS; page++) {
        unmap(page);
        if (mapped[page])
            fail("a page is not free at the end");
    }
    for (facula_segment *segment = core->segments; segment; segment = segment->next)
        if (!facula_core_is_idle(segment, core->epoch))
            fail("a segment is not one free block at the end");
    while (core->segments)
        facula_core_drop_segment(core, core->segments);
    for (int what = 0; what < STATISTICS; what++)
        if (core->statistics[KINDS][what].current)
            fail("a figure is not 0 at the end");
    if (core->statistics[KINDS][COUNT_ALLOCATION].allocated < THREADS * TURNS / 4)
        fail("hardly anything was allocated");
    facula_core_delete(core);
    return 0;
}
