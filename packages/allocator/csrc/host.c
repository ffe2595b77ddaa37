#define _GNU_SOURCE
#include "host.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ALIGNMENT 64
#define HUGE_PAGE ((size_t)2 << 20)

struct facula_account {
    _Atomic int64_t references; /* the allocator and every region */
    _Atomic int64_t reserved, peak, live_bytes, live_regions, taken, given_back;
    _Atomic int64_t limit;
};

struct facula_region {
    facula_account *account;
    void *address;
    size_t nbytes;
    int kind;
    facula_region *next; /* in the list of held releases */
};

static _Atomic int holding;
static facula_region *_Atomic held;
static _Atomic int64_t refusals;

/* Observers ---------------------------------------------------------------------------------------------------------- */

typedef void (*Report)(int64_t label, int64_t lane, int64_t start, int64_t end, int64_t nbytes);
static struct {
    _Atomic uintptr_t report;
    _Atomic int64_t lane, taken, returned;
} observer;

facula_region_observer facula_observe_regions(facula_region_observer next)
{
    facula_region_observer former = {0, observer.lane, observer.taken, observer.returned};
    former.report = atomic_exchange(&observer.report, 0);
    observer.lane = next.lane;
    observer.taken = next.taken;
    observer.returned = next.returned;
    observer.report = next.report;
    return former;
}

/* Nanoseconds; 0 without an observer. */
static int64_t began(void)
{
    struct timespec time;
    if (!observer.report)
        return 0;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void report(int64_t start, int64_t label, int64_t nbytes)
{
    Report function = (Report)observer.report;
    if (start && function)
        function(label, observer.lane, start, began(), nbytes);
}

/* -------------------------------------------------------------------------------------------------------------------- */

facula_account *facula_account_new(int64_t limit)
{
    facula_account *account = calloc(1, sizeof *account);
    if (account) {
        account->limit = limit;
        atomic_init(&account->references, 1);
    }
    return account;
}

void facula_account_drop(facula_account *account)
{
    if (atomic_fetch_sub(&account->references, 1) == 1)
        free(account);
}

void facula_account_read(facula_account *account, facula_account_figures *out)
{
    out->reserved = account->reserved;
    out->peak = account->peak;
    out->live_bytes = account->live_bytes;
    out->live_regions = account->live_regions;
    out->taken = account->taken;
    out->given_back = account->given_back;
}

void facula_account_set_limit(facula_account *account, int64_t limit)
{
    account->limit = limit;
}

int64_t facula_account_reserved(facula_account *account)
{
    return account->reserved;
}

void facula_account_reset_peak(facula_account *account)
{
    atomic_store(&account->peak, account->reserved);
}

/* Counted before the memory is taken, so that concurrent threads never exceed the limit. */
static int reserve(facula_account *account, int64_t nbytes)
{
    int64_t before = account->reserved, after;
    do {
        if (nbytes > account->limit - before)
            return 0;
        after = before + nbytes;
    } while (!atomic_compare_exchange_weak(&account->reserved, &before, after));
    return 1;
}

static void note_peak(facula_account *account)
{
    int64_t now = account->reserved, peak = account->peak;
    while (now > peak && !atomic_compare_exchange_weak(&account->peak, &peak, now))
        ;
}

static int refused(void)
{
    int64_t left = refusals;
    while (left > 0)
        if (atomic_compare_exchange_weak(&refusals, &left, left - 1))
            return 1;
    return 0;
}

/* Separate mappings, not malloc's memory, so that they return to the system on release, independently of their
   neighbours. Where a huge page fits, map one page more and cut both ends, so that the kernel can use huge pages from
   the first byte: touching 64 MB for the first time takes 3 ms with huge pages and 22 ms without. */
static void *map_pages(size_t nbytes)
{
    size_t room = nbytes, spare = nbytes < HUGE_PAGE ? 0 : HUGE_PAGE;
    if (__builtin_add_overflow(nbytes, spare, &room))
        return NULL;
    char *start = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    if (!spare)
        return start;
    size_t before = (HUGE_PAGE - (uintptr_t)start % HUGE_PAGE) % HUGE_PAGE;
    char *address = start + before;
    if (before)
        munmap(start, before);
    if (room - before > nbytes)
        munmap(address + nbytes, room - before - nbytes);
#ifdef MADV_HUGEPAGE
    madvise(address, nbytes, MADV_HUGEPAGE); /* a hint: without huge pages, small ones are used */
#endif
    return address;
}

/* Whole pages, since munmap works on pages. */
static size_t mapped_size(size_t nbytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (nbytes + page - 1) / page * page;
}

facula_region *facula_region_new(facula_account *account, int64_t nbytes, int kind)
{
    if (nbytes <= 0 || refused() || !reserve(account, nbytes))
        return NULL;
    const int64_t start = began();
    facula_region *region = malloc(sizeof *region);
    void *address = NULL;
    if (region) {
        if (kind == FACULA_REGION_PAGES)
            address = map_pages(mapped_size((size_t)nbytes));
        else if (posix_memalign(&address, ALIGNMENT, (size_t)nbytes))
            address = NULL;
    }
    if (!address) {
        free(region);
        atomic_fetch_sub(&account->reserved, nbytes);
        return NULL;
    }
    *region = (facula_region){account, address, (size_t)nbytes, kind, NULL};
    atomic_fetch_add(&account->references, 1);
    atomic_fetch_add(&account->live_bytes, nbytes);
    atomic_fetch_add(&account->live_regions, 1);
    atomic_fetch_add(&account->taken, 1);
    note_peak(account); /* only now: a request that the system refused is no peak */
    report(start, observer.taken, nbytes);
    return region;
}

uintptr_t facula_region_address(facula_region *region)
{
    return (uintptr_t)region->address;
}

static void give_back(facula_region *region)
{
    facula_account *account = region->account;
    const int64_t start = began(), nbytes = (int64_t)region->nbytes;
    if (region->kind == FACULA_REGION_MALLOC)
        free(region->address);
    else if (munmap(region->address, mapped_size(region->nbytes)))
        /* Too many mappings to split one: release the pages, but keep the addresses. */
        madvise(region->address, mapped_size(region->nbytes), MADV_DONTNEED);
    atomic_fetch_sub(&account->reserved, nbytes);
    atomic_fetch_add(&account->given_back, 1);
    free(region);
    facula_account_drop(account);
    report(start, observer.returned, -nbytes);
}

static void give_back_held(void)
{
    facula_region *region = atomic_exchange(&held, NULL), *next;
    for (; region; region = next) {
        next = region->next;
        give_back(region);
    }
}

void facula_region_release(facula_region *region)
{
    if (!region)
        return;
    atomic_fetch_sub(&region->account->live_bytes, (int64_t)region->nbytes);
    atomic_fetch_sub(&region->account->live_regions, 1);
    if (!holding) {
        give_back(region);
        return;
    }
    region->next = held;
    while (!atomic_compare_exchange_weak(&held, &region->next, region))
        ;
    if (!holding) /* the hold has ended, perhaps before this region was in the list */
        give_back_held();
}

void facula_hold_releases(int hold)
{
    holding = hold;
    if (!hold)
        give_back_held();
}

void facula_refuse_next(int64_t count)
{
    refusals = count;
}
