/* The current activity of other threads and of the cyclic garbage collector. */
#include "bridge.h"

/* A callback for gc.callbacks that keeps the entry None in the dict `running` while the collector runs; other users
   have their own entries there. It is written in C because Ctrl-C in a Python callback would be swallowed. */
static PyObject *on_collection(PyObject *running, PyObject *args)
{
    PyObject *phase = PyTuple_GetItem(args, 0);
    if (!phase)
        return NULL;
    if (PyUnicode_Check(phase) && PyUnicode_CompareWithASCIIString(phase, "start") == 0) {
        if (PyDict_SetItem(running, Py_None, Py_None))
            return NULL;
    } else {
        const int found = PyDict_Contains(running, Py_None);
        if (found < 0 || (found && PyDict_DelItem(running, Py_None)))
            return NULL;
    }
    return Py_BuildValue("");
}

static PyMethodDef on_collection_definition = {"on_collection", on_collection, METH_VARARGS,
                                               "on_collection(phase, info) -> None"};

PyObject *collection_callback(PyObject *module, PyObject *running)
{
    (void)module;
    if (!PyDict_CheckExact(running)) {
        PyErr_Format(PyExc_TypeError, "collection_callback: expected a dict; got %R", (PyObject *)Py_TYPE(running));
        return NULL;
    }
    return PyCFunction_NewEx(&on_collection_definition, running, NULL);
}

/* The threads that run a function of one of the named modules at any depth of their stacks. All stacks are read at
   once: in Python, the observed thread would continue between two steps of the walk, and its frames could end
   meanwhile. No other thread can run here: attributes of frames and lookups of strings are C code, and the cyclic
   collector, which creating a frame object may start, is disabled. */
static PyObject *current_frames;

static int runs_inside(PyObject *frame, PyObject *names)
{
    int found = 0;
    Py_INCREF(frame);
    while (frame != Py_None && !found) {
        PyObject *variables = PyObject_GetAttrString(frame, "f_globals");
        PyObject *name = variables && PyDict_CheckExact(variables) ? PyDict_GetItemString(variables, "__name__") : NULL;
        found = name && PyUnicode_CheckExact(name) ? PySet_Contains(names, name) : 0;
        PyObject *back = variables ? PyObject_GetAttrString(frame, "f_back") : NULL;
        Py_XDECREF(variables);
        Py_DECREF(frame);
        if (!back)
            return -1;
        frame = back;
    }
    Py_DECREF(frame);
    return found;
}

PyObject *threads_inside(PyObject *module, PyObject *names)
{
    (void)module;
    if (!PyAnySet_CheckExact(names)) {
        PyErr_Format(PyExc_TypeError, "threads_inside: expected a set of names; got %R", (PyObject *)Py_TYPE(names));
        return NULL;
    }
    PyObject *result = PySet_New(NULL), *frames = NULL;
    int collects = PyGC_Disable(), failed = !result || !(frames = PyObject_CallNoArgs(current_frames));
    PyObject *thread, *frame;
    for (Py_ssize_t at = 0; !failed && PyDict_Next(frames, &at, &thread, &frame);) {
        int inside = runs_inside(frame, names);
        failed = inside < 0 || (inside && PySet_Add(result, thread));
    }
    Py_XDECREF(frames);
    if (collects)
        PyGC_Enable();
    if (!failed)
        return result;
    Py_XDECREF(result);
    return NULL;
}

/* A function for sys.settrace that ignores calls of some code objects, and delegates the others to a Python function.
   It is written in C because it is called for every call of the library while a function is captured. */
static PyTypeObject *frame_type;

static PyObject *on_call(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || Py_TYPE(args[0]) != frame_type) {
        PyErr_SetString(PyExc_TypeError, "on_call: expected a frame, an event and its argument");
        return NULL;
    }
    PyCodeObject *code = PyFrame_GetCode((PyFrameObject *)args[0]);
    PyObject *key = PyLong_FromVoidPtr(code);
    Py_DECREF((PyObject *)code);
    if (!key)
        return NULL;
    PyObject *ignored = PyDict_GetItemWithError(PyTuple_GetItem(self, 0), key);
    Py_DECREF(key);
    if (ignored || PyErr_Occurred())
        return ignored ? Py_BuildValue("") : NULL;
    return PyObject_CallFunctionObjArgs(PyTuple_GetItem(self, 1), args[0], args[1], args[2], NULL);
}

static PyMethodDef on_call_definition = {"on_call", (PyCFunction)(void (*)(void))on_call, METH_FASTCALL,
                                         "on_call(frame, event, argument) -> None or what the other function returns"};

PyObject *call_filter(PyObject *module, PyObject *args)
{
    PyObject *ignored, *function;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O:call_filter", &PyDict_Type, &ignored, &function))
        return NULL;
    PyObject *self = PyTuple_Pack(2, ignored, function);
    PyObject *made = self ? PyCFunction_NewEx(&on_call_definition, self, NULL) : NULL;
    Py_XDECREF(self);
    return made;
}

int prepare_threads(void)
{
    PyObject *types = PyImport_ImportModule("types");
    frame_type = types ? (PyTypeObject *)PyObject_GetAttrString(types, "FrameType") : NULL;
    Py_XDECREF(types);
    if (!frame_type)
        return -1;
    current_frames = PySys_GetObject("_current_frames");
    if (!current_frames) {
        PyErr_SetString(PyExc_ImportError, "facula_storage needs sys._current_frames, which this Python lacks");
        return -1;
    }
    Py_INCREF(current_frames);
    return 0;
}
