/* Host memory from the system, and exact counts of it. No Python object is touched here.

   An account counts what one allocator holds and enforces its limit. A region is one piece of
   memory from the system; it keeps its account alive. Everything is safe from any thread: the
   counts are atomic, and there is no lock that a fork could leave held. */

#ifndef FACULA_ALLOCATOR_HOST_H
#define FACULA_ALLOCATOR_HOST_H

#include <stdint.h>

typedef struct facula_account facula_account;
typedef struct facula_region facula_region;

enum { FACULA_REGION_MALLOC = 0, FACULA_REGION_PAGES = 1 };

/* limit in bytes; NULL when there is no memory for it. */
facula_account *facula_account_new(int64_t limit);
/* The allocator is done with it; it goes when its last region does. */
void facula_account_drop(facula_account *account);
/* What an account counts: bytes reserved and their peak, bytes and count of regions not yet released, regions ever
   taken from the system and ever given back. */
typedef struct {
    int64_t reserved, peak, live_bytes, live_regions, taken, given_back;
} facula_account_figures;
void facula_account_read(facula_account *account, facula_account_figures *out);
void facula_account_set_limit(facula_account *account, int64_t limit);
int64_t facula_account_reserved(facula_account *account);
/* The peak starts again at what is reserved now. */
void facula_account_reset_peak(facula_account *account);

/* NULL when it would pass the limit or the system refuses; then nothing has changed. */
facula_region *facula_region_new(facula_account *account, int64_t nbytes, int kind);
uintptr_t facula_region_address(facula_region *region);
/* Gives the memory back, at once or, while releases are held, when they no longer are. NULL: nothing. */
void facula_region_release(facula_region *region);

/* While held (1), released regions wait; 0 frees them. Process-wide. */
void facula_hold_releases(int hold);
/* For tests: the next `count` regions are refused, in whatever account. */
void facula_refuse_next(int64_t count);

#endif
