/* What sequence.c and replay.c share: many launches as one call, which a captured step replays. See Note [Sequences] in
   _sequences.py. A sequence is data that Python made: launches with their arguments, which of these follow from what a
   call is given (patches), and what must still be as it was (checks). */
#ifndef FACULA_STORAGE_SEQUENCE_H
#define FACULA_STORAGE_SEQUENCE_H

#include "checks.h"
#include "launch.h"

typedef struct {
    const Launch *launch; /* NULL: call `function`, or where that is NULL, too, go on as many steps further on (or back,
                             where it is negative) as the second argument says if the float at the first is not 0, or
                             is 0 where the third argument is 0 */
    PyObject *function;   /* borrowed from `launches` */
    Py_ssize_t first, count; /* its arguments */
} Step;

/* arguments[place] = values[source] + delta */
typedef struct {
    Py_ssize_t place, source;
    int64_t delta;
} Patch;

typedef struct {
    PyObject *layout, *node; /* node NULL: any; the type Node: any of that type */
    int64_t extent;
    Py_ssize_t root; /* the first input in the same memory, itself perhaps, `delta` bytes before; -1: wherever they lie */
    int64_t delta;
    int is_written; /* a launch changes its elements: it may not be read-only, nor lie in memory that launches read */
    PyObject *kind; /* its class; None: any */
    Py_ssize_t twin; /* the first input that is the same object, itself perhaps; -1: whichever are */
    int is_bare; /* it has no hooks */
} Input;

typedef struct {
    PyObject *holder, *descriptor, *value;
    PyObject **parts; /* what the slots of a tensor `value` contain, SLOT_LAYOUT to SLOT_HOOKS; NULL: whatever they do */
} Put;

typedef struct {
    int64_t start, end;
} Span;

typedef struct {
    Span *all; /* in order, and apart */
    Py_ssize_t count;
} Spans;

typedef struct {
    PyObject_HEAD
    PyObject *launches;
    Slots slots;
    int64_t *arguments, *scratch, *values;
    Step *steps;
    Patch *patches;
    Check *checks;
    Input *inputs;
    Put *puts, *changed; /* a changed storage: holder; `value` is its mutator; `descriptor` unused */
    Spans read, written; /* memory that stays where it is */
    int64_t *counts; /* how often each changed storage is written */
    Py_ssize_t step_count, argument_count, patch_count, check_count, input_count, put_count, changed_count,
        value_count;
    int releases, busy, has_early; /* whether the GIL is given away, a call is under way, there are early checks */
} Sequence;

PyObject *sequence_run(Sequence *self, PyObject *const *args, Py_ssize_t count);

#endif
