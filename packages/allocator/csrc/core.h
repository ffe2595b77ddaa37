/* The block core of a caching allocator: segments of addresses that a driver provided, and the blocks cut from them.

   The core uses no Python, no device, and no memory except its own nodes. It does not track time either: a block with
   uses on other streams is handed out as `waiting`, and the code that tracks events decides when it is free.

   The caller serialises all functions (the module holds the GIL), except `facula_core_push`, which any thread may call
   at any time: it only pushes on a lock-free list, which `facula_core_detach` empties. */
#ifndef FACULA_ALLOCATOR_CORE_H
#define FACULA_ALLOCATOR_CORE_H

#include <stdatomic.h>
#include <stdint.h>

enum { SMALL, LARGE, KINDS };

/* States of a block. Spare: a node without memory. PUSHED is set only by `facula_core_mark_pushed`. KEPT: in a free
   list, see kept.c. */
enum { BLOCK_SPARE, BLOCK_ACTIVE, BLOCK_PUSHED, BLOCK_WAITING, BLOCK_FREE, BLOCK_KEPT };

enum { KEPT_SIZES = 256 }; /* free lists of a pool: for blocks below so many times the granularity */

/* The counters, under PyTorch's names; see `core_statistics` in coretype.c. */
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
    facula_block *link;         /* in the list of pushed, kept, waiting or spare blocks */
    facula_pool *pool;
    facula_segment *segment;
    int64_t *uses;              /* other streams that use it */
    uint64_t stamp;             /* the epoch in which it became free */
    uint32_t priority, id;
    int32_t use_count, use_room;
    uint8_t state;
};

/* The free blocks of one stream in one private pool (0: no private pool), in trees by (size, address), and those that
   are kept, by size. */
struct facula_pool {
    int64_t id, stream;
    facula_block *root[KINDS];
    facula_block *kept[KEPT_SIZES];
    facula_pool *next;
};

struct facula_segment {
    uint64_t address;
    int64_t size;
    uint64_t range; /* the start of the reserved address range that contains an expandable segment; otherwise 0 */
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
    int64_t huge_size;               /* from this size on, a segment serves one request ... */
    int64_t huge_step;               /* ... and is a multiple of this */
    int64_t max_split_size;          /* larger blocks are never split; INT64_MAX for no bound */
    int64_t roundup_power2_divisions; /* sizes per power of two; 0 for multiples of the granularity */
} facula_options;

typedef struct {
    facula_options options;
    facula_statistic statistics[KINDS + 1][STATISTICS]; /* the last row: small and large together */
    _Atomic(facula_block *) pushed;
    facula_block *waiting_now; /* drained, not yet passed to the code that tracks events */
    facula_block *spare;
    facula_block **chunks;     /* all nodes, by id */
    uint32_t chunk_count, node_count;
    uint32_t kept_count, shift; /* shift: all sizes are multiples of 1 << shift */
    uint32_t random;
    uint64_t epoch;
    facula_pool *pools, *last_pool;
    facula_segment *segments;
} facula_core;

facula_core *facula_core_new(const facula_options *options); /* NULL: no memory */
void facula_core_delete(facula_core *core);

/* Return the size of the block that serves a request, and of the segment to request for it; -1: too large. */
int64_t facula_core_round(const facula_core *core, int64_t nbytes);
int64_t facula_core_segment_size(const facula_core *core, int64_t size);

/* Take the best fit among the free blocks of this stream and pool; NULL if none fits. */
facula_block *facula_core_take(facula_core *core, int64_t nbytes, int64_t stream, int64_t pool);
/* Take one from another stream of the pool, returned in `lender`, whose work on the block may still run. */
facula_block *facula_core_borrow(facula_core *core, int64_t nbytes, int64_t stream, int64_t pool, int64_t *lender);
/* Take one of any stream and kind of segment that was free before the epoch: work on it is complete. */
facula_block *facula_core_take_any(facula_core *core, int64_t nbytes, int64_t stream, int64_t pool, uint64_t epoch);
/* Return a borrowed block to the stream that it came from. 0, or -1: no memory. */
int facula_core_return(facula_core *core, facula_block *block, int64_t lender);

/* Record that a block is used on another stream. 0, or -1: no memory. */
int facula_core_use(facula_block *block, int64_t stream);
/* Free a block, exactly once; from any thread. */
void facula_core_push(facula_core *core, facula_block *block);
/* Set the state of pushed blocks not yet detached to PUSHED; a push itself writes no shared state. */
void facula_core_mark_pushed(facula_core *core);
/* Detach the list of pushed blocks, in push order; merge them. Blocks with uses go to `waiting_now`. */
facula_block *facula_core_detach(facula_core *core);
void facula_core_merge(facula_core *core, facula_block *pushed);
/* kept.c: free a block to the free list of its size; 0 if it must be pushed instead. `reuse` takes one of exactly `size`
   bytes, or NULL; `settle` merges all of them. */
int facula_core_keep(facula_core *core, facula_block *block);
facula_block *facula_core_reuse(facula_core *core, int64_t size, int64_t nbytes, int64_t stream);
void facula_core_settle(facula_core *core);
/* Return the block with this id if it is waiting, else NULL. Make a waiting block free as of the epoch `stamp`. */
facula_block *facula_core_waiting(facula_core *core, int64_t id);
void facula_core_reclaim(facula_core *core, facula_block *block, uint64_t stamp);

/* Add a segment from a driver, and take `nbytes` from it, which must fit. NULL: no memory, and no change. */
facula_block *facula_core_grow(facula_core *core, uint64_t address, int64_t size, int64_t nbytes, int64_t stream,
                               int64_t pool);
/* Add mapped pages of a reserved address range, join them with adjacent mapped pages, and take `nbytes`, which must
   fit. NULL: no memory, and no change. */
facula_block *facula_core_map(facula_core *core, uint64_t address, int64_t size, uint64_t range, int64_t nbytes,
                              int64_t stream, int64_t pool);
/* Remove pages that belong to one free block, free since before the epoch: 1. 0 if they do not; -1: no memory. */
int facula_core_unmap(facula_core *core, uint64_t address, int64_t size, uint64_t epoch);
/* Whether a non-expandable segment is one block that was free before the epoch; remove the segment from the core. */
int facula_core_is_idle(const facula_segment *segment, uint64_t epoch);
void facula_core_drop_segment(facula_core *core, facula_segment *segment);
/* Merge adjacent blocks of all streams that were free before the epoch, for their segment's stream. */
void facula_core_consolidate(facula_core *core, uint64_t epoch);
/* Return free blocks that `home` lent to `borrower`, if free since before the epoch, and merge them. */
void facula_core_recall(facula_core *core, int64_t pool, int64_t borrower, int64_t home, uint64_t epoch);
void facula_core_reset_peaks(facula_core *core);
void facula_core_reset_totals(facula_core *core);

/* tree.c: free blocks by (size, address). */
void facula_tree_insert(facula_block **root, facula_block *block);
void facula_tree_remove(facula_block **root, facula_block *block);
facula_block *facula_tree_best(facula_block *root, int64_t size); /* the smallest of at least this size, or NULL */

#endif
