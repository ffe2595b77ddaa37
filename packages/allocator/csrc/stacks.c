/* The stack of a call as a tuple: a code object and the number of an instruction for each frame of a program. */
#include "types.h"

#include <stdint.h>

enum { SLOTS = 1024, MOST = 64 };

/* Codes whose frames were asked about: a code lives as long as it is here, so no other has its address. */
static struct {
    PyObject *code;
    char skipped;
} seen[SLOTS];

static PyObject *f_back, *f_lasti;

/* Whether frames of this code are left out, as `is_skipped(frame)` says; -1: an error. */
static int skipped(PyObject *frame, PyObject *code, PyObject *is_skipped)
{
    size_t slot = ((uintptr_t)code >> 4) % SLOTS;
    if (seen[slot].code == code)
        return seen[slot].skipped;
    PyObject *answer = PyObject_CallFunctionObjArgs(is_skipped, frame, NULL);
    int found = answer ? PyObject_IsTrue(answer) : -1;
    Py_XDECREF(answer);
    if (found >= 0) {
        PyObject *old = seen[slot].code;
        Py_INCREF(code);
        seen[slot].code = code;
        seen[slot].skipped = (char)found;
        Py_XDECREF(old);
    }
    return found;
}

/* call_stack(depth, most, is_skipped): where an error comes in the way, the stack ends. */
static PyObject *call_stack(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    PyObject *found[2 * MOST];
    Py_ssize_t count = 0;
    (void)module;
    if (given != 3) {
        PyErr_SetString(PyExc_TypeError, "call_stack: expected 3 arguments");
        return NULL;
    }
    long depth = PyLong_AsLong(args[0]), most = PyLong_AsLong(args[1]);
    if (PyErr_Occurred())
        return NULL;
    most = most < MOST ? most : MOST;
    PyObject *frame = most > 0 ? (PyObject *)PyThreadState_GetFrame(PyThreadState_Get()) : NULL;
    while (frame && frame != Py_None && count < 2 * most) {
        if (depth > 0) {
            depth--;
        } else {
            PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
            int skip = skipped(frame, code, args[2]);
            PyObject *at = skip ? NULL : PyObject_GetAttr(frame, f_lasti);
            if (at) {
                found[count++] = code;
                found[count++] = at;
            } else {
                Py_DECREF(code);
                if (skip <= 0)
                    break;
            }
        }
        PyObject *back = PyObject_GetAttr(frame, f_back);
        Py_DECREF(frame);
        frame = back;
    }
    Py_XDECREF(frame);
    PyErr_Clear();
    PyObject *stack = PyTuple_New(count);
    for (Py_ssize_t i = 0; i < count; i++) {
        if (stack)
            PyTuple_SetItem(stack, i, found[i]);
        else
            Py_DECREF(found[i]);
    }
    return stack;
}

static PyMethodDef methods[] = {
    {"call_stack", (PyCFunction)(void (*)(void))call_stack, METH_FASTCALL, "Code objects and instructions in turn."},
    {NULL, NULL, 0, NULL},
};

int add_stacks(PyObject *module)
{
    f_back = PyUnicode_InternFromString("f_back");
    f_lasti = PyUnicode_InternFromString("f_lasti");
    return f_back && f_lasti ? PyModule_AddFunctions(module, methods) : -1;
}
