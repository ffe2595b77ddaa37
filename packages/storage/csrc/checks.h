/* Comparisons of sequences before they run: slots.c locates slots, same.c compares two objects, checks.c implements the
   checks. Note [Checks] in _sequences.py. */
#ifndef FACULA_STORAGE_CHECKS_H
#define FACULA_STORAGE_CHECKS_H

#include "bridge.h"

enum {
    SLOT_LAYOUT, SLOT_STORAGE, SLOT_OFFSET, SLOT_NODE, SLOT_HOOKS, SLOT_GRAD, /* of a tensor */
    SLOT_ADDRESS, SLOT_VERSION, SLOT_MUTATOR,                                 /* of a storage */
    SLOT_SHAPE, SLOT_STRIDES, SLOT_DTYPE, SLOT_DEVICE,                        /* of a layout */
    SLOTS
};

/* slots.c */
typedef struct {
    PyObject *descriptors[SLOTS];
    PyTypeObject *kinds[SLOTS];  /* the class of each slot; the descriptor keeps it alive */
    Py_ssize_t offsets[SLOTS];   /* the slot's offset in an instance, in bytes; -1: not found */
} Slots;

extern descrgetfunc get_slot; /* functions of slots' descriptors */
extern descrsetfunc set_slot;

int is_slot(PyTypeObject *type);               /* whether a type is that of Python's own descriptors */
int use_slots_like(PyTypeObject *type);        /* take `get_slot` and `set_slot` from it; 0: it is not a slot's */
int read_slots(Slots *slots, PyObject *tuple); /* -1 with an error set */
void drop_slots(Slots *slots);
/* Return the offset of a slot in instances of a class. -1: none was found, -2 with an error set: the descriptor is not
   that of a slot for objects. After `use_slots_like`. */
Py_ssize_t offset_of(PyObject *descriptor, PyTypeObject *kind);
int slot_of(const Slots *slots, PyObject *descriptor, PyObject *holder); /* its index in `Slots`; -1: not known */

/* Return the contents of a slot of `holder`, borrowed; NULL without an error if it is not set. The caller must ensure
   that the holder is an instance of `kinds[which]`. */
static inline PyObject *slot_value(const Slots *slots, int which, PyObject *holder)
{
    if (slots->offsets[which] >= 0)
        return *(PyObject **)((char *)holder + slots->offsets[which]);
    PyObject *found = get_slot(slots->descriptors[which], holder, NULL);
    if (!found)
        PyErr_Clear();
    Py_XDECREF(found); /* the slot keeps a reference: ensured by read_slots */
    return found;
}

/* Set a slot, as its descriptor does; -1 with an error set. */
static inline int put_slot(const Slots *slots, int which, PyObject *holder, PyObject *value)
{
    if (slots->offsets[which] < 0)
        return set_slot(slots->descriptors[which], holder, value);
    PyObject **at = (PyObject **)((char *)holder + slots->offsets[which]), *before = *at;
    if (before != value) {
        Py_INCREF(value);
        *at = value;
        Py_XDECREF(before);
    }
    return 0;
}

static inline int is_tensor(const Slots *slots, PyObject *object)
{
    return PyObject_TypeCheck(object, slots->kinds[SLOT_LAYOUT]);
}

static inline int is_storage(const Slots *slots, PyObject *object)
{
    return PyObject_TypeCheck(object, slots->kinds[SLOT_ADDRESS]);
}

/* The version of a dict, which every change of its entries replaces; 0 if this Python has none. */
extern Py_ssize_t version_offset; /* in a dict, in bytes; 0: it has none */
void find_versions(void);
static inline uint64_t version_of(PyObject *dict)
{
    return version_offset ? *(uint64_t *)((char *)dict + version_offset) : 0;
}

/* same.c: none of these functions run user code */
extern PyObject *absent, *any;             /* instead of an expected value: the slot or key is missing; any value */
int same(PyObject *found, PyObject *expected);
int same_layout(const Slots *slots, PyObject *found, PyObject *expected);
int has_bytes(PyObject *holder, PyObject *expected); /* whether a snapshot of `holder` would be equal */

/* checks.c */
typedef struct {
    int kind;
    PyObject *holder, *key, *expected;
    PyObject **parts; /* of an ENTRIES or TENSOR check: copied from `expected`; a NULL entry: the slot is not set */
    Py_ssize_t size;  /* the number of parts, a length or a place */
    union {
        descrgetfunc get;   /* of a SLOT check with `slot` -1 */
        getiterfunc ordered; /* iterates over an OrderedDict; NULL for other holders */
    };
    int container; /* of an ENTRIES or SIZE check: the kind of the holder, which no assignment to `__class__` changes */
    int slot; /* the index in `Slots` that a SLOT check reads; -1: another slot */
    int is_exact; /* objects of equal value are not accepted instead of the expected ones */
    uint64_t version; /* of the holder when the check last passed; 0: none */
    int is_versioned; /* the entries of a dict decide it */
    int is_early; /* it calls Python, or creates an iterator, which may start the collector: run before the others */
} Check;

enum { CHECK_SLOT, CHECK_ITEM, CHECK_PLACE, CHECK_SIZE, CHECK_ENTRIES, CHECK_BYTES, CHECK_TYPE, CHECK_TENSOR, CHECK_CALL };
enum { CHECK_EXACT = 16 }; /* added to a kind */
enum { HAS_ITERATOR, IS_DICT, IS_LIST, IS_TUPLE }; /* containers */

/* Read a check from its Python description: (kind, holder, key, expected). -1 with an error set; the check is then
   empty. */
int read_check(Check *check, const Slots *slots, PyObject *description);
int expect_value(Check *check, const Slots *slots, PyObject *expected); /* replace the expected value */
int visit_check(const Check *check, visitproc visit, void *arg);
void drop_check(Check *check);
/* The first `count` entries of a tuple as new references, NULL for ABSENT; NULL with an error set. */
PyObject **parts_of(PyObject *tuple, Py_ssize_t count);
void drop_parts(PyObject **parts, Py_ssize_t size);
/* Return the number of the first failing check, among the early or among the other ones; -1: none; -2 with an error
   set: a function was interrupted. */
Py_ssize_t failing_check(Check *checks, Py_ssize_t count, const Slots *slots, int are_early);

#endif
