/* Windows: the layouts of views that integers, slices, None and `...` select. */
#include "bridge.h"

enum { FROM, TO, STEP, BOUNDS };
static const char *const bound_names[BOUNDS] = {"start", "stop", "step"};
static PyObject *bounds[BOUNDS]; /* interned names */

int prepare_windows(void)
{
    for (int i = 0; i < BOUNDS; i++)
        if (!(bounds[i] = PyUnicode_InternFromString(bound_names[i])))
            return -1;
    return 0;
}

/* Whether an object is a slice whose bounds are ints or None: others run Python code, which the caller checks. */
static int is_plain_slice(PyObject *part)
{
    int plain = PySlice_Check(part);
    for (int i = 0; i < BOUNDS && plain; i++) {
        PyObject *bound = PyObject_GetAttr(part, bounds[i]);
        plain = bound == Py_None || (bound && PyLong_CheckExact(bound));
        Py_XDECREF(bound);
    }
    return plain;
}

struct dim {
    int64_t size, stride;
};

static struct dim read_dim(PyObject *const *fields, Py_ssize_t own)
{
    return (struct dim){PyLong_AsLongLong(PyTuple_GetItem(fields[0], own)), PyLong_AsLongLong(PyTuple_GetItem(fields[1], own))};
}

/* Set a dimension of the view; -1 with an error set. */
static int write_dim(PyObject *const *made, Py_ssize_t at, struct dim dim)
{
    PyObject *size = PyLong_FromLongLong(dim.size), *stride = PyLong_FromLongLong(dim.stride);
    if (!size || !stride) {
        Py_XDECREF(size);
        Py_XDECREF(stride);
        return -1;
    }
    return PyTuple_SetItem(made[0], at, size) | PyTuple_SetItem(made[1], at, stride);
}

/* Apply an int or a slice to a dimension. Return the elements before the first one of the view; -1 if the caller must
   decide, or with an error set. */
static int64_t select_part(struct dim *dim, PyObject *part)
{
    const int64_t size = dim->size, stride = dim->stride;
    Py_ssize_t from, to, step;
    if (PyLong_CheckExact(part)) {
        int overflow;
        const int64_t position = PyLong_AsLongLongAndOverflow(part, &overflow);
        if (overflow || position >= size || position < -size)
            return -1;
        return (position < 0 ? position + size : position) * stride;
    }
    if (!is_plain_slice(part) || PySlice_Unpack(part, &from, &to, &step) || step < 0)
        return -1;
    dim->size = PySlice_AdjustIndices(size, &from, &to, step);
    if (__builtin_mul_overflow(stride, step, &dim->stride) || (dim->size < 2 && dim->stride > INT64_MAX / 64))
        dim->stride = stride; /* of one element or none */
    return dim->size ? from * stride : 0;
}

/* Fill in the shape and the strides of the view. `further`: the dimensions that an ellipsis stands for. Return the
   elements before the first one; -1 as above. */
static int64_t find_dims(PyObject *const *made, PyObject *const *fields, PyObject *index, Py_ssize_t further)
{
    const Py_ssize_t parts = PyTuple_Size(index), ndim = PyTuple_Size(fields[0]);
    int64_t skipped = 0;
    for (Py_ssize_t i = 0, at = 0, own = 0; i <= parts; i++) {
        PyObject *part = i < parts ? PyTuple_GetItem(index, i) : Py_Ellipsis; /* at the end, of all that are left */
        if (part == Py_Ellipsis) {
            for (const Py_ssize_t end = i < parts ? own + further : ndim; own < end; own++)
                if (write_dim(made, at++, read_dim(fields, own)))
                    return -1;
            continue;
        }
        struct dim dim = own < ndim ? read_dim(fields, own) : (struct dim){1, 1};
        if (part == Py_None) {
            if (__builtin_mul_overflow(dim.size, dim.stride, &dim.stride))
                return -1;
            dim.size = 1;
        } else {
            const int64_t before = select_part(&dim, part);
            if (before < 0)
                return -1;
            skipped += before;
            own++;
        }
        if (!PyLong_CheckExact(part) && write_dim(made, at++, dim))
            return -1;
    }
    return skipped;
}

/* find_window(layout, index): see the table in module.c. */
PyObject *find_window(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    PyObject *fields[4], *made[2] = {NULL, NULL}, *layout = NULL, *window = NULL;
    if (count != 2 || !PyTuple_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "find_window: expected a layout and a tuple");
        return NULL;
    }
    const int64_t itemsize = read_layout(args[0], fields);
    if (itemsize < 0)
        return itemsize == -1 ? NULL : Py_NewRef(Py_None);
    Py_ssize_t further = PyTuple_Size(fields[0]), ndim = further, ellipses = 0;
    for (Py_ssize_t i = PyTuple_Size(args[1]) - 1; i >= 0; i--) {
        PyObject *part = PyTuple_GetItem(args[1], i);
        ellipses += part == Py_Ellipsis;
        further -= part != Py_None && part != Py_Ellipsis;
        ndim += (part == Py_None) - PyLong_CheckExact(part);
    }
    if (further >= 0 && ellipses < 2 && (made[0] = PyTuple_New(ndim)) && (made[1] = PyTuple_New(ndim))) {
        const int64_t skipped = find_dims(made, fields, args[1], further);
        PyObject *const given[] = {made[0], made[1], fields[2], fields[3]};
        layout = skipped < 0 ? NULL : find_layout(module, given, 4);
        if (layout && layout != Py_None)
            window = Py_BuildValue("(OL)", layout, (long long)(skipped * itemsize));
    }
    Py_XDECREF(layout);
    for (int i = 0; i < 4; i++)
        Py_DECREF(fields[i]);
    for (int i = 0; i < 2; i++)
        Py_XDECREF(made[i]);
    return window || PyErr_Occurred() ? window : Py_NewRef(Py_None);
}
