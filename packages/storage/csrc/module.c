/* facula_storage._bridge: where Python objects and raw memory meet. See bridge.h for the other files. */
#include "bridge.h"

/* An instance whose slots are all unset, without __new__ and __init__: what a hot path makes, and quicker than a call of
   the class would be if it had neither. For classes written in Python on top of object. */
static PyObject *new_instance(PyObject *module, PyObject *type)
{
    (void)module;
    if (!PyType_Check(type) || !(PyType_GetFlags((PyTypeObject *)type) & Py_TPFLAGS_HEAPTYPE)) {
        PyErr_Format(PyExc_TypeError, "new_instance: expected a class written in Python; got %R", type);
        return NULL;
    }
    return PyType_GenericAlloc((PyTypeObject *)type, 0);
}

static PyMethodDef methods[] = {
    {"bind", bind, METH_VARARGS,
     "bind(kernel, plan, release_at, doubles, owner, count=0) -> launch\n\nA callable that runs the kernel at that "
     "address; `count` is how many arguments it takes, the number of elements among them; 0 for any up to 24, "
     "-k for k or more."},
    {"rebind", (PyCFunction)(void (*)(void))rebind, METH_FASTCALL,
     "rebind(launch, shaper, output, *inputs) -> launch or None\n\nA callable that runs the kernel of `launch` with its "
     "plan made for these layouts by the C function at address `shaper`; None where inputs do not broadcast to the "
     "output, or it makes none."},
    {"unbind", unbind, METH_O,
     "unbind(launch) -> tuple\n\nThe addresses of a launch's kernel and plan, the bits of arguments that are doubles, and "
     "what keeps the plan alive."},
    {"launch_count", launch_count, METH_NOARGS, "launch_count() -> int\n\nHow many launches this thread has made."},
    {"dlpack_export", dlpack_export, METH_VARARGS, "A DLPack capsule over memory that `owner` keeps alive."},
    {"dlpack_read", dlpack_read, METH_O, "What a fresh DLPack capsule says of its memory."},
    {"dlpack_consume", dlpack_consume, METH_O, "Mark a capsule as used; the result keeps its memory alive."},
    {"buffer_address", buffer_address, METH_O,
     "buffer_address(object) -> int\n\nThe address of the first element of an object with the buffer protocol."},
    {"snapshot_bytes", snapshot_bytes, METH_O,
     "snapshot_bytes(object) -> bytes\n\nThe memory of a bytearray, array.array or numpy.ndarray, with its format, "
     "shape and strides: what a check of it expects."},
    {"dict_descriptor", dict_descriptor, METH_O,
     "dict_descriptor(cls) -> descriptor\n\nAn attribute for a class: the `__dict__` of an instance, or None where it has "
     "none yet, as of `new_instance`."},
    {"reorder_bases", reorder_bases, METH_VARARGS,
     "reorder_bases(cls, metaclass)\n\nLet a class and those derived from it have the method resolution order that `mro` "
     "of a metaclass gives, and keep their own metaclass."},
    {"new_instance", new_instance, METH_O, "new_instance(cls) -> an instance with nothing set, made without __new__ and __init__"},
    {"collection_callback", collection_callback, METH_O,
     "A function for gc.callbacks that has an entry in the given list while the collector runs."},
    {"threads_inside", threads_inside, METH_O,
     "threads_inside(names) -> set\n\nThe threads, by number, that run a function of one of these modules."},
    {"call_filter", call_filter, METH_VARARGS,
     "call_filter(ignored, function) -> callable\n\nA function for sys.settrace: calls of code objects whose ids are keys "
     "of the dict `ignored` are not traced, others are left to `function`."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_bridge", "Kernel launcher, buffer and DLPack exports.",
                                        -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__bridge(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    if (prepare_launches(module) || prepare_exports(module) || prepare_dlpack(module) ||
        prepare_sequences(module) || prepare_comparisons(module) || prepare_checks() || prepare_threads()) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
