/* New layouts: their sizes are checked and counted here, because programs whose shapes change create several a call. */
#include "checks.h"

enum { SHAPE, STRIDES, DTYPE, DEVICE, NUMEL, NBYTES, EXTENT, IS_CONTIGUOUS, DENSE, TAKE_BLOCK, FIELDS };
static const char *const names[FIELDS] = {"shape", "strides", "dtype", "device", "numel", "nbytes", "extent",
                                          "is_contiguous", "dense", "take_block"};

static PyTypeObject *kind; /* Layout */
static PyObject *descriptors[FIELDS];
static Py_ssize_t offsets[FIELDS]; /* of the slots in an instance; -1: not found */

PyObject *use_layouts(PyObject *module, PyObject *type)
{
    (void)module;
    for (int i = 0; i < FIELDS; i++) {
        PyObject *descriptor = PyObject_GetAttrString(type, names[i]);
        if (!descriptor)
            return NULL;
        if (!use_slots_like(Py_TYPE(descriptor)) || !PyType_Check(type)) {
            Py_DECREF(descriptor);
            PyErr_Format(PyExc_TypeError, "use_layouts: expected a class with the slot %s; got %R", names[i], type);
            return NULL;
        }
        if ((offsets[i] = offset_of(descriptor, (PyTypeObject *)type)) == -2) {
            Py_DECREF(descriptor);
            return NULL;
        }
        Py_XDECREF(descriptors[i]);
        descriptors[i] = descriptor;
    }
    Py_XDECREF((PyObject *)kind);
    kind = (PyTypeObject *)Py_NewRef(type);
    Py_RETURN_NONE;
}

/* Set a slot of a new layout to an object, and give up the reference to it; -1 with an error set, as for no object. */
static int fill(PyObject *layout, int field, PyObject *value)
{
    if (!value)
        return -1;
    if (offsets[field] >= 0) {
        *(PyObject **)((char *)layout + offsets[field]) = value;
        return 0;
    }
    const int failed = set_slot(descriptors[field], layout, value);
    Py_DECREF(value);
    return failed;
}

struct measures {
    int64_t numel, extent; /* in elements */
    int is_contiguous;
};

/* Return an integer from 0 to `most` of a tuple; -1 for others. */
static int64_t number_of(PyObject *tuple, Py_ssize_t place, int64_t most)
{
    PyObject *given = PyTuple_GetItem(tuple, place);
    if (!PyLong_CheckExact(given))
        return -1;
    const int64_t number = PyLong_AsLongLong(given);
    if (number == -1 && PyErr_Occurred())
        PyErr_Clear();
    return number > most ? -1 : number;
}

/* Measure a layout of at most `most` elements. `strides` is given, or a new tuple to fill in. 1: a number is not an int,
   negative or too large; -1 with an error set. */
static int measure(struct measures *found, PyObject *shape, PyObject *strides, int is_given, int64_t most)
{
    int64_t count = 1, last = 0;
    int is_empty = 0, is_large = 0;
    *found = (struct measures){.is_contiguous = 1};
    for (Py_ssize_t i = PyTuple_Size(shape) - 1; i >= 0; i--) {
        int64_t size = number_of(shape, i, most), stride = is_given ? number_of(strides, i, most) : count, step;
        if (size < 0 || stride < 0 || (!is_given && is_large))
            return 1;
        if (!is_given) {
            PyObject *number = PyLong_FromLongLong(count);
            if (!number || PyTuple_SetItem(strides, i, number))
                return -1;
        }
        if (size == 0) {
            is_empty = 1;
            continue;
        }
        found->is_contiguous &= size == 1 || stride == count;
        is_large |= __builtin_mul_overflow(count, size, &count) || count > most ||
                    __builtin_mul_overflow(size - 1, stride, &step) || __builtin_add_overflow(last, step, &last) || last >= most;
    }
    if (is_empty)
        found->is_contiguous = 1;
    else if (is_large)
        return 1;
    else
        found->numel = count, found->extent = last + 1;
    return 0;
}

/* new_layout(shape, strides, dtype, device, itemsize, code, take_for) */
PyObject *new_layout(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 7 || !kind) {
        PyErr_SetString(PyExc_TypeError, "new_layout: expected 7 arguments, after `use_layouts`");
        return NULL;
    }
    PyObject *shape = args[0], *strides = args[1], *layout = NULL;
    const int is_given = strides != Py_None;
    const int64_t itemsize = PyLong_AsLongLong(args[4]);
    struct measures found;
    if (itemsize < 1) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "new_layout: expected an item size of 1 or more");
        return NULL;
    }
    if (!PyTuple_CheckExact(shape) || (is_given && (!PyTuple_CheckExact(strides) || PyTuple_Size(strides) != PyTuple_Size(shape))))
        Py_RETURN_NONE;
    if (is_given)
        Py_INCREF(strides);
    else if (!(strides = PyTuple_New(PyTuple_Size(shape))))
        return NULL;
    const int misfit = measure(&found, shape, strides, is_given, INT64_MAX / itemsize);
    if (misfit) {
        Py_DECREF(strides);
        if (misfit < 0)
            return NULL;
        Py_RETURN_NONE;
    }
    PyObject *nbytes = PyLong_FromLongLong(found.numel * itemsize);
    PyObject *take = nbytes ? PyObject_CallFunctionObjArgs(args[6], nbytes, NULL) : NULL;
    layout = take ? PyType_GenericAlloc(kind, 0) : NULL;
    if (!layout) {
        Py_XDECREF(take);
        Py_XDECREF(nbytes);
        Py_DECREF(strides);
        return NULL;
    }
    int failed = fill(layout, STRIDES, strides);
    failed |= fill(layout, NBYTES, nbytes);
    failed |= fill(layout, TAKE_BLOCK, take);
    failed |= fill(layout, SHAPE, Py_NewRef(shape));
    failed |= fill(layout, DTYPE, Py_NewRef(args[2]));
    failed |= fill(layout, DEVICE, Py_NewRef(args[3]));
    failed |= fill(layout, NUMEL, PyLong_FromLongLong(found.numel));
    failed |= fill(layout, EXTENT, found.is_contiguous ? Py_NewRef(nbytes) : PyLong_FromLongLong(found.extent * itemsize));
    failed |= fill(layout, IS_CONTIGUOUS, PyBool_FromLong(found.is_contiguous));
    failed |= fill(layout, DENSE, found.is_contiguous ? Py_NewRef(args[5]) : PyLong_FromLong(0));
    if (failed)
        Py_CLEAR(layout);
    return layout;
}
