/* The thread pool.

   Note [The pool]
   ~~~~~~~~~~~~~~~
   A job is a count of small tasks. Each thread takes the indices of its own range in order, and then those that are
   left of other ranges, so a thread that the system delays holds up at most one task. Neighbouring tasks use
   neighbouring memory. If they alternated between cores, each core would prefetch what the other one writes: pads of
   800,000 elements took 190 us on two cores instead of 130.

   Publishing a job opens the gate; a worker that passes is counted. The caller shuts the gate when no index is left and
   waits only for the workers inside: a worker that was not scheduled in time finds the gate shut, and the caller does
   not wait for it. Workers spin for SPIN_NS after a job, because the next kernel of a training step follows within
   microseconds, and then sleep on a futex.

   gate:   OPEN while indices may be taken, plus the number of workers inside. It is 0 between jobs.
   epoch:  counts jobs; workers wait for it to change (spinning or on the futex).
   owner:  a lock held by the thread that published the job. A thread that finds it locked runs its own tasks serially.

   Why no wake-up is lost: a worker first announces that it sleeps, then the futex compares epoch; the caller first
   changes epoch, then looks for sleepers. Both orders are sequentially consistent.

   Why a worker reads a consistent job: the fields are written while the gate is 0 and before it opens (release). The
   worker enters by compare-and-swap on an open gate (acquire), and the fields do not change until the gate is 0
   again. A late worker may enter a newer job than the one that woke it, which is harmless.

   Where a worker runs: a busy system tends to wake a worker on the caller's core. There it would spin while the
   caller waits for the core, and a job of 60 us takes 260 us (measured, two cores, load 4). A worker on the caller's
   core moves to another one; if there is no other core, it does not spin.

   A forked child has no workers and starts new ones. It has no observer, which may write to memory of its parent.

   Observers: the caller copies the observer into the job, with one relaxed load. Every thread reports its part before it
   leaves the job. Whoever sets an observer owns the pool meanwhile, so that no thread is in a job. */
#define _GNU_SOURCE
#include "runtime/pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/library.cdef.h"
#include "runtime/observer.h"

enum { MOST_THREADS = 256, MOST_RANGES = 16, SPINS_PER_LOOK = 64, SPINS_BEFORE_YIELD = 256 };
static const int64_t SPIN_NS = 200000;
static const uint64_t OPEN = 1ull << 32;

static _Atomic uint64_t gate;
static _Atomic uint32_t epoch;
static _Atomic int sleepers;
static _Atomic int owner;
static _Atomic int wanted; /* number of threads, including the caller; 0: not known yet */
static int workers;        /* number started so far; only the owner accesses it */

static struct {
    facula_task task;
    void *context;
    int64_t number;
    facula_observer observer;
    int ranges;
} job;
static struct range {
    _Alignas(64) _Atomic int64_t next; /* the first index that no thread has taken */
    int64_t end;
} ranges[MOST_RANGES];
static _Atomic(facula_observer) current_observer;
static _Atomic int caller_cpu = -1;

static inline void pause_briefly(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Returns an index for thread number `worker`, or -1. `range` counts the ranges, from its own one on, that are empty. */
static int64_t take_index(int64_t worker, int *range)
{
    for (; *range < job.ranges; ++*range) {
        struct range *from = &ranges[(worker + *range) % job.ranges];
        if (atomic_load_explicit(&from->next, memory_order_relaxed) >= from->end)
            continue;
        const int64_t index = atomic_fetch_add_explicit(&from->next, 1, memory_order_relaxed);
        if (index < from->end)
            return index;
    }
    return -1;
}

/* Runs tasks as thread number `worker` until no index is left. */
static void take_tasks(int64_t worker)
{
    int range = 0;
    int64_t index = take_index(worker, &range);
    if (index < 0)
        return;
    const int64_t start = job.observer ? now() : 0;
    do
        job.task(job.context, index);
    while ((index = take_index(worker, &range)) >= 0);
    if (job.observer)
        job.observer(FACULA_TASK, worker, start, now(), job.number);
}

/* Leaves the caller's core; returns 0 if this thread may run on no other. The mask is changed only temporarily:
   narrowing it moves the thread at once, and widening it again does not move it. */
static int keep_off_callers_cpu(void)
{
    int cpu = sched_getcpu();
    if (cpu < 0 || cpu != atomic_load_explicit(&caller_cpu, memory_order_relaxed))
        return 1;
    cpu_set_t allowed, others;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return 0;
    others = allowed;
    CPU_CLR(cpu, &others);
    if (!CPU_COUNT(&others) || sched_setaffinity(0, sizeof others, &others))
        return 0;
    sched_setaffinity(0, sizeof allowed, &allowed);
    return 1;
}

/* Spins, then sleeps, until epoch differs from `seen`; returns the new epoch. */
static uint32_t wait_for_job(uint32_t seen, int may_spin)
{
    int64_t deadline = may_spin ? now() + SPIN_NS : 0;
    for (int spins = 1;; spins++) {
        uint32_t current = atomic_load_explicit(&epoch, memory_order_acquire);
        if (current != seen)
            return current;
        pause_briefly();
        if (may_spin && spins % SPINS_PER_LOOK)
            continue;
        if (may_spin && now() < deadline && keep_off_callers_cpu())
            continue;
        atomic_fetch_add(&sleepers, 1);
        syscall(SYS_futex, &epoch, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        atomic_fetch_sub(&sleepers, 1);
    }
}

static void *work(void *argument)
{
    int number = (int)(intptr_t)argument; /* 1 is the first worker; the caller is number 0 */
    uint32_t seen = atomic_load(&epoch) - 1; /* so that the worker sees the job that started it */
    int may_spin = 1;
    for (;;) {
        int needed = number < atomic_load_explicit(&wanted, memory_order_relaxed);
        seen = wait_for_job(seen, needed && may_spin);
        if (number >= atomic_load_explicit(&wanted, memory_order_relaxed))
            continue;
        may_spin = keep_off_callers_cpu();
        uint64_t state = atomic_load_explicit(&gate, memory_order_relaxed);
        while (state & OPEN)
            if (atomic_compare_exchange_weak_explicit(&gate, &state, state + 1, memory_order_acquire,
                                                      memory_order_relaxed)) {
                take_tasks(number);
                atomic_fetch_sub_explicit(&gate, 1, memory_order_release);
                break;
            }
    }
    return NULL;
}

static void reset_in_child(void)
{
    workers = 0;
    atomic_store(&gate, 0);
    atomic_store(&sleepers, 0);
    atomic_store(&owner, 0);
    atomic_store(&current_observer, NULL);
}

/* When the library is loaded: a fork during the first job must find the handler. */
__attribute__((constructor)) static void handle_forks(void)
{
    pthread_atfork(NULL, NULL, reset_in_child);
}

/* Starts missing workers. Workers block signals, which belong to the threads that the user knows. */
static void start_workers(int needed)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    while (workers < needed) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, work, (void *)(intptr_t)(workers + 1)))
            break; /* the system provides no more threads: continue with those that run */
        workers++;
    }
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Returns whether cores run several threads. 0 avoids inspecting each core, which takes a millisecond for 64 cores. */
static int has_hyperthreads(void)
{
    int active = 1;
    FILE *file = fopen("/sys/devices/system/cpu/smt/active", "r");
    if (file) {
        if (fscanf(file, "%d", &active) != 1)
            active = 1;
        fclose(file);
    }
    return active;
}

/* Returns the number of cores this process may run on; hyperthreads of a core count once, as they share its
   arithmetic. */
static int available_cores(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed))
        return 1;
    if (!has_hyperthreads())
        return CPU_COUNT(&allowed);
    int cores = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        char path[96];
        int first = cpu;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
        FILE *file = fopen(path, "r");
        if (file) {
            if (fscanf(file, "%d", &first) != 1 || !CPU_ISSET(first, &allowed))
                first = cpu; /* the process may not use the core's first thread: count this one */
            fclose(file);
        }
        cores += first == cpu;
    }
    return cores ? cores : 1;
}

FACULA_PUBLIC int facula_threads_setting(void)
{
    if (atomic_load_explicit(&wanted, memory_order_relaxed))
        return 0;
    const char *text = getenv("FACULA_NUM_THREADS");
    if (!text || !*text)
        return 0;
    char *end;
    const long count = strtol(text, &end, 10);
    return *end || count < 1 || count > MOST_THREADS ? -1 : (int)count;
}

FACULA_PUBLIC int facula_threads(void)
{
    int count = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (count)
        return count;
    count = facula_threads_setting();
    if (count < 1)
        count = available_cores();
    if (count > MOST_THREADS)
        count = MOST_THREADS;
    int unknown = 0;
    return atomic_compare_exchange_strong(&wanted, &unknown, count) ? count : unknown;
}

FACULA_PUBLIC void facula_set_threads(int count)
{
    atomic_store(&wanted, count < 1 ? 1 : count > MOST_THREADS ? MOST_THREADS : count);
}

void facula_parallel(int64_t count, facula_task task, void *context)
{
    int threads = facula_threads(), nobody = 0;
    if (threads <= 1 || count <= 1 || !atomic_compare_exchange_strong(&owner, &nobody, 1)) {
        for (int64_t index = 0; index < count; index++)
            task(context, index);
        return;
    }
    job.task = task;
    job.context = context;
    job.number++;
    job.observer = atomic_load_explicit(&current_observer, memory_order_relaxed);
    job.ranges = (int)(count < threads ? count : threads);
    job.ranges = job.ranges < MOST_RANGES ? job.ranges : MOST_RANGES;
    for (int64_t range = 0; range < job.ranges; range++) {
        atomic_store_explicit(&ranges[range].next, count * range / job.ranges, memory_order_relaxed);
        ranges[range].end = count * (range + 1) / job.ranges;
    }
    atomic_store_explicit(&caller_cpu, sched_getcpu(), memory_order_relaxed);
    atomic_store_explicit(&gate, OPEN, memory_order_release);
    atomic_fetch_add(&epoch, 1);
    if (workers < threads - 1)
        start_workers(threads - 1);
    if (atomic_load(&sleepers) > 0)
        syscall(SYS_futex, &epoch, FUTEX_WAKE_PRIVATE, workers, NULL, NULL, 0);
    take_tasks(0);
    atomic_fetch_sub(&gate, OPEN);
    for (int spins = 1; atomic_load_explicit(&gate, memory_order_acquire); spins++)
        if (spins % SPINS_BEFORE_YIELD)
            pause_briefly();
        else
            sched_yield(); /* the worker that the caller waits for may need this core */
    atomic_store_explicit(&owner, 0, memory_order_release);
}

FACULA_PUBLIC facula_observer facula_observe_jobs(facula_observer observer)
{
    for (int nobody = 0; !atomic_compare_exchange_weak(&owner, &nobody, 1); nobody = 0)
        sched_yield();
    facula_observer former = atomic_exchange(&current_observer, observer);
    atomic_store_explicit(&owner, 0, memory_order_release);
    return former;
}
