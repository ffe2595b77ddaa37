/* The types of the extension module _core: Core (coretype.c) and Block (blocktype.c), over the block core of core.h. */
#ifndef FACULA_ALLOCATOR_TYPES_H
#define FACULA_ALLOCATOR_TYPES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "core.h"

typedef struct {
    PyObject_HEAD
    facula_core *core;
    PyObject *collecting;  /* a set that is not empty while the garbage collector runs */
    PyObject *weakrefs;
    char listening;        /* a free must be delivered to listeners, so that only `drain` drains */
    char telling;          /* frees are being delivered: no thread may take their blocks before that */
    char abandoned;        /* the memory belongs to another process: frees have no effect */
} Core;

typedef struct {
    PyObject_HEAD
    Core *core;
    facula_block *block;   /* NULL for zero bytes */
    unsigned long long ptr;
    long long nbytes, stream;
    char freed, quick; /* quick: from a taker */
} Block;

extern PyType_Spec core_spec, block_spec;

/* Wrap a taken block in a Block; return None if none was taken. NULL: no memory, and `taken` was freed. */
PyObject *new_block(Core *core, facula_block *taken, long long nbytes, long long stream);

/* Merge freed blocks, then take an idle one; NULL if the slow path must search. */
facula_block *take_idle(Core *core, int64_t nbytes, int64_t stream, int64_t pool);
/* The same for a taker, while there is no listener; `size` is `nbytes` rounded up. See Note [Kept blocks] in kept.c. */
facula_block *take_quickly(Core *core, int64_t size, int64_t nbytes, int64_t stream);
/* Free a block, which is kept if that is possible and it came from a taker. */
void free_block(Core *core, facula_block *block, int quickly);
/* Merge freed blocks, unless listeners must receive their events or a collection runs. */
void drain_silently(Core *core);
/* Parse `wanted` arguments as numbers. 0, or -1: an error that names the method. */
int numbers(const char *name, PyObject *const *args, Py_ssize_t given, long long *into, Py_ssize_t wanted);
/* Append `item`, which may be NULL, and steal the reference. Nonzero: an error. */
int append(PyObject *list, PyObject *item);

/* taker.c: a function that returns (address, Block) of one size, or raises IndexError. */
PyObject *core_taker(Core *self, PyObject *args);
PyObject *call_current(PyObject *module, PyObject *address);
/* functions.c: functions(allocate, detours), a capsule of C functions. */
PyObject *core_functions(Core *self, PyObject *const *args, Py_ssize_t given);

/* coresegments.c: methods about segments. */
PyObject *core_drop_segment(Core *self, PyObject *const *args, Py_ssize_t given);
PyObject *core_grow(Core *self, PyObject *const *args, Py_ssize_t given);
PyObject *core_map(Core *self, PyObject *const *args, Py_ssize_t given);
PyObject *core_recall(Core *self, PyObject *const *args, Py_ssize_t given);
PyObject *core_round(Core *self, PyObject *nbytes);
PyObject *core_unmap(Core *self, PyObject *const *args, Py_ssize_t given);

/* coretype.c: methods that other files call. */
PyObject *core_take(Core *self, PyObject *const *args, Py_ssize_t given);
PyObject *core_drain(Core *self, PyObject *nothing);

/* views.c: methods that describe the core's blocks and segments. */
PyObject *core_free_pages(Core *self, PyObject *const *args, Py_ssize_t given);
PyObject *core_idle_segments(Core *self, PyObject *epoch);
PyObject *core_lent(Core *self, PyObject *pool);
PyObject *core_runs(Core *self, PyObject *range);
PyObject *core_snapshot(Core *self, PyObject *nothing);

/* stacks.c: the module's functions. Nonzero: an error. */
int add_stacks(PyObject *module);

typedef struct {
    PyTypeObject *core_type, *block_type;
    PyObject *value_error, *type_error; /* facula_errors.InvalidValueError, InvalidTypeError */
} module_state;

extern module_state types;

#endif
