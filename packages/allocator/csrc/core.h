/* The books of a caching allocator: segments of addresses that a driver gave, and the blocks cut from them.

   Nothing here touches Python, a device or memory but that of its own nodes. Time is outside, too: a block with uses on
   other streams is handed out as `waiting`, and whoever follows events says when it is free.

   The caller serialises all functions (the module holds the GIL) but `facula_core_push`, which any thread may call at
   any time: it only pushes on a lock-free list, which `facula_core_detach` empties. */
#ifndef FACULA_ALLOCATOR_CORE_H
#define FACULA_ALLOCATOR_CORE_H

#include <stdatomic.h>
#include <stdint.h>

enum { SMALL, LARGE, KINDS };

/* A block is spare (a node without memory), or one of the others; PUSHED is set on request alone. */
enum { BLOCK_SPARE, BLOCK_ACTIVE, BLOCK_PUSHED, BLOCK_WAITING, BLOCK_FREE };

/* What is counted, as PyTorch names it; see `statistics_of` in coretype.c. */
enum { COUNT_ALLOCATION, COUNT_SEGMENT, COUNT_ACTIVE, COUNT_INACTIVE_SPLIT, BYTES_ALLOCATED, BYTES_RESERVED,
       BYTES_ACTIVE, BYTES_INACTIVE_SPLIT, BYTES_REQUESTED, STATISTICS };

typedef struct facula_block facula_block;
typedef struct facula_segment facula_segment;
typedef struct facula_pool facula_pool;

struct facula_block {
    uint64_t address;
    int64_t size, requested;
    facula_block *left, *right; /* in the tree of free blocks */
    facula_block *prev, *next;  /* the neighbours in the segment */
    facula_block *link;         /* in the list of pushed, waiting or spare blocks */
    facula_pool *pool;
    facula_segment *segment;
    int64_t *uses;              /* other streams that it is used on */
    uint64_t stamp;             /* the epoch in which it became free */
    uint32_t priority, id;
    int32_t use_count, use_room;
    uint8_t state;
};

/* The free blocks of one stream, of one private pool (0: of no private one), in trees by (size, address). */
struct facula_pool {
    int64_t id, stream;
    facula_block *root[KINDS];
    facula_pool *next;
};

struct facula_segment {
    uint64_t address;
    int64_t size;
    uint64_t range; /* the start of the reserved addresses that an expandable segment lies in; 0 for others */
    facula_block *first;
    facula_pool *home;
    facula_segment *prev, *next;
    int kind;
};

typedef struct {
    int64_t current, peak, allocated, freed;
} facula_statistic;

typedef struct {
    int64_t granularity;             /* all sizes are multiples of it */
    int64_t small_size;              /* requests up to here are small */
    int64_t small_segment;           /* bytes of a segment for small requests */
    int64_t large_segment;           /* ... for large requests below `huge_size` */
    int64_t huge_size;               /* from here on a segment serves one request ... */
    int64_t huge_step;               /* ... and is a multiple of this */
    int64_t max_split_size;          /* larger blocks are never split; INT64_MAX for no bound */
    int64_t roundup_power2_divisions; /* sizes per power of two; 0 for multiples of the granularity */
} facula_options;

typedef struct {
    facula_options options;
    facula_statistic statistics[KINDS + 1][STATISTICS]; /* the last row: small and large together */
    _Atomic(facula_block *) pushed;
    facula_block *waiting_now; /* drained and not yet handed to whoever follows events */
    facula_block *spare;
    facula_block **chunks;     /* all nodes, by id */
    uint32_t chunk_count, node_count;
    uint32_t random;
    uint64_t epoch;
    facula_pool *pools, *last_pool;
    facula_segment *segments;
} facula_core;

facula_core *facula_core_new(const facula_options *options); /* NULL: no memory */
void facula_core_delete(facula_core *core);

/* The size of the block that serves a request, and of the segment that would be asked for; -1: too large. */
int64_t facula_core_round(const facula_core *core, int64_t nbytes);
int64_t facula_core_segment_size(const facula_core *core, int64_t size);

/* A block of the free ones of this stream and pool, best fit; NULL when none fits. */
facula_block *facula_core_take(facula_core *core, int64_t nbytes, int64_t stream, int64_t pool);
/* The same from another stream of the pool; `lender` gets that stream. Its work on the block may not be over. */
facula_block *facula_core_borrow(facula_core *core, int64_t nbytes, int64_t stream, int64_t pool, int64_t *lender);
/* The same from any stream and any kind of segment, of what was free before the epoch: its work is over. */
facula_block *facula_core_take_any(facula_core *core, int64_t nbytes, int64_t stream, int64_t pool, uint64_t epoch);
/* Give a borrowed block to the stream that it came from. 0, or -1: no memory. */
int facula_core_return(facula_core *core, facula_block *block, int64_t lender);

/* Note that a block is used on another stream. 0, or -1: no memory. */
int facula_core_use(facula_block *block, int64_t stream);
/* Free a block, once; from any thread. */
void facula_core_push(facula_core *core, facula_block *block);
/* Give what was pushed and not detached the state PUSHED; a push itself writes nothing that others read. */
void facula_core_mark_pushed(facula_core *core);
/* Take the list of what was pushed, in the order of the pushes; merge it. Blocks with uses go to `waiting_now`. */
facula_block *facula_core_detach(facula_core *core);
void facula_core_merge(facula_core *core, facula_block *pushed);
/* The block with this id if it is waiting, else NULL; and make it free, as of the epoch `stamp`. */
facula_block *facula_core_waiting(facula_core *core, int64_t id);
void facula_core_reclaim(facula_core *core, facula_block *block, uint64_t stamp);

/* Add a segment that a driver gave, and take `nbytes` from it, which fit. NULL: no memory, and nothing was added. */
facula_block *facula_core_grow(facula_core *core, uint64_t address, int64_t size, int64_t nbytes, int64_t stream,
                               int64_t pool);
/* Add mapped pages of a range of reserved addresses, joined with what is mapped beside them, and take `nbytes`, which
   fit. NULL: no memory, and nothing was added. */
facula_block *facula_core_map(facula_core *core, uint64_t address, int64_t size, uint64_t range, int64_t nbytes,
                              int64_t stream, int64_t pool);
/* Take pages out that lie in one free block, and did before the epoch: 1. 0 if they do not; -1: no memory. */
int facula_core_unmap(facula_core *core, uint64_t address, int64_t size, uint64_t epoch);
/* Whether a segment that is not expandable is one free block, and was before the epoch; and take it out of the books. */
int facula_core_is_idle(const facula_segment *segment, uint64_t epoch);
void facula_core_drop_segment(facula_core *core, facula_segment *segment);
/* Merge free neighbours of whatever stream that were free before the epoch, for their segment's stream. */
void facula_core_consolidate(facula_core *core, uint64_t epoch);
/* Give free blocks that `home` lent to `borrower` back to it, and merge them; those from before the epoch. */
void facula_core_recall(facula_core *core, int64_t pool, int64_t borrower, int64_t home, uint64_t epoch);
void facula_core_reset_peaks(facula_core *core);
void facula_core_reset_totals(facula_core *core);

/* tree.c: free blocks by (size, address). */
void facula_tree_insert(facula_block **root, facula_block *block);
void facula_tree_remove(facula_block **root, facula_block *block);
facula_block *facula_tree_best(facula_block *root, int64_t size); /* the smallest of at least this size, or NULL */

#endif
