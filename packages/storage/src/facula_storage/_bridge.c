/* Where Python objects and raw memory meet: the launcher through which kernels are called, and the two exports that
   Python 3.11 offers to C alone (buffer protocol, DLPack). Limited API: one binary serves every Python from 3.11 on. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- launching
   A kernel returns 0, or a status with details in args[0..3]; it never raises. See Note [Launch] in _plans.py. */
typedef int64_t (*Kernel)(const void *plan, int64_t *args);

enum { MOST_ARGUMENTS = 24 };

typedef struct {
    Kernel kernel;
    const void *plan;
    int64_t release_at;     /* give the GIL away from this many elements on */
    uint64_t doubles;       /* bit i: argument i is a double */
    PyObject *owner;        /* keeps the plan's memory alive */
} Launch;

static PyObject *LaunchError;

static PyObject *raise_status(int64_t status, const int64_t *details)
{
    PyObject *values = Py_BuildValue("(LLLLL)", (long long)status, (long long)details[0], (long long)details[1],
                                     (long long)details[2], (long long)details[3]);
    if (values) {
        PyErr_SetObject(LaunchError, values);
        Py_DECREF(values);
    }
    return NULL;
}

static PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const Launch *launch = PyCapsule_GetPointer(self, NULL);
    int64_t values[MOST_ARGUMENTS];
    if (count < 1 || count > MOST_ARGUMENTS) {
        PyErr_Format(PyExc_TypeError, "launch: expected 1 to %d arguments; got %zd", MOST_ARGUMENTS, count);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        if (launch->doubles >> i & 1) {
            double value = PyFloat_AsDouble(args[i]);
            if (value == -1.0 && PyErr_Occurred())
                return NULL;
            memcpy(&values[i], &value, sizeof value);
        } else {
            values[i] = PyLong_AsLongLong(args[i]);
            if (values[i] == -1 && PyErr_Occurred())
                return NULL;
        }
    }
    int64_t status;
    if (values[0] >= launch->release_at) {
        PyThreadState *state = PyEval_SaveThread();
        status = launch->kernel(launch->plan, values);
        PyEval_RestoreThread(state);
    } else {
        status = launch->kernel(launch->plan, values);
    }
    if (status)
        return raise_status(status, values);
    Py_INCREF(Py_None);
    return Py_None;
}

static PyMethodDef launch_definition = {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL,
                                        "launch(n, *addresses, *scalars) -> None"};

static void forget_launch(PyObject *capsule)
{
    Launch *launch = PyCapsule_GetPointer(capsule, NULL);
    Py_DECREF(launch->owner);
    free(launch);
}

static PyObject *bind(PyObject *module, PyObject *args)
{
    long long kernel, plan, release_at;
    unsigned long long doubles;
    PyObject *owner;
    if (!PyArg_ParseTuple(args, "LLLKO:bind", &kernel, &plan, &release_at, &doubles, &owner))
        return NULL;
    if (!kernel) {
        PyErr_SetString(PyExc_ValueError, "bind: the kernel's address is 0");
        return NULL;
    }
    Launch *made = malloc(sizeof *made);
    if (!made)
        return PyErr_NoMemory();
    *made = (Launch){(Kernel)(intptr_t)kernel, (const void *)(intptr_t)plan, release_at, doubles, owner};
    PyObject *capsule = PyCapsule_New(made, NULL, forget_launch);
    if (!capsule) {
        free(made);
        return NULL;
    }
    Py_INCREF(owner);
    PyObject *function = PyCFunction_NewEx(&launch_definition, capsule, NULL);
    Py_DECREF(capsule);
    (void)module;
    return function;
}

/* ---------------------------------------------------------------------------------------------- buffer protocol */
typedef struct {
    PyObject_HEAD
    PyObject *owner;        /* keeps the memory alive */
    PyObject *released;     /* called without arguments when the last view is gone */
    char *format;
    Py_ssize_t itemsize, bytes, ndim;
    int readonly, contiguous;
    void *address;
    Py_ssize_t *shape, *strides;    /* one block: ndim lengths, then ndim strides in bytes */
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

static PyObject *export_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *owner, *released, *shape, *strides;
    const char *format;
    long long address;
    Py_ssize_t itemsize;
    int readonly;
    (void)keywords;
    if (!PyArg_ParseTuple(args, "OOLsnO!O!p:Export", &owner, &released, &address, &format, &itemsize, &PyTuple_Type,
                          &shape, &PyTuple_Type, &strides, &readonly))
        return NULL;
    Py_ssize_t ndim = PyTuple_Size(shape);
    if (PyTuple_Size(strides) != ndim) {
        PyErr_SetString(PyExc_ValueError, "Export: shape and strides must be equally long");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Export *self = (Export *)allocate(type, 0);
    if (!self)
        return NULL;
    self->shape = malloc(sizeof(Py_ssize_t) * (2 * (size_t)ndim + 1));
    self->format = malloc(strlen(format) + 1);
    if (!self->shape || !self->format) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    strcpy(self->format, format);
    self->strides = self->shape + ndim;
    if (read_lengths(shape, ndim, self->shape) || read_lengths(strides, ndim, self->strides)) {
        Py_DECREF(self);
        return NULL;
    }
    self->ndim = ndim;
    self->itemsize = itemsize;
    self->bytes = itemsize;
    for (Py_ssize_t i = 0; i < ndim; i++)
        self->bytes *= self->shape[i];
    self->contiguous = 1;
    for (Py_ssize_t i = ndim - 1, step = itemsize; i >= 0; step *= self->shape[i], i--)
        if (self->strides[i] != step && self->shape[i] != 1 && self->bytes)
            self->contiguous = 0;
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
    PyTypeObject *type = Py_TYPE(self);
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
    Py_DECREF(type);
}

static int export_getbuffer(Export *self, Py_buffer *view, int flags)
{
    view->obj = NULL;
    if ((flags & PyBUF_WRITABLE) && self->readonly) {
        PyErr_SetString(PyExc_BufferError, "the memory is read-only");
        return -1;
    }
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !self->contiguous) {
        PyErr_SetString(PyExc_BufferError, "the array is not contiguous; ask for strides or call .contiguous() first");
        return -1;
    }
    if (((flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS || (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS) &&
        !self->contiguous) {
        PyErr_SetString(PyExc_BufferError, "the array is not C-contiguous; call .contiguous() first");
        return -1;
    }
    if ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && self->ndim > 1) {
        PyErr_SetString(PyExc_BufferError, "Fortran order is not exported");
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
    Py_INCREF(self);
    view->obj = (PyObject *)self;
    return 0;
}

static PyType_Slot export_slots[] = {
    {Py_tp_doc, "Export(owner, released, address, format, itemsize, shape, strides, readonly)\n\n"
                "Memory shown through the buffer protocol; strides in bytes. `released` is called when the last view "
                "is gone."},
    {Py_tp_new, export_new},
    {Py_tp_dealloc, export_dealloc},
    {Py_bf_getbuffer, export_getbuffer},
    {0, NULL},
};
static PyType_Spec export_spec = {"facula_storage._bridge.Export", sizeof(Export), 0, Py_TPFLAGS_DEFAULT, export_slots};

/* -------------------------------------------------------------------------------------------------------- DLPack
   Structures of the DLPack specification, versions 0.8 (unversioned) and 1.0 (versioned).
   https://dmlc.github.io/dlpack/latest/c_api.html */
typedef struct { int32_t type, id; } DLDevice;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct {
    void *data;
    DLDevice device;
    int32_t ndim;
    DLDataType dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} DLTensor;
typedef struct DLManagedTensor {
    DLTensor tensor;
    void *context;
    void (*deleter)(struct DLManagedTensor *);
} DLManagedTensor;
typedef struct DLManagedTensorVersioned {
    struct { uint32_t major, minor; } version;
    void *context;
    void (*deleter)(struct DLManagedTensorVersioned *);
    uint64_t flags;
    DLTensor tensor;
} DLManagedTensorVersioned;

static const char *const FRESH[2] = {"dltensor", "dltensor_versioned"};
static const char *const USED[2] = {"used_dltensor", "used_dltensor_versioned"};

static void drop_owner(void *owner)
{
    if (!Py_IsInitialized())
        return;             /* the consumer outlives the interpreter: its memory goes with the process */
    PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF((PyObject *)owner);
    PyGILState_Release(state);
}

static void delete_plain(DLManagedTensor *managed)
{
    drop_owner(managed->context);
    free(managed->tensor.shape);
    free(managed);
}

static void delete_versioned(DLManagedTensorVersioned *managed)
{
    drop_owner(managed->context);
    free(managed->tensor.shape);
    free(managed);
}

static void delete_managed(void *managed, int versioned)
{
    if (versioned) {
        DLManagedTensorVersioned *m = managed;
        if (m->deleter)
            m->deleter(m);
    } else {
        DLManagedTensor *m = managed;
        if (m->deleter)
            m->deleter(m);
    }
}

/* The producer's capsule was never consumed: give the memory back. */
static void forget_capsule(PyObject *capsule)
{
    for (int versioned = 0; versioned < 2; versioned++)
        if (PyCapsule_IsValid(capsule, FRESH[versioned]))
            delete_managed(PyCapsule_GetPointer(capsule, FRESH[versioned]), versioned);
}

static PyObject *dlpack_export(PyObject *module, PyObject *args)
{
    PyObject *owner, *shape, *strides;
    long long address;
    int device_type, device_id, code, bits, versioned, readonly;
    (void)module;
    if (!PyArg_ParseTuple(args, "OLiiiiO!O!pp:dlpack_export", &owner, &address, &device_type, &device_id, &code, &bits,
                          &PyTuple_Type, &shape, &PyTuple_Type, &strides, &versioned, &readonly))
        return NULL;
    Py_ssize_t ndim = PyTuple_Size(shape);
    int64_t *lengths = malloc(sizeof(int64_t) * (2 * (size_t)ndim + 1));
    void *managed = calloc(1, versioned ? sizeof(DLManagedTensorVersioned) : sizeof(DLManagedTensor));
    if (!lengths || !managed) {
        free(lengths);
        free(managed);
        return PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; i < ndim; i++) {
        lengths[i] = PyLong_AsLongLong(PyTuple_GetItem(shape, i));
        lengths[ndim + i] = PyLong_AsLongLong(PyTuple_GetItem(strides, i));
    }
    DLTensor tensor = {(void *)(intptr_t)address, {device_type, device_id}, (int32_t)ndim,
                       {(uint8_t)code, (uint8_t)bits, 1}, lengths, lengths + ndim, 0};
    if (versioned) {
        DLManagedTensorVersioned *m = managed;
        m->version.major = 1;
        m->deleter = delete_versioned;
        m->context = owner;
        m->flags = readonly ? 1 : 0;
        m->tensor = tensor;
    } else {
        DLManagedTensor *m = managed;
        m->deleter = delete_plain;
        m->context = owner;
        m->tensor = tensor;
    }
    PyObject *capsule = PyErr_Occurred() ? NULL : PyCapsule_New(managed, FRESH[versioned], forget_capsule);
    if (!capsule) {
        free(lengths);
        free(managed);
        return NULL;
    }
    Py_INCREF(owner);
    return capsule;
}

static void forget_guard(PyObject *guard)
{
    void *managed = PyCapsule_GetPointer(guard, NULL);
    delete_managed(managed, PyCapsule_GetContext(guard) != NULL);
}

/* (address, device type, device id, code, bits, lanes, shape, strides or None, byte offset, readonly, guard).
   The memory lives as long as the guard. */
static PyObject *dlpack_import(PyObject *module, PyObject *capsule)
{
    (void)module;
    int versioned = PyCapsule_IsValid(capsule, FRESH[1]);
    if (!versioned && !PyCapsule_IsValid(capsule, FRESH[0])) {
        PyErr_SetString(PyExc_BufferError, PyCapsule_IsValid(capsule, USED[0]) || PyCapsule_IsValid(capsule, USED[1])
                                               ? "from_dlpack: this capsule was consumed before; ask its producer for a new one"
                                               : "from_dlpack: not a DLPack capsule");
        return NULL;
    }
    void *managed = PyCapsule_GetPointer(capsule, FRESH[versioned]);
    if (versioned && ((DLManagedTensorVersioned *)managed)->version.major != 1) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: DLPack version %u is not known; version 1 is",
                     ((DLManagedTensorVersioned *)managed)->version.major);
        return NULL;
    }
    const DLTensor *t = versioned ? &((DLManagedTensorVersioned *)managed)->tensor : &((DLManagedTensor *)managed)->tensor;
    int readonly = versioned && (((DLManagedTensorVersioned *)managed)->flags & 1);
    if (t->ndim < 0 || t->ndim > 64) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: %d dimensions; at most 64 can be used", (int)t->ndim);
        return NULL;
    }
    PyObject *shape = PyTuple_New(t->ndim), *strides = t->strides ? PyTuple_New(t->ndim) : Py_None;
    if (!t->strides)
        Py_INCREF(Py_None);
    if (!shape || !strides)
        goto fail;
    for (int i = 0; i < t->ndim; i++) {
        PyTuple_SetItem(shape, i, PyLong_FromLongLong(t->shape[i]));
        if (t->strides)
            PyTuple_SetItem(strides, i, PyLong_FromLongLong(t->strides[i]));
    }
    PyObject *guard = PyCapsule_New(managed, NULL, forget_guard);
    if (!guard)
        goto fail;
    PyCapsule_SetContext(guard, versioned ? managed : NULL);
    PyCapsule_SetName(capsule, USED[versioned]);
    return Py_BuildValue("(LiiiiiNNKON)", (long long)(intptr_t)t->data, (int)t->device.type, (int)t->device.id,
                         (int)t->dtype.code, (int)t->dtype.bits, (int)t->dtype.lanes, shape, strides,
                         (unsigned long long)t->byte_offset, readonly ? Py_True : Py_False, guard);
fail:
    Py_XDECREF(shape);
    Py_XDECREF(strides);
    return NULL;
}

/* -------------------------------------------------------------------------------------------------------- module */
static PyMethodDef methods[] = {
    {"bind", bind, METH_VARARGS,
     "bind(kernel, plan, release_at, doubles, owner) -> launch\n\nA callable that runs the kernel at that address."},
    {"dlpack_export", dlpack_export, METH_VARARGS, "A DLPack capsule over memory that `owner` keeps alive."},
    {"dlpack_import", dlpack_import, METH_O, "What a DLPack capsule says, and a guard that keeps its memory alive."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_bridge",
                                        "Kernel launcher, buffer and DLPack exports.", -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__bridge(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    LaunchError = PyErr_NewExceptionWithDoc("facula_storage.LaunchError",
                                            "A kernel refused its arguments: (status, detail, detail, detail, detail).",
                                            PyExc_RuntimeError, NULL);
    PyObject *type = PyType_FromSpec(&export_spec);
    if (!LaunchError || !type || PyModule_AddObjectRef(module, "LaunchError", LaunchError) ||
        PyModule_AddObjectRef(module, "Export", type))
        return NULL;
    Py_XDECREF(type);
    return module;
}
