/* facula_storage._bridge: the interface between Python objects and raw memory. See bridge.h for the other files. */
#include "sequence.h"

/* Return an instance with all slots unset, without calling __new__ and __init__, for hot paths: faster than calling a
   class that has neither. For classes written in Python that derive from object. */
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
     "bind(kernel, plan, release_at, doubles, owner, count=0) -> launch\n\nReturn a callable that runs the kernel at this "
     "address. `count` is the number of its arguments, including the number of elements; 0 for any number up to 24, "
     "-k for k or more."},
    {"rebind", (PyCFunction)(void (*)(void))rebind, METH_FASTCALL,
     "rebind(launch, shaper, *layouts) -> launch or None\n\nReturn a callable that runs the kernel of `launch` with a plan "
     "for these layouts, created by the C function at address `shaper`; None if it creates no plan."},
    {"unbind", unbind, METH_O,
     "unbind(launch) -> tuple\n\nReturn the addresses of a launch's kernel and plan, the bit mask of arguments that are "
     "doubles, and the owner of the plan."},
    {"workspace_of", workspace_of, METH_O,
     "workspace_of(launch) -> int\n\nReturn the bytes of scratch memory that a launch made by `rebind` takes; 0 for "
     "other callables."},
    {"launch_count", launch_count, METH_NOARGS, "launch_count() -> int\n\nReturn the number of launches of this thread."},
    {"observe_replays", observe_replays, METH_O,
     "observe_replays(observer) -> int\n\nReport replays to the C function at this address, or to none if it is 0; return "
     "the address of the former function."},
    {"dlpack_export", dlpack_export, METH_VARARGS, "Return a DLPack capsule over memory that `owner` keeps alive."},
    {"dlpack_read", dlpack_read, METH_O, "Return the description of the memory in an unused DLPack capsule."},
    {"dlpack_consume", dlpack_consume, METH_O, "Mark a capsule as used and return an object that keeps its memory alive."},
    {"describe_array", describe_array, METH_O,
     "describe_array(array) -> (int, bytes) or None\n\nReturn the address of a NumPy array and a key of its dtype, shape and "
     "strides; None if it is not aligned, writable and of native byte order."},
    {"array_sharer", array_sharer, METH_O,
     "array_sharer(parts) -> share_array\n\nReturn a function that makes a tensor over the memory of a NumPy array, or None "
     "if no layout is known for the key of `describe_array`. `parts` are the classes and slots that buffer.c lists."},
    {"snapshot_bytes", snapshot_bytes, METH_O,
     "snapshot_bytes(object) -> bytes\n\nReturn the memory of a bytearray, array.array or numpy.ndarray, with its format, "
     "shape and strides, as the expected value of a check."},
    {"dict_descriptor", dict_descriptor, METH_O,
     "dict_descriptor(cls) -> descriptor\n\nReturn an attribute for a class: the `__dict__` of an instance, or None if it has "
     "not been created yet, as after `new_instance`."},
    {"reorder_bases", reorder_bases, METH_VARARGS,
     "reorder_bases(cls, metaclass)\n\nGive a class and its subclasses the method resolution order that `mro` of another "
     "metaclass returns, without changing their metaclass."},
    {"use_layouts", use_layouts, METH_VARARGS,
     "use_layouts(cls, (by_strides, by_shape, make_room), cpu, (observers, observe), limit, limit, dtypes, places)\n\nSet the "
     "class of layouts, their tables with the limits of these, and the numbers from which `dense` follows."},
    {"find_layout", (PyCFunction)(void (*)(void))find_layout, METH_FASTCALL,
     "find_layout(shape, strides, dtype, device) -> Layout or None\n\nReturn the layout in the table, which is added if "
     "necessary; row-major if the strides are None. None if the device is not resolved, or unless shape and strides are tuples "
     "of ints of 0 or more, equally long, and no number of bytes exceeds 63 bits."},
    {"find_window", (PyCFunction)(void (*)(void))find_window, METH_FASTCALL,
     "find_window(layout, index) -> (Layout, int) or None\n\nReturn the layout of the view that a tuple of ints, slices, None "
     "and `...` selects, and the offset of its first element in bytes. None if the index is out of range, has a negative step "
     "or contains other objects, also as bounds, or if `layout` is no Layout."},
    {"new_instance", new_instance, METH_O, "new_instance(cls) -> an instance without attributes, created without __new__ and __init__"},
    {"collection_callback", collection_callback, METH_O,
     "Return a function for gc.callbacks that keeps an entry in the given dict while the collector runs."},
    {"threads_inside", threads_inside, METH_O,
     "threads_inside(names) -> set\n\nReturn the IDs of the threads that run a function of one of these modules."},
    {"call_filter", call_filter, METH_VARARGS,
     "call_filter(ignored, function) -> callable\n\nReturn a function for sys.settrace that ignores code objects whose ids are "
     "keys of the dict `ignored`, and delegates other calls to `function`."},
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
        prepare_sequences(module) || prepare_comparisons(module) || prepare_checks() || prepare_threads() || prepare_windows()) {
        Py_DECREF(module);
        return NULL;
    }
    return module;
}
