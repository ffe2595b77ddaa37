/* Comparisons by value that run no user code: only of exact types, and of memory. */
#include "checks.h"

enum { MAX_DEPTH = 16, MAX_COMPARISONS = 1 << 20 }; /* of nested tuples */
enum { NUMBERS = 4 + 2 * MAX_DIMENSIONS, MAX_FORMAT = 256 };

PyObject *absent, *any;
static PyTypeObject *scalar, *structured;    /* NumPy's scalars, and mutable ones with fields */
static void *exporters[4]; /* buffer functions of types whose exporters are C code */

int prepare_comparisons(PyObject *module)
{
    static const char *const names[4][2] = {
        {"builtins", "bytearray"}, {"builtins", "bytes"}, {"array", "array"}, {"numpy", "ndarray"}};
    for (int i = 0; i < 4; i++) {
        PyObject *from = PyImport_ImportModule(names[i][0]);
        PyObject *type = from ? PyObject_GetAttrString(from, names[i][1]) : NULL;
        if (type)
            exporters[i] = PyType_GetSlot((PyTypeObject *)type, Py_bf_getbuffer);
        if (i == 3 && type) {
            scalar = (PyTypeObject *)PyObject_GetAttrString(from, "generic");
            structured = (PyTypeObject *)PyObject_GetAttrString(from, "void");
        }
        Py_XDECREF(type);
        Py_XDECREF(from);
        if (!exporters[i])
            return -1;
    }
    absent = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    any = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type);
    if (!scalar || !structured || !absent || !any)
        return -1;
    return PyModule_AddObjectRef(module, "ABSENT", absent) || PyModule_AddObjectRef(module, "ANY", any) ? -1 : 0;
}

static int same_bits(double found, double expected) /* 0.0 differs from -0.0, and NaN equals NaN */
{
    return memcmp(&found, &expected, sizeof found) == 0;
}

/* Compare two NumPy scalars of one type, which are immutable. */
static int same_scalar(PyObject *found, PyObject *expected)
{
    Py_buffer first, second;
    if (PyObject_GetBuffer(found, &first, PyBUF_SIMPLE)) {
        PyErr_Clear();
        return 0;
    }
    if (PyObject_GetBuffer(expected, &second, PyBUF_SIMPLE)) {
        PyErr_Clear();
        PyBuffer_Release(&first);
        return 0;
    }
    const int equal = first.len == second.len && memcmp(first.buf, second.buf, (size_t)first.len) == 0;
    PyBuffer_Release(&first);
    PyBuffer_Release(&second);
    return equal;
}

static int same_value(PyObject *found, PyObject *expected, int depth, int *left)
{
    if (found == expected)
        return 1;
    PyTypeObject *type = Py_TYPE(found);
    if (type != Py_TYPE(expected) || depth > MAX_DEPTH || --*left < 0)
        return 0;
    if (type == &PyFloat_Type)
        return same_bits(PyFloat_AsDouble(found), PyFloat_AsDouble(expected));
    if (type == &PyComplex_Type)
        return same_bits(PyComplex_RealAsDouble(found), PyComplex_RealAsDouble(expected)) &&
               same_bits(PyComplex_ImagAsDouble(found), PyComplex_ImagAsDouble(expected));
    if (type == &PyLong_Type || type == &PyUnicode_Type || type == &PyBytes_Type) {
        const int equal = PyObject_RichCompareBool(found, expected, Py_EQ);
        if (equal < 0)
            PyErr_Clear();
        return equal > 0;
    }
    if (type == &PyTuple_Type) {
        const Py_ssize_t size = PyTuple_Size(found);
        if (size != PyTuple_Size(expected))
            return 0;
        for (Py_ssize_t i = 0; i < size; i++)
            if (!same_value(PyTuple_GetItem(found, i), PyTuple_GetItem(expected, i), depth + 1, left))
                return 0;
        return 1;
    }
    if (!(PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE) && PyType_IsSubtype(type, scalar) && !PyType_IsSubtype(type, structured))
        return same_scalar(found, expected);
    return 0;
}

int same(PyObject *found, PyObject *expected)
{
    int left = MAX_COMPARISONS;
    return found == expected || (found && expected && same_value(found, expected, 0, &left));
}

/* The table of layouts is bounded: an evicted layout and a later one of the same shape are different objects. */
int same_layout(const Slots *slots, PyObject *found, PyObject *expected)
{
    if (found == expected)
        return 1;
    PyTypeObject *type = slots->kinds[SLOT_SHAPE];
    if (!found || !expected || Py_TYPE(found) != type || Py_TYPE(expected) != type)
        return 0;
    for (int i = SLOT_SHAPE; i < SLOTS; i++) {
        PyObject *one = slot_value(slots, i, found), *other = slot_value(slots, i, expected);
        if (!one || (i == SLOT_SHAPE || i == SLOT_STRIDES ? !same(one, other) : one != other))
            return 0;
    }
    return 1;
}

/* Copy the memory of an exported buffer in row-major order to `*at`, or compare it with the memory there. */
static int copy_or_compare(const Py_buffer *view, int dimension, const char *from, char **at, int copies)
{
    if (dimension == view->ndim) {
        const int equal = copies || memcmp(*at, from, (size_t)view->itemsize) == 0;
        if (copies)
            memcpy(*at, from, (size_t)view->itemsize);
        *at += view->itemsize;
        return equal;
    }
    for (Py_ssize_t i = 0; i < view->shape[dimension]; i++)
        if (!copy_or_compare(view, dimension + 1, from + i * view->strides[dimension], at, copies))
            return 0;
    return 1;
}

static int get_buffer(PyObject *holder, Py_buffer *view)
{
    const void *exporter = PyType_GetSlot(Py_TYPE(holder), Py_bf_getbuffer);
    int known = 0;
    for (int i = 0; i < 4; i++)
        known |= exporter == exporters[i];
    if (!known) {
        PyErr_SetString(PyExc_TypeError, "snapshot_bytes: expected a bytearray, an array.array or a numpy.ndarray");
        return -1;
    }
    if (PyObject_GetBuffer(holder, view, PyBUF_RECORDS_RO))
        return -1;
    const char *format = view->format ? view->format : "B";
    if (view->ndim > MAX_DIMENSIONS || strlen(format) >= MAX_FORMAT || strchr(format, 'O')) {
        PyBuffer_Release(view);
        PyErr_SetString(PyExc_TypeError, "snapshot_bytes: expected elements that are no objects, of a short format");
        return -1;
    }
    return 0;
}

/* Describe a buffer by numbers and its format, and return the length of the description in bytes. */
static size_t describe(const Py_buffer *view, char *into)
{
    const char *format = view->format ? view->format : "B";
    int64_t numbers[NUMBERS] = {(int64_t)strlen(format), view->itemsize, view->readonly, view->ndim};
    for (int i = 0; i < view->ndim; i++) {
        numbers[4 + i] = view->shape[i];
        numbers[4 + view->ndim + i] = view->strides[i];
    }
    const size_t length = sizeof *numbers * (size_t)(4 + 2 * view->ndim);
    memcpy(into, numbers, length);
    memcpy(into + length, format, strlen(format));
    return length + strlen(format);
}

enum { MAX_DESCRIPTION = NUMBERS * sizeof(int64_t) + MAX_FORMAT };

PyObject *snapshot_bytes(PyObject *module, PyObject *holder)
{
    (void)module;
    Py_buffer view;
    char description[MAX_DESCRIPTION];
    if (get_buffer(holder, &view))
        return NULL;
    const size_t length = describe(&view, description);
    PyObject *made = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)length + view.len);
    if (made) {
        char *at = PyBytes_AsString(made);
        memcpy(at, description, length);
        at += length;
        if (!PyBuffer_IsContiguous(&view, 'C'))
            copy_or_compare(&view, 0, view.buf, &at, 1);
        else if (view.len)
            memcpy(at, view.buf, (size_t)view.len);
    }
    PyBuffer_Release(&view);
    return made;
}

int has_bytes(PyObject *holder, PyObject *expected)
{
    Py_buffer view;
    char description[MAX_DESCRIPTION];
    if (get_buffer(holder, &view)) {
        PyErr_Clear();
        return 0;
    }
    const size_t length = describe(&view, description);
    char *at = PyBytes_AsString(expected);
    int equal = PyBytes_Size(expected) == (Py_ssize_t)length + view.len && memcmp(at, description, length) == 0;
    at += length;
    if (equal && view.len)
        equal = PyBuffer_IsContiguous(&view, 'C') ? memcmp(at, view.buf, (size_t)view.len) == 0
                                                  : copy_or_compare(&view, 0, view.buf, &at, 0);
    PyBuffer_Release(&view);
    return equal;
}
