/* Takers: callables that return blocks of one size, for callers that count nanoseconds; the counterpart of the `pop` of
   a list of free blocks. */
#include "types.h"

typedef int64_t (*Current)(void); /* the calling thread's current stream */

PyObject *call_current(PyObject *module, PyObject *address)
{
    const Current current = (Current)(intptr_t)PyLong_AsLongLong(address);
    (void)module;
    return PyErr_Occurred() ? NULL : PyLong_FromLongLong(current ? current() : 0);
}

/* The tuple (address, block), which takes over the reference to the block. */
static PyObject *pair_of(Block *block)
{
    PyObject *address = block ? PyLong_FromUnsignedLongLong(block->ptr) : NULL;
    PyObject *pair = address ? PyTuple_New(2) : NULL;
    if (!pair) {
        Py_XDECREF(address);
        Py_XDECREF((PyObject *)block);
        return NULL;
    }
    block->quick = 1;
    PyTuple_SetItem(pair, 0, address);
    PyTuple_SetItem(pair, 1, (PyObject *)block);
    return pair;
}

typedef struct {
    Core *core;
    PyObject *detours; /* a list: while it is not empty, allocations must run Python code */
    long long nbytes, size; /* size: nbytes, rounded up */
    Current current; /* or NULL, for a device whose only stream is 0 */
} taker;

static PyObject *taker_take(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const taker *at = PyCapsule_GetPointer(self, NULL);
    Core *core = at->core;
    if (!core->listening && !core->abandoned && !PyList_Size(at->detours)) {
        const int64_t stream = at->current ? at->current() : 0;
        facula_block *taken = take_quickly(core, at->size, at->nbytes, stream);
        if (taken)
            return pair_of((Block *)new_block(core, taken, at->nbytes, stream));
    }
    PyErr_SetNone(PyExc_IndexError);
    return NULL;
}

static PyMethodDef take = {"take", taker_take, METH_NOARGS, "take() -> (address, Block); IndexError: ask the allocator."};

static void delete_taker(PyObject *capsule)
{
    taker *at = PyCapsule_GetPointer(capsule, NULL);
    Py_DECREF((PyObject *)at->core);
    Py_DECREF(at->detours);
    PyMem_Free(at);
}

PyObject *core_taker(Core *self, PyObject *args)
{
    PyObject *detours;
    long long nbytes, current;
    if (!PyArg_ParseTuple(args, "LO!L:taker", &nbytes, &PyList_Type, &detours, &current))
        return NULL;
    taker *at = PyMem_Malloc(sizeof *at);
    if (!at)
        return PyErr_NoMemory();
    *at = (taker){self, detours, nbytes, facula_core_round(self->core, nbytes), (Current)(intptr_t)current};
    PyObject *capsule = PyCapsule_New(at, NULL, delete_taker);
    if (!capsule) {
        PyMem_Free(at);
        return NULL;
    }
    Py_INCREF((PyObject *)self);
    Py_INCREF(detours);
    PyObject *made = PyCFunction_NewEx(&take, capsule, NULL);
    Py_DECREF(capsule);
    return made;
}
