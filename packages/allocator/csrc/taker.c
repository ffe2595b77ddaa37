/* Takers: callables that return blocks of one size, for callers that count nanoseconds; the counterpart of the `pop` of
   a list of free blocks. */
#include "types.h"

/* `self` is (core, detours, nbytes). `detours` is a list; while it is not empty, allocations must run Python code. */
static PyObject *taker_take(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    Core *core = (Core *)PyTuple_GetItem(self, 0);
    long long nbytes = PyLong_AsLongLong(PyTuple_GetItem(self, 2));
    if (!core->listening && !core->abandoned && !PyList_Size(PyTuple_GetItem(self, 1))) {
        facula_block *taken = take_idle(core, nbytes, 0, 0);
        if (taken) {
            PyObject *block = new_block(core, taken, nbytes, 0);
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
    long long nbytes;
    if (!PyArg_ParseTuple(args, "LO!:taker", &nbytes, &PyList_Type, &detours))
        return NULL;
    PyObject *bound = Py_BuildValue("(OOL)", (PyObject *)self, detours, nbytes);
    PyObject *made = bound ? PyCFunction_NewEx(&take, bound, NULL) : NULL;
    Py_XDECREF(bound);
    return made;
}
