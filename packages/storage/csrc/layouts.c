/* Layouts: found, or checked, measured and published here, because programs whose shapes change create several a call. */
#include "checks.h"

enum { SHAPE, STRIDES, DTYPE, DEVICE, NUMEL, NBYTES, EXTENT, IS_CONTIGUOUS, DENSE, TAKE_BLOCK, FIELDS };
static const char *const slot_names[FIELDS] = {"shape", "strides", "dtype", "device", "numel", "nbytes", "extent",
                                          "is_contiguous", "dense", "take_block"};

enum { INDEX, RESOLVED, SLOT, BACKEND, CONNECTED, ALLOCATOR, TAKE_FOR, ITEMSIZE, CODE, ATTRIBUTES };
static const char *const attribute_names[ATTRIBUTES] = {"index", "resolved", "slot", "backend", "_backend", "allocator", "take_for", "itemsize", "code"};
static PyObject *attributes[ATTRIBUTES]; /* interned names */

static PyTypeObject *kind; /* Layout */
static PyObject *descriptors[FIELDS];
static Py_ssize_t offsets[FIELDS]; /* of the slots in an instance; -1: not found */
/* `_table`, `_rows_first`, `_make_room`, `cpu`, `block_observers` and `observe_layout` of Python */
static PyObject *by_strides, *by_shape, *make_room, *cpu_device, *observers, *observe;
static Py_ssize_t strides_limit, shapes_limit;
static long dtypes_per_device, dense_places;

PyObject *use_layouts(PyObject *module, PyObject *args)
{
    PyObject *type, *given[6];
    (void)module;
    if (!PyArg_ParseTuple(args, "O(O!O!O)O(O!O)nnll:use_layouts", &type, &PyDict_Type, &given[0], &PyDict_Type, &given[1], &given[2],
                          &given[3], &PyList_Type, &given[4], &given[5], &strides_limit, &shapes_limit, &dtypes_per_device,
                          &dense_places))
        return NULL;
    for (int i = 0; i < ATTRIBUTES; i++)
        if (!attributes[i] && !(attributes[i] = PyUnicode_InternFromString(attribute_names[i])))
            return NULL;
    for (int i = 0; i < FIELDS; i++) {
        PyObject *descriptor = PyObject_GetAttrString(type, slot_names[i]);
        if (!descriptor)
            return NULL;
        if (!use_slots_like(Py_TYPE(descriptor)) || !PyType_Check(type)) {
            Py_DECREF(descriptor);
            PyErr_Format(PyExc_TypeError, "use_layouts: expected a class with the slot %s; got %R", slot_names[i], type);
            return NULL;
        }
        if ((offsets[i] = offset_of(descriptor, (PyTypeObject *)type)) == -2) {
            Py_DECREF(descriptor);
            return NULL;
        }
        Py_XDECREF(descriptors[i]);
        descriptors[i] = descriptor;
    }
    PyObject **const kept[] = {&by_strides, &by_shape, &make_room, &cpu_device, &observers, &observe};
    for (int i = 0; i < 6; i++) {
        Py_XDECREF(*kept[i]);
        *kept[i] = Py_NewRef(given[i]);
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

/* Return an attribute that is an integer; -1 with an error set. */
static int64_t integer_of(PyObject *object, int name)
{
    PyObject *found = PyObject_GetAttr(object, attributes[name]);
    const int64_t number = found ? PyLong_AsLongLong(found) : -1;
    Py_XDECREF(found);
    return number;
}

/* Return the function `take_block` of layouts of this many bytes on a device. */
static PyObject *take_of(PyObject *device, PyObject *nbytes)
{
    PyObject *backend = PyObject_GetAttr(device, attributes[CONNECTED]);
    if (backend == Py_None) {
        Py_DECREF(backend);
        backend = PyObject_GetAttr(device, attributes[BACKEND]);
    }
    PyObject *allocator = backend ? PyObject_GetAttr(backend, attributes[ALLOCATOR]) : NULL;
    PyObject *take_for = allocator ? PyObject_GetAttr(allocator, attributes[TAKE_FOR]) : NULL;
    PyObject *take = take_for ? PyObject_CallFunctionObjArgs(take_for, nbytes, NULL) : NULL;
    Py_XDECREF(take_for);
    Py_XDECREF(allocator);
    Py_XDECREF(backend);
    return take;
}

/* Call a function of one argument for its effect; -1 with an error set. */
static int call(PyObject *function, PyObject *argument)
{
    PyObject *nothing = PyObject_CallFunctionObjArgs(function, argument, NULL);
    Py_XDECREF(nothing);
    return nothing ? 0 : -1;
}

/* Return a layout for the arguments of `find_layout` that is in no table; None as there. */
static PyObject *new_layout(PyObject *const *args)
{
    PyObject *shape = args[0], *strides = args[1], *layout = NULL;
    const int is_given = strides != Py_None;
    const int64_t itemsize = integer_of(args[2], ITEMSIZE), code = integer_of(args[2], CODE), slot = integer_of(args[3], SLOT);
    const long dense = (long)(slot * dtypes_per_device + code);
    struct measures found;
    if (PyErr_Occurred())
        return NULL;
    if (itemsize < 1) {
        PyErr_SetString(PyExc_ValueError, "find_layout: expected a dtype with an item size of 1 or more");
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
    PyObject *take = nbytes ? take_of(args[3], nbytes) : NULL;
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
    failed |= fill(layout, DENSE, PyLong_FromLong(found.is_contiguous && dense < dense_places ? dense : 0));
    if (failed || (PyList_Size(observers) > 0 && call(observe, layout)))
        Py_CLEAR(layout);
    return layout;
}

/* Whether a device has no index and another one resolves it; also 1, with an error set, on failure. */
static int is_unresolved(PyObject *device)
{
    if (device == cpu_device)
        return 0;
    PyObject *index = PyObject_GetAttr(device, attributes[INDEX]);
    PyObject *resolved = index == Py_None ? PyObject_GetAttr(device, attributes[RESOLVED]) : NULL;
    const int found = index == Py_None ? resolved != device : !index;
    Py_XDECREF(resolved);
    Py_XDECREF(index);
    return found;
}

static PyObject *field_of(PyObject *layout, int field)
{
    if (offsets[field] >= 0)
        return Py_NewRef(*(PyObject **)((char *)layout + offsets[field]));
    return get_slot(descriptors[field], layout, (PyObject *)kind);
}

int64_t read_layout(PyObject *layout, PyObject **fields)
{
    if (!kind || Py_TYPE(layout) != kind)
        return -2;
    for (int i = 0; i < 4; i++)
        if (!(fields[i] = field_of(layout, SHAPE + i))) {
            while (i > 0)
                Py_DECREF(fields[--i]);
            return -1;
        }
    const int64_t itemsize = integer_of(fields[DTYPE], ITEMSIZE);
    for (int i = 0; i < 4 && itemsize < 0; i++)
        Py_DECREF(fields[i]);
    return itemsize;
}

/* Return the layout of the other table that equals the one of this key, borrowed; NULL, possibly with an error set. */
static PyObject *in_other_table(PyObject *const *args, PyObject *layout)
{
    const int is_given = args[1] != Py_None;
    PyObject *strides = is_given ? Py_NewRef(args[1]) : field_of(layout, STRIDES);
    PyObject *key = is_given ? PyTuple_Pack(3, args[0], args[2], args[3])
                    : strides ? PyTuple_Pack(4, args[0], strides, args[2], args[3]) : NULL;
    PyObject *found = key ? PyDict_GetItemWithError(is_given ? by_shape : by_strides, key) : NULL;
    if (found && is_given) {
        PyObject *others = field_of(found, STRIDES);
        if (!others || PyObject_RichCompareBool(others, strides, Py_EQ) != 1)
            found = NULL;
        Py_XDECREF(others);
    }
    Py_XDECREF(key);
    Py_XDECREF(strides);
    return found;
}

/* Whether an object is a tuple of ints: 4.0 equals 4, but is not a length. */
static int are_ints(PyObject *numbers)
{
    Py_ssize_t i = PyTuple_CheckExact(numbers) ? PyTuple_Size(numbers) : -1;
    while (i > 0 && PyLong_CheckExact(PyTuple_GetItem(numbers, i - 1)))
        i--;
    return i == 0;
}

/* find_layout(shape, strides, dtype, device): see Note [Interning]. */
PyObject *find_layout(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    if (count != 4 || !kind) {
        PyErr_SetString(PyExc_TypeError, "find_layout: expected 4 arguments, after `use_layouts`");
        return NULL;
    }
    const int is_given = args[1] != Py_None;
    if (PyTuple_Check(args[0]) && !PyTuple_CheckExact(args[0])) { /* such as a tensor's `shape` */
        PyObject *shape = PySequence_Tuple(args[0]);
        PyObject *layout = shape ? find_layout(module, (PyObject *const[]){shape, args[1], args[2], args[3]}, 4) : NULL;
        Py_XDECREF(shape);
        return layout;
    }
    if (!are_ints(args[0]) || (is_given && !are_ints(args[1])))
        Py_RETURN_NONE;
    PyObject *table = is_given ? by_strides : by_shape, *made = NULL;
    PyObject *key = is_given ? PyTuple_Pack(4, args[0], args[1], args[2], args[3]) : PyTuple_Pack(3, args[0], args[2], args[3]);
    PyObject *found = key ? Py_XNewRef(PyDict_GetItemWithError(table, key)) : NULL;
    if (found || PyErr_Occurred() || is_unresolved(args[3]))
        goto done;
    if (is_given)
        found = Py_XNewRef(in_other_table(args, NULL));
    if (!found && !PyErr_Occurred() && (made = new_layout(args)) && made != Py_None) {
        PyObject *known = is_given ? NULL : in_other_table(args, made);
        found = Py_NewRef(known ? known : made);
    }
    if (found && !PyErr_Occurred() && PyDict_Size(table) >= (is_given ? strides_limit : shapes_limit) && call(make_room, table))
        Py_CLEAR(found);
    /* The calls above may run Python code, in which another thread may publish this key. */
    if (PyErr_Occurred()) {
        Py_CLEAR(found);
    } else if (found) {
        PyObject *known = PyDict_GetItemWithError(table, key);
        if (known)
            Py_DECREF(found), found = Py_NewRef(known);
        else if (PyErr_Occurred() || PyDict_SetItem(table, key, found))
            Py_CLEAR(found);
    }
done:
    Py_XDECREF(made);
    Py_XDECREF(key);
    return found || PyErr_Occurred() ? found : Py_NewRef(Py_None);
}
