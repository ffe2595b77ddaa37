/* Declarations shared by sequence.c, description.c and replay.c: many launches as one call, which a captured step
   replays. See Note [Sequences] in _sequences.py. A sequence is data that Python created: launches with their arguments,
   rules for arguments that depend on a call's inputs (patches), and conditions that must still hold (checks). */
#ifndef FACULA_STORAGE_SEQUENCE_H
#define FACULA_STORAGE_SEQUENCE_H

#include "checks.h"
#include "launch.h"

typedef struct {
    const Launch *launch; /* NULL: call `function`; if that is also NULL, skip as many steps as the second argument
                             (negative: jump back) if the float at the first argument is not 0, or if it is 0 and the
                             third argument is 0 */
    PyObject *function;   /* borrowed from `launches` */
    Py_ssize_t first, count; /* its arguments */
} Step;

/* A step as `combine` shows it to a backend's launch: a kernel, its plan, and the place of its arguments. */
typedef struct {
    Kernel kernel;
    const void *plan;
    int64_t first, count;
} Plain;

/* arguments[place] = values[source] + delta */
typedef struct {
    Py_ssize_t place, source;
    int64_t delta;
} Patch;

typedef struct {
    PyObject *layout, *node; /* node NULL: any; the type Node: any node of that type */
    int64_t extent;
    Py_ssize_t root; /* the first input in the same memory, possibly itself, `delta` bytes before; -1: any location */
    int64_t delta;
    int is_written; /* a launch writes its elements: it may not be read-only, nor overlap memory that launches read */
    PyObject *kind; /* its class; None: any */
    Py_ssize_t twin; /* the first input that is the same object, possibly itself; -1: any */
    int is_bare; /* it has no hooks */
} Input;

typedef struct {
    PyObject *holder, *descriptor, *value;
    PyObject **parts; /* contents of the slots of a tensor `value`, SLOT_LAYOUT to SLOT_HOOKS; NULL: any */
    int slot; /* the index in `Slots` of the descriptor; -1: another slot */
} Put;

/* The tensor that `serve` returns: its class, layout, offset and node; the layout of its memory, and the descriptor of
   the storage's slot for the release of that memory. */
typedef struct {
    PyObject *kind, *layout, *offset, *node, *memory, *release;
} Result;

typedef struct {
    int64_t start, end;
} Span;

typedef struct {
    Span *all; /* sorted and disjoint */
    Py_ssize_t count;
} Spans;

typedef struct {
    PyObject_HEAD
    PyObject *launches;
    Slots slots;
    int64_t *arguments, *scratch, *values;
    Step *steps;
    const Launch *combined; /* a launch of all steps, or NULL; `combination` is its function */
    PyObject *combination;
    Plain *plain; /* for it: all steps */
    Patch *patches;
    Check *checks;
    Input *inputs;
    Result result; /* empty: `serve` is not possible */
    Put *puts, *changed; /* a changed storage: holder; `value` is its mutator; `descriptor` unused */
    Spans read, written; /* memory at fixed addresses */
    int64_t *counts; /* how many times each changed storage is written */
    Py_ssize_t step_count, argument_count, patch_count, check_count, input_count, put_count, changed_count,
        value_count;
    int64_t *labels; /* for an observer: the kind of each step, and of the replay; NULL: the default */
    int releases, busy, has_early; /* whether it releases the GIL, a call is active, there are early checks */
    Py_ssize_t failed;             /* the step at which the latest call stopped with an error, or -1 */
} Sequence;

/* NULL with an error set if no memory is left. */
static inline void *room(Py_ssize_t count, size_t size)
{
    void *made = calloc(count ? (size_t)count : 1, size);
    return made ? made : PyErr_NoMemory();
}

/* Fill a new sequence from the arguments of `Sequence`; -1 with an error set. */
int read_description(Sequence *self, PyObject *args);
/* set(launch, argument, value): change an argument of a launch. */
PyObject *sequence_set(Sequence *self, PyObject *args);
/* observe_replays(observer): report replays to a C function. */
PyObject *observe_replays(PyObject *module, PyObject *address);
/* run(inputs, values) */
PyObject *sequence_run(Sequence *self, PyObject *const *args, Py_ssize_t count);
/* The same; `values` NULL: they are stored already. */
PyObject *run_with(Sequence *self, PyObject *inputs, PyObject *values);

/* result.c */
PyObject *sequence_returns(Sequence *self, PyObject *args); /* returns(kind, layout, offset, node, memory, release) */
PyObject *sequence_serve(Sequence *self, PyObject *inputs); /* serve(inputs) */
void drop_result(Result *result);

#endif
