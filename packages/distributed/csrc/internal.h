/* Atomic access and futexes. The words are in memory of several processes, so the futexes are not private. */
#pragma once
#include "shm.h"

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LOAD(address) __atomic_load_n(address, __ATOMIC_SEQ_CST)
#define STORE(address, value) __atomic_store_n(address, value, __ATOMIC_SEQ_CST)

enum { TICK = 20000000 };   /* nanoseconds: a killed rank does not wake others, so waits are limited */

static inline double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void futex_wait(uint32_t *word, uint32_t value) {
    struct timespec limit = {0, TICK};
    syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0);
}

static inline void futex_wake(uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }
