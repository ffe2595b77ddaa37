/* Call stacks as tuples: a code object and an instruction offset for each frame of the program. Also the allocation
   function that records its stack. */
#include "types.h"

#include <stdint.h>
#include <time.h>

enum { SLOTS = 1024, MOST = 64 };

/* Code objects already classified. The cache keeps them alive, so that no other code object gets the same address. */
static struct {
    PyObject *code;
    char skipped;
} seen[SLOTS];

static PyObject *f_back, *f_lasti;

/* Return whether frames of this code are skipped, as `is_skipped(frame)` decides; -1: an error. */
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

/* Return up to `most` frames, starting `depth` frames up. The stack ends early if an error occurs. */
static PyObject *stack_of(long depth, long most, PyObject *is_skipped)
{
    PyObject *found[2 * MOST];
    Py_ssize_t count = 0;
    most = most < MOST ? most : MOST;
    PyObject *frame = most > 0 ? (PyObject *)PyThreadState_GetFrame(PyThreadState_Get()) : NULL;
    while (frame && frame != Py_None && count < 2 * most) {
        if (depth > 0) {
            depth--;
        } else {
            PyObject *code = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
            int skip = skipped(frame, code, is_skipped);
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

/* call_stack(depth, most, is_skipped) */
static PyObject *call_stack(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    (void)module;
    if (given != 3) {
        PyErr_SetString(PyExc_TypeError, "call_stack: expected 3 arguments");
        return NULL;
    }
    long depth = PyLong_AsLong(args[0]), most = PyLong_AsLong(args[1]);
    return PyErr_Occurred() ? NULL : stack_of(depth, most, args[2]);
}

/* 0, or -1: an error. */
static int call_append(PyObject *append, PyObject *item)
{
    PyObject *done = PyObject_CallFunctionObjArgs(append, item, NULL);
    Py_XDECREF(done);
    return done ? 0 : -1;
}

/* Append freed blocks to the events, and remove blocks that are free now from `live`. Runs no Python code, so no other
   thread can take one of them in between. */
static int note_freed(Core *core, PyObject *append, PyObject *live)
{
    PyObject *rows = core_drain(core, NULL);
    Py_ssize_t count = rows ? PyList_Size(rows) : -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *row = PyList_GetItem(rows, i);
        if (!PyTuple_Size(PyTuple_GetItem(row, 4)) && PyDict_DelItem(live, PyTuple_GetItem(row, 0)))
            PyErr_Clear(); /* allocated before the history began */
        if (call_append(append, row))
            count = -1;
    }
    Py_XDECREF(rows);
    return count < 0 ? -1 : 0;
}

/* Record a block that was taken. */
static int note_taken(const Block *block, PyObject *append, PyObject *live, long frames, PyObject *is_skipped)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    PyObject *stack = stack_of(1, frames, is_skipped), *address = PyLong_FromUnsignedLongLong(block->ptr), *event = NULL;
    if (stack && address && !PyDict_SetItem(live, address, stack))
        event = Py_BuildValue("sLOLLO", "alloc", (long long)now.tv_sec * 1000000000 + now.tv_nsec, address, block->nbytes,
                              block->stream, stack);
    int failed = !event || call_append(append, event);
    Py_XDECREF(stack);
    Py_XDECREF(address);
    Py_XDECREF(event);
    return failed ? -1 : 0;
}

/* take_noted(core, append, live, frames, is_skipped, nbytes, stream, pool) */
static PyObject *take_noted(PyObject *module, PyObject *const *args, Py_ssize_t given)
{
    (void)module;
    if (given != 8 || Py_TYPE(args[0]) != types.core_type || !PyDict_Check(args[2])) {
        PyErr_SetString(PyExc_TypeError, "take_noted: expected 8 arguments: the core, a function, a dict and others");
        return NULL;
    }
    Core *core = (Core *)args[0];
    if (core->telling)
        Py_RETURN_NONE; /* ask again under the lock */
    long frames = PyLong_AsLong(args[3]);
    if (PyErr_Occurred() || note_freed(core, args[1], args[2]))
        return NULL;
    PyObject *block = core_take(core, args + 5, 3);
    if (block && block != Py_None && note_taken((Block *)block, args[1], args[2], frames, args[4]))
        Py_CLEAR(block);
    return block;
}

static PyMethodDef methods[] = {
    {"call_stack", (PyCFunction)(void (*)(void))call_stack, METH_FASTCALL, "Code objects and instructions in turn."},
    {"take_noted", (PyCFunction)(void (*)(void))take_noted, METH_FASTCALL, "Core.take for a history."},
    {NULL, NULL, 0, NULL},
};

int add_stacks(PyObject *module)
{
    f_back = PyUnicode_InternFromString("f_back");
    f_lasti = PyUnicode_InternFromString("f_lasti");
    return f_back && f_lasti ? PyModule_AddFunctions(module, methods) : -1;
}
