/* Takers: callables that return blocks of one size, for callers that count nanoseconds; the counterpart of the `pop` of
   a list of free blocks. */
#include "types.h"

typedef int64_t (*Current)(void); /* the calling thread's current stream */

static int64_t stream_of(PyObject *address)
{
    const Current current = (Current)(intptr_t)PyLong_AsLongLong(address);
    return current ? current() : 0;
}

PyObject *call_current(PyObject *module, PyObject *address)
{
    (void)module;
    const int64_t stream = stream_of(address);
    return PyErr_Occurred() ? NULL : PyLong_FromLongLong(stream);
}

/* `self` is (core, detours, nbytes, address of a function Current, or 0). `detours` is a list; while it is not empty,
   allocations must run Python code. */
static PyObject *taker_take(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    Core *core = (Core *)PyTuple_GetItem(self, 0);
    long long nbytes = PyLong_AsLongLong(PyTuple_GetItem(self, 2));
    if (!core->listening && !core->abandoned && !PyList_Size(PyTuple_GetItem(self, 1))) {
        const int64_t stream = stream_of(PyTuple_GetItem(self, 3));
        facula_block *taken = take_idle(core, nbytes, stream, 0);
        if (taken) {
            PyObject *block = new_block(core, taken, nbytes, stream);
            return block ? Py_BuildValue("KN", ((Block *)block)->ptr, block) : NULL;
        }
    }
    PyErr_SetNone(PyExc_IndexError);
    return NULL;
}

static PyMethodDef take = {"take", taker_take, METH_NOARGS, "take() -> (address, Block); IndexError: ask the allocator."};

PyObject *core_taker(Core *self, PyObject *args)
{
    PyObject *detours;
    long long nbytes, current;
    if (!PyArg_ParseTuple(args, "LO!L:taker", &nbytes, &PyList_Type, &detours, &current))
        return NULL;
    PyObject *bound = Py_BuildValue("(OOLL)", (PyObject *)self, detours, nbytes, current);
    PyObject *made = bound ? PyCFunction_NewEx(&take, bound, NULL) : NULL;
    Py_XDECREF(bound);
    return made;
}
