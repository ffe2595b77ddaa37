/* The thread pool; see Note [The pool] in pool.c. */
#pragma once
#include <stdint.h>

/* Exported to other libraries; all other symbols are hidden. */
#define FACULA_PUBLIC __attribute__((visibility("default")))

typedef void (*facula_task)(void *context, int64_t index);

/* Calls task(context, 0 .. count-1), each once, on several threads in any order, and returns when all are done. May
   be called from any thread and inside a task. If the pool is busy, the caller runs all tasks itself. */
void facula_parallel(int64_t count, facula_task task, void *context);
