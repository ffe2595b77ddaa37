/* Export of memory through the buffer protocol, which Python 3.11 offers only to C. */
#include "checks.h"

typedef struct {
    PyObject_HEAD
    PyObject *owner;        /* keeps the memory alive */
    PyObject *released;     /* called without arguments after the last view is released */
    char *format;
    Py_ssize_t itemsize, bytes, ndim;
    int readonly, contiguous;
    void *address;
    Py_ssize_t *shape, *strides;    /* one allocation: ndim lengths, then ndim strides in bytes */
} Export;

static char nothing[64];    /* the address of an empty array */

static int read_lengths(PyObject *tuple, Py_ssize_t count, Py_ssize_t *into)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        if (!item)
            return -1;
        into[i] = PyLong_AsSsize_t(item);
        if (into[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

/* Compute the size in bytes and whether the elements are contiguous in row-major order; -1 if the size overflows. */
static int measure(Export *self)
{
    Py_ssize_t step = self->itemsize;   /* a length of 0 counts as 1 here, as in contiguous_strides */
    int empty = 0;
    self->contiguous = 1;
    for (Py_ssize_t i = self->ndim - 1; i >= 0; i--) {
        Py_ssize_t length = self->shape[i];
        if (length < 0)
            return -1;
        if (self->strides[i] != step && length != 1)
            self->contiguous = 0;
        empty |= !length;
        if (__builtin_mul_overflow(step, length ? length : 1, &step))
            return -1;
    }
    self->contiguous |= empty;
    self->bytes = empty ? 0 : step;
    return 0;
}

static PyObject *export_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *owner, *released, *shape, *strides;
    const char *format;
    long long address;
    Py_ssize_t itemsize;
    int readonly;
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Export: takes positional arguments only");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OOLsnO!O!p:Export", &owner, &released, &address, &format, &itemsize, &PyTuple_Type,
                          &shape, &PyTuple_Type, &strides, &readonly))
        return NULL;
    Py_ssize_t ndim = PyTuple_Size(shape);
    if (PyTuple_Size(strides) != ndim || ndim > MAX_DIMENSIONS || itemsize < 1) {
        PyErr_Format(PyExc_ValueError,
                     "Export: expected shape and strides of one length, at most %d, and a positive itemsize; "
                     "got %zd lengths, %zd strides, itemsize %zd",
                     MAX_DIMENSIONS, ndim, PyTuple_Size(strides), itemsize);
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Export *self = (Export *)allocate(type, 0);
    if (!self)
        return NULL;
    self->shape = malloc(sizeof(Py_ssize_t) * (2 * (size_t)ndim + 1));
    self->format = malloc(strlen(format) + 1);
    if (!self->shape || !self->format) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    strcpy(self->format, format);
    self->strides = self->shape + ndim;
    if (read_lengths(shape, ndim, self->shape) || read_lengths(strides, ndim, self->strides)) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    self->ndim = ndim;
    self->itemsize = itemsize;
    if (measure(self)) {
        PyErr_Format(PyExc_ValueError, "Export: no memory can have shape %R with elements of %zd bytes", shape,
                     itemsize);
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    self->readonly = readonly;
    self->address = address ? (void *)(intptr_t)address : nothing;
    Py_INCREF(owner);
    self->owner = owner;
    Py_INCREF(released);
    self->released = released;
    return (PyObject *)self;
}

static void export_dealloc(Export *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (self->released) {
        PyObject *kind, *value, *trace;
        PyErr_Fetch(&kind, &value, &trace);
        PyObject *result = PyObject_CallObject(self->released, NULL);
        if (result)
            Py_DECREF(result);
        else
            PyErr_WriteUnraisable(self->released);
        PyErr_Restore(kind, value, trace);
    }
    Py_XDECREF(self->released);
    Py_XDECREF(self->owner);
    free(self->shape);
    free(self->format);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

static int export_getbuffer(Export *self, Py_buffer *view, int flags)
{
    view->obj = NULL;
    if ((flags & PyBUF_WRITABLE) && self->readonly) {
        PyErr_SetString(PyExc_BufferError, "buffer: the memory is read-only; ask for a read-only view");
        return -1;
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !self->contiguous) {
        PyErr_SetString(PyExc_BufferError,
                        "buffer: the array is not contiguous; ask for strides or call .contiguous() first");
        return -1;
    }
    if (!self->contiguous && ((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                              (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS)) {
        PyErr_SetString(PyExc_BufferError, "buffer: the array is not C-contiguous; call .contiguous() first");
        return -1;
    }
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && (self->ndim > 1 || !self->contiguous)) {
        PyErr_SetString(PyExc_BufferError, "buffer: Fortran order is not exported; ask for C order or strides");
        return -1;
    }
    view->buf = self->address;
    view->len = self->bytes;
    view->itemsize = self->itemsize;
    view->readonly = self->readonly;
    view->format = (flags & PyBUF_FORMAT) ? self->format : NULL;
    view->ndim = (flags & PyBUF_ND) ? (int)self->ndim : 1;
    view->shape = (flags & PyBUF_ND) ? self->shape : NULL;
    view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->strides : NULL;
    view->suboffsets = NULL;
    view->internal = NULL;
    Py_INCREF((PyObject *)self);
    view->obj = (PyObject *)self;
    return 0;
}

static PyType_Slot export_slots[] = {
    {Py_tp_doc, "Export(owner, released, address, format, itemsize, shape, strides, readonly)\n\n"
                "Memory exported through the buffer protocol; strides in bytes. `released` is called after the last view "
                "is released."},
    {Py_tp_new, export_new},
    {Py_tp_dealloc, export_dealloc},
    {Py_bf_getbuffer, export_getbuffer},
    {0, NULL},
};
static PyType_Spec export_spec = {"facula_storage._bridge.Export", sizeof(Export), 0, Py_TPFLAGS_DEFAULT, export_slots};

int prepare_exports(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&export_spec);
    if (!type)
        return -1;
    int failed = PyModule_AddObjectRef(module, "Export", type);
    Py_DECREF(type);
    return failed;
}

/* The struct of NumPy's attribute `__array_struct__`; its documentation defines it and the flags. */
typedef struct {
    int two, nd;
    char typekind;
    int itemsize, flags;
    Py_intptr_t *shape, *strides;
    void *data;
} ArrayInterface;

enum { BEHAVED = 0x100 | 0x200 | 0x400 }; /* aligned, native byte order, writable */

/* Return the address of an array and a key of its dtype, shape and strides, or None for an array that is not behaved.
   The address does not keep the array alive. */
PyObject *describe_array(PyObject *module, PyObject *array)
{
    static PyObject *name;
    (void)module;
    if (!name && !(name = PyUnicode_InternFromString("__array_struct__")))
        return NULL;
    PyObject *capsule = PyObject_GetAttr(array, name);
    const ArrayInterface *found = capsule ? PyCapsule_GetPointer(capsule, NULL) : NULL;
    PyObject *result = NULL;
    if (found && ((found->flags & BEHAVED) != BEHAVED || found->nd > MAX_DIMENSIONS)) {
        result = Py_NewRef(Py_None);
    } else if (found) {
        Py_intptr_t key[2 * MAX_DIMENSIONS + 1] = {(Py_intptr_t)found->typekind << 32 | found->itemsize};
        const size_t lengths = sizeof *key * (size_t)found->nd;
        if (lengths) { /* otherwise both may be NULL */
            memcpy(key + 1, found->shape, lengths);
            memcpy(key + 1 + found->nd, found->strides, lengths);
        }
        PyObject *address = PyLong_FromVoidPtr(found->data);
        PyObject *bytes = PyBytes_FromStringAndSize((const char *)key, (Py_ssize_t)(sizeof *key + 2 * lengths));
        result = address && bytes ? PyTuple_Pack(2, address, bytes) : NULL;
        Py_XDECREF(address);
        Py_XDECREF(bytes);
    }
    Py_XDECREF(capsule);
    return result;
}

/* What the function of `array_sharer` needs, in this order; then the slots of storages and of tensors. */
enum { ARRAYS, LAYOUTS, EXTENT, STORAGES, TENSORS, RELEASE, PARTS };
enum { OF_STORAGES = 5, OF_TENSORS = 4, SHARED = PARTS + OF_STORAGES + OF_TENSORS };

/* Return a new instance with these values in its slots. */
static PyObject *filled(PyObject *kind, PyObject *const *slots, PyObject *const *values, int count)
{
    PyObject *made = PyType_GenericAlloc((PyTypeObject *)kind, 0);
    for (int i = 0; made && i < count; i++)
        if (set_slot(slots[i], made, values[i]))
            Py_CLEAR(made);
    return made;
}

static PyObject *share_array(PyObject *self, PyObject *array)
{
    static PyObject *zero;
    PyObject *parts[SHARED], *storage = NULL, *tensor = NULL;
    for (int i = 0; i < SHARED; i++)
        parts[i] = PyTuple_GetItem(self, i);
    if ((PyObject *)Py_TYPE(array) != parts[ARRAYS])
        Py_RETURN_NONE;
    if (!zero && !(zero = PyLong_FromLong(0)))
        return NULL;
    PyObject *described = describe_array(NULL, array);
    if (!described || described == Py_None)
        return described;
    PyObject *layout = PyDict_GetItemWithError(parts[LAYOUTS], PyTuple_GetItem(described, 1));
    PyObject *extent = layout ? get_slot(parts[EXTENT], layout, NULL) : NULL;
    if (extent) {
        PyObject *of_storage[OF_STORAGES] = {PyTuple_GetItem(described, 0), parts[RELEASE], zero, array, extent};
        storage = filled(parts[STORAGES], parts + PARTS, of_storage, OF_STORAGES);
    }
    if (storage) {
        PyObject_GC_UnTrack(storage); /* no cycle that the collector sees leads through it: arrays are not tracked */
        PyObject *of_tensor[OF_TENSORS] = {layout, storage, zero, Py_None};
        tensor = filled(parts[TENSORS], parts + PARTS + OF_STORAGES, of_tensor, OF_TENSORS);
    }
    Py_XDECREF(storage);
    Py_XDECREF(extent);
    Py_DECREF(described);
    return tensor || PyErr_Occurred() ? tensor : Py_NewRef(Py_None);
}

static PyMethodDef share_array_definition = {"share_array", share_array, METH_O,
                                             "share_array(array) -> tensor, or None if its layout is not known"};

PyObject *array_sharer(PyObject *module, PyObject *parts)
{
    (void)module;
    int is_good = PyTuple_Check(parts) && PyTuple_Size(parts) == SHARED && PyDict_Check(PyTuple_GetItem(parts, LAYOUTS));
    for (int i = STORAGES; is_good && i <= TENSORS; i++) {
        PyObject *kind = PyTuple_GetItem(parts, i);
        is_good = PyType_Check(kind) && PyType_GetFlags((PyTypeObject *)kind) & Py_TPFLAGS_HEAPTYPE;
    }
    for (int i = PARTS; is_good && i < SHARED; i++)
        is_good = Py_TYPE(PyTuple_GetItem(parts, i)) == Py_TYPE(PyTuple_GetItem(parts, EXTENT));
    if (!is_good || !use_slots_like(Py_TYPE(PyTuple_GetItem(parts, EXTENT)))) {
        PyErr_SetString(PyExc_TypeError, "array_sharer: expected classes, a dict of layouts and descriptors of slots");
        return NULL;
    }
    return PyCFunction_NewEx(&share_array_definition, parts, NULL);
}
