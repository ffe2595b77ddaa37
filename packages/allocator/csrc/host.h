/* Host memory from the system, with exact counts. This file uses no Python objects.

   An account counts the memory of one allocator and enforces its limit. A region is one piece of memory from the
   system; it keeps its account alive. All functions are thread-safe: the counts are atomic, and there is no lock that
   a fork could leave held. */

#ifndef FACULA_ALLOCATOR_HOST_H
#define FACULA_ALLOCATOR_HOST_H

#include <stdint.h>

typedef struct facula_account facula_account;
typedef struct facula_region facula_region;

enum { FACULA_REGION_MALLOC = 0, FACULA_REGION_PAGES = 1 };

/* limit in bytes. Returns NULL if there is no memory for the account. */
facula_account *facula_account_new(int64_t limit);
/* Drop the allocator's reference; the account is freed with its last region. */
void facula_account_drop(facula_account *account);
/* The counters of an account: reserved bytes and their peak, bytes and number of regions not yet released, and the
   totals of regions taken from the system and returned to it. */
typedef struct {
    int64_t reserved, peak, live_bytes, live_regions, taken, given_back;
} facula_account_figures;
void facula_account_read(facula_account *account, facula_account_figures *out);
void facula_account_set_limit(facula_account *account, int64_t limit);
int64_t facula_account_reserved(facula_account *account);
/* Restart the peak at the bytes reserved now. */
void facula_account_reset_peak(facula_account *account);

/* Returns NULL, with no side effects, if the region would exceed the limit or the system refuses. */
facula_region *facula_region_new(facula_account *account, int64_t nbytes, int kind);
uintptr_t facula_region_address(facula_region *region);
/* Frees the memory, or defers that while releases are held. Does nothing for NULL. */
void facula_region_release(facula_region *region);

/* While releases are held (1), released regions wait; 0 frees them. Process-wide. */
void facula_hold_releases(int hold);
/* Report the regions of all accounts, until 0 is passed: report(label, lane, start, end, bytes) is called after a region
   was taken from the system, with the first label, or given back, with the second; times are those of CLOCK_MONOTONIC
   in ns. Returns the former function. */
typedef struct {
    uintptr_t report;   /* void (int64_t label, int64_t lane, int64_t start, int64_t end, int64_t bytes), or 0 */
    int64_t lane, taken, returned;
} facula_region_observer;
facula_region_observer facula_observe_regions(facula_region_observer observer);
/* For tests: refuse the next `count` regions, in any account. */
void facula_refuse_next(int64_t count);

#endif
