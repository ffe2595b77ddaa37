/* Declarations shared by the files of facula_profiler._recorder. Limited API: one binary serves every Python from 3.11.

   ring.c     the events: memory of fixed size, whose oldest records are overwritten
   stacks.c   call stacks as numbers
   launch.c   launches that record themselves
   memory.c   blocks that record their allocation and release
   recorder.c the type Recorder, and the functions of the module

   Note [Recording]: at most one recorder is active. Threads with the GIL write between reading `active` and writing
   their record without releasing it, so that `stop`, which has the GIL, finds no half-written record of theirs. Threads
   without the GIL (of pools) call `facula_profiler_event`, which counts itself in `writers`: `stop` waits for them. A
   record is complete if its stamp is the number of the record; a reader skips others, also in the file of a killed
   process. */
#ifndef FACULA_PROFILER_RECORDER_H
#define FACULA_PROFILER_RECORDER_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* One record. `_recording/raw.py` has the same fields. */
typedef struct {
    int64_t start, end; /* nanoseconds of CLOCK_MONOTONIC */
    int64_t seq;        /* sequence number; the address of an allocation */
    int64_t value;      /* elements of a launch; bytes of an allocation, negative for a release */
    int32_t name;       /* number of a name, or -1 */
    int32_t lane;
    int32_t stack;      /* number of a stack, or -1 */
    int32_t plan;       /* number of a plan, or -1 */
    uint32_t kind;
    _Atomic uint32_t stamp; /* number of the record plus 1, modulo 2^32; written last */
    int64_t link;       /* number of the record that caused this one, or -1; the device of an allocation */
} Event;

_Static_assert(sizeof(Event) == 64, "a record is a cache line");

/* The first page of the memory, for readers of the file of a killed process. This process never reads it, as others may
   change the file. */
typedef struct {
    char magic[16];
    int64_t capacity; /* records, a power of two */
    int64_t began, began_utc;
    _Atomic uint64_t count; /* records so far, the overwritten ones included */
    int64_t process;
} Header;

enum { KIND_LAUNCH = 1, IN_PLACE = 128, KIND_ALLOCATION = 100, HEADER_BYTES = 4096, MAX_LANES = 4096 };

/* ring.c */
typedef struct {
    Header *header;
    Event *events;
    size_t bytes;
    int is_file;
    int64_t capacity, began, began_utc; /* as in the header */
    _Atomic uint64_t count;
} Ring;

int ring_open(Ring *ring, int64_t capacity, const char *path); /* 0, or an errno */
void ring_close(Ring *ring);

static inline int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* stacks.c */
typedef struct {
    PyObject *code;
    int32_t caller, lasti; /* caller: the number of the stack of the calling frame, or -1 */
} StackEntry;

typedef struct {
    StackEntry *entries;
    int32_t *slots; /* hash table of numbers plus 1 */
    int32_t count, room;
    uint32_t mask;
} Stacks;

int32_t intern_stack(Stacks *stacks, PyObject *code, int32_t caller, int32_t lasti); /* -1 if there is no memory */
int32_t current_stack(Stacks *stacks); /* the number of the calling thread's stack; -1 if there is no memory */
void stacks_clear(Stacks *stacks);
PyObject *stacks_list(const Stacks *stacks, Py_ssize_t from); /* [(code, caller, lasti)] */

/* recorder.c */
typedef struct {
    PyObject_HEAD
    Ring ring;
    Stacks stacks;
    uint64_t generation;   /* distinguishes recorders, also when one has the address of an earlier one */
    PyObject *counter;     /* the iterator of sequence numbers, or NULL */
    PyObject *on_lane;     /* called with the number of a new lane in its thread, or NULL */
    PyObject *on_stack;    /* called with the number of a new stack, or NULL */
    int has_stacks, has_memory;
    _Atomic int32_t lanes;
    int32_t threads[MAX_LANES]; /* the system's thread of each lane */
} Recorder;

extern Recorder *_Atomic active;       /* the running recorder, or NULL */
extern _Atomic uint64_t active_generation; /* its generation, or 0 */

/* The calling thread's lane. The first such call in a thread runs Python code if `may_call`, which requires the GIL; -2: the
   recorder was stopped during that call and may be freed. */
int32_t lane_of_thread(Recorder *recorder, int may_call);
/* The calling thread's stack; -1 if stacks are not recorded; -2 as above. */
int32_t stack_now(Recorder *recorder);

/* Write a record; return its number. */
static inline uint64_t record(Recorder *recorder, const Event *event)
{
    Ring *ring = &recorder->ring;
    const uint64_t number = atomic_fetch_add_explicit(&ring->count, 1, memory_order_relaxed);
    if (ring->is_file)
        atomic_fetch_add_explicit(&ring->header->count, 1, memory_order_relaxed);
    Event *at = &ring->events[number & (uint64_t)(ring->capacity - 1)];
    atomic_store_explicit(&at->stamp, 0, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    memcpy(at, event, offsetof(Event, stamp));
    at->link = event->link;
    atomic_store_explicit(&at->stamp, (uint32_t)number + 1, memory_order_release);
    return number;
}

/* launch.c */
PyObject *wrap_launch(Recorder *recorder, PyObject *const *args, Py_ssize_t count);

/* memory.c */
int add_memory(PyObject *module); /* adds the functions and the type; -1 with an error set */

#endif
