/* The observer of the pool's jobs, such as a profiler. Python declares the function separately (build_kernels.py). */
#pragma once
#include <stdint.h>

/* A part of a job is reported by the thread that has done it: `worker` is the number of the thread (0 is the caller),
   start and end are times of CLOCK_MONOTONIC in ns, and `job` is a number that the parts of one job share. */
enum { FACULA_TASK = 8 };
typedef void (*facula_observer)(int64_t kind, int64_t worker, int64_t start, int64_t end, int64_t job);

/* Reports the parts of all jobs that begin from here on to `observer`; NULL ends this. Waits for the present job, so that
   no thread is in the former observer afterwards. Returns that observer. May not be called by an observer or a task. */
facula_observer facula_observe_jobs(facula_observer observer);
