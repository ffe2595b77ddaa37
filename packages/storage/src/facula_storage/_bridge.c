/* Where Python objects and raw memory meet: the launcher through which kernels are called, and the two exports that
   Python 3.11 offers to C alone (buffer protocol, DLPack). Limited API: one binary serves every Python from 3.11 on. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------------------- launching
   A kernel returns 0, or a status with details in args[0..3]; it never raises. See Note [Launch] in _plans.py. */
typedef int64_t (*Kernel)(const void *plan, int64_t *args);

enum { FEW_ARGUMENTS = 24, MOST_DIMENSIONS = 64 };

typedef struct {
    Kernel kernel;
    const void *plan;
    int64_t release_at;     /* give the GIL away from this many elements on */
    Py_ssize_t least, most; /* how many arguments the kernel reads: unequal where nobody said */
    uint64_t doubles;       /* bit i: argument i is a double; none is after the first 64 */
    PyObject *owner;        /* keeps the plan's memory alive */
} Launch;

/* Fills `into` with the plan for these lengths and strides (see `rebind`), made after `plan`, and gives the number of
   elements from which to give the GIL away; negative where there is no such plan. Where `into` is NULL it gives the number
   of bytes that the plan takes. */
typedef int64_t (*Shaper)(void *into, const void *plan, int64_t ndim, const int64_t *shape, const int64_t *strides);

static PyObject *LaunchError;

static void raise_status(int64_t status, const int64_t *details)
{
    PyObject *values = Py_BuildValue("(LLLLL)", (long long)status, (long long)details[0], (long long)details[1],
                                     (long long)details[2], (long long)details[3]);
    if (values) {
        PyErr_SetObject(LaunchError, values);
        Py_DECREF(values);
    }
}

static PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const Launch *launch = PyCapsule_GetPointer(self, NULL);
    int64_t few[FEW_ARGUMENTS], *values = few, status;
    PyObject *result = NULL;
    if (count < launch->least || count > launch->most) {
        if (launch->most == PY_SSIZE_T_MAX)
            PyErr_Format(PyExc_TypeError, "launch: expected at least %zd arguments; got %zd", launch->least, count);
        else
            PyErr_Format(PyExc_TypeError, "launch: expected %zd to %zd arguments; got %zd", launch->least,
                         launch->most, count);
        return NULL;
    }
    if (count > FEW_ARGUMENTS && !(values = malloc(sizeof *values * (size_t)count)))
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++) {
        if (i < 64 && launch->doubles >> i & 1) {
            double value = PyFloat_AsDouble(args[i]);
            if (value == -1.0 && PyErr_Occurred())
                goto done;
            memcpy(&values[i], &value, sizeof value);
        } else {
            values[i] = PyLong_AsLongLong(args[i]);
            if (values[i] == -1 && PyErr_Occurred())
                goto done;
        }
    }
    if (values[0] >= launch->release_at) {
        PyThreadState *state = PyEval_SaveThread();
        status = launch->kernel(launch->plan, values);
        PyEval_RestoreThread(state);
    } else {
        status = launch->kernel(launch->plan, values);
    }
    if (status) {
        raise_status(status, values);
    } else {
        Py_INCREF(Py_None);
        result = Py_None;
    }
done:
    if (values != few)
        free(values);
    return result;
}

static PyMethodDef launch_definition = {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL,
                                        "launch(n, *addresses, *scalars) -> None"};

static void forget_launch(PyObject *capsule)
{
    Launch *launch = PyCapsule_GetPointer(capsule, NULL);
    Py_DECREF(launch->owner);
    free(launch);
}

/* The callable of a launch, which is freed with it. */
static PyObject *function_of(Launch *made)
{
    PyObject *capsule = PyCapsule_New(made, NULL, forget_launch);
    if (!capsule) {
        free(made);
        return NULL;
    }
    Py_INCREF(made->owner);
    PyObject *function = PyCFunction_NewEx(&launch_definition, capsule, NULL);
    Py_DECREF(capsule);
    return function;
}

static PyObject *bind(PyObject *module, PyObject *args)
{
    long long kernel, plan, release_at;
    unsigned long long doubles;
    PyObject *owner;
    int count = 0;
    if (!PyArg_ParseTuple(args, "LLLKO|i:bind", &kernel, &plan, &release_at, &doubles, &owner, &count))
        return NULL;
    if (!kernel) {
        PyErr_SetString(PyExc_ValueError, "bind: the kernel's address is 0");
        return NULL;
    }
    Launch *made = malloc(sizeof *made);
    if (!made)
        return PyErr_NoMemory();
    *made = (Launch){(Kernel)(intptr_t)kernel, (const void *)(intptr_t)plan, release_at, 1, FEW_ARGUMENTS, doubles,
                     owner};
    if (count) {
        made->least = count > 0 ? count : -(Py_ssize_t)count;
        made->most = count > 0 ? count : PY_SSIZE_T_MAX;
    }
    (void)module;
    return function_of(made);
}

static PyObject *name_shape, *name_strides; /* interned: a layout's attributes */

/* Of each layout: the attribute, a tuple of ndim integers at most, into the last places of `into`. */
static int read_last(PyObject *layout, PyObject *attribute, Py_ssize_t ndim, int64_t *into, Py_ssize_t *given)
{
    PyObject *tuple = PyObject_GetAttr(layout, attribute);
    if (!tuple)
        return -1;
    const Py_ssize_t count = *given = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < count && count <= ndim; i++)
        into[ndim - count + i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    Py_DECREF(tuple);
    return PyErr_Occurred() ? -1 : 0;
}

/* The strides of a layout along the dimensions of `shape`, 0 where it broadcasts. 1 where it does not, -1 for an error. */
static int read_strides(PyObject *layout, Py_ssize_t ndim, const int64_t *shape, int64_t *strides)
{
    int64_t sizes[MOST_DIMENSIONS];
    Py_ssize_t count, again;
    if (read_last(layout, name_shape, ndim, sizes, &count) || read_last(layout, name_strides, ndim, strides, &again))
        return -1;
    if (count > ndim || count != again)
        return 1;
    for (Py_ssize_t i = 0; i < ndim; i++) {
        if (i < ndim - count || (sizes[i] == 1 && shape[i] != 1))
            strides[i] = 0;
        else if (sizes[i] != shape[i])
            return 1;
    }
    return 0;
}

/* rebind(launch, shaper, output, *inputs): what `launch` runs, with its plan made for other layouts. */
static PyObject *rebind(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    enum { MOST_LAYOUTS = 8 };
    int64_t shape[MOST_DIMENSIONS], strides[MOST_LAYOUTS * MOST_DIMENSIONS];
    Py_ssize_t ndim;
    (void)module;
    if (count < 3 || count > 2 + MOST_LAYOUTS || !PyCFunction_Check(args[0]) ||
        PyCFunction_GetFunction(args[0]) != launch_definition.ml_meth) {
        PyErr_SetString(PyExc_TypeError, "rebind: expected a launch, an address, an output layout and up to 7 others");
        return NULL;
    }
    const Launch *old = PyCapsule_GetPointer(PyCFunction_GetSelf(args[0]), NULL);
    const Shaper shaper = (Shaper)(intptr_t)PyLong_AsLongLong(args[1]);
    if (!old || !shaper || PyErr_Occurred() || read_last(args[2], name_shape, MOST_DIMENSIONS, shape, &ndim))
        return NULL;
    if (ndim > MOST_DIMENSIONS)
        Py_RETURN_NONE;
    memmove(shape, shape + MOST_DIMENSIONS - ndim, sizeof *shape * (size_t)ndim);
    for (Py_ssize_t i = 0; i < count - 2; i++) { /* inputs, then the output */
        int misfit = read_strides(args[i + 3 < count ? i + 3 : 2], ndim, shape, strides + i * ndim);
        if (misfit < 0)
            return NULL;
        if (misfit)
            Py_RETURN_NONE;
    }
    const size_t before = (sizeof(Launch) + 63) / 64 * 64;
    const int64_t bytes = shaper(NULL, old->plan, ndim, shape, strides);
    if (bytes < 0)
        Py_RETURN_NONE;
    Launch *made = malloc(before + (size_t)bytes);
    if (!made)
        return PyErr_NoMemory();
    *made = *old;
    made->plan = (char *)made + before;
    made->release_at = shaper((char *)made + before, old->plan, ndim, shape, strides);
    if (made->release_at < 0) {
        free(made);
        Py_RETURN_NONE;
    }
    return function_of(made);
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

/* Size in bytes, and whether the elements lie in row-major order without gaps; -1 where no memory can be so. */
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
    if (PyTuple_Size(strides) != ndim || ndim > MOST_DIMENSIONS || itemsize < 1) {
        PyErr_Format(PyExc_ValueError,
                     "Export: expected shape and strides of one length, at most %d, and a positive itemsize; "
                     "got %zd lengths, %zd strides, itemsize %zd",
                     MOST_DIMENSIONS, ndim, PyTuple_Size(strides), itemsize);
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

/* The fresh capsule's managed tensor and whether it is the versioned kind; NULL with an error set for anything else. */
static void *open_capsule(PyObject *capsule, int *versioned)
{
    if (!PyCapsule_CheckExact(capsule)) {
        PyErr_Format(PyExc_TypeError, "from_dlpack: expected an object with __dlpack__, or a DLPack capsule; got %R",
                     (PyObject *)Py_TYPE(capsule));
        return NULL;
    }
    *versioned = PyCapsule_IsValid(capsule, FRESH[1]);
    if (*versioned || PyCapsule_IsValid(capsule, FRESH[0]))
        return PyCapsule_GetPointer(capsule, FRESH[*versioned]);
    int used = PyCapsule_IsValid(capsule, USED[0]) || PyCapsule_IsValid(capsule, USED[1]);
    PyErr_SetString(PyExc_BufferError, used
                                           ? "from_dlpack: this capsule was consumed before; ask its producer for another"
                                           : "from_dlpack: a capsule, but not a DLPack one");
    return NULL;
}

static PyObject *lengths_tuple(const int64_t *lengths, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *item = PyLong_FromLongLong(lengths[i]);
        if (!item || PyTuple_SetItem(tuple, i, item))   /* SetItem takes the item even where it fails */
            Py_CLEAR(tuple);
    }
    return tuple;
}

/* (address, device type, device id, code, bits, lanes, shape, strides or None, byte offset, readonly). The capsule
   stays fresh: what is refused is still its producer's, and other consumers may try. */
static PyObject *dlpack_read(PyObject *module, PyObject *capsule)
{
    int versioned;
    void *managed = open_capsule(capsule, &versioned);
    (void)module;
    if (!managed)
        return NULL;
    /* The version comes first: with another major one, nothing behind the flags is where it is expected. */
    if (versioned && ((DLManagedTensorVersioned *)managed)->version.major != 1) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: DLPack version %u is not known; version 1 is",
                     ((DLManagedTensorVersioned *)managed)->version.major);
        return NULL;
    }
    const DLTensor *t = versioned ? &((DLManagedTensorVersioned *)managed)->tensor
                                  : &((DLManagedTensor *)managed)->tensor;
    int readonly = versioned && (((DLManagedTensorVersioned *)managed)->flags & 1);
    if (t->ndim < 0 || t->ndim > MOST_DIMENSIONS) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: %d dimensions; 0 to %d can be used", (int)t->ndim,
                     MOST_DIMENSIONS);
        return NULL;
    }
    if (t->ndim && !t->shape) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: %d dimensions without a shape", (int)t->ndim);
        return NULL;
    }
    PyObject *shape = lengths_tuple(t->shape, t->ndim);
    PyObject *strides = t->strides ? lengths_tuple(t->strides, t->ndim) : Py_BuildValue("");
    if (!shape || !strides) {
        Py_XDECREF(shape);
        Py_XDECREF(strides);
        return NULL;
    }
    return Py_BuildValue("(KiiiiiNNKO)", (unsigned long long)(uintptr_t)t->data, (int)t->device.type, (int)t->device.id,
                         (int)t->dtype.code, (int)t->dtype.bits, (int)t->dtype.lanes, shape, strides,
                         (unsigned long long)t->byte_offset, readonly ? Py_True : Py_False);
}

/* Consume the capsule: the memory lives as long as the guard that comes back. */
static PyObject *dlpack_consume(PyObject *module, PyObject *capsule)
{
    int versioned;
    void *managed = open_capsule(capsule, &versioned);
    (void)module;
    if (!managed)
        return NULL;
    PyObject *guard = PyCapsule_New(managed, NULL, NULL);
    if (!guard)
        return NULL;
    if (PyCapsule_SetContext(guard, versioned ? managed : NULL) || PyCapsule_SetName(capsule, USED[versioned]) ||
        PyCapsule_SetDestructor(guard, forget_guard)) {
        Py_DECREF(guard);
        return NULL;
    }
    return guard;
}

/* ---------------------------------------------------------------------------------------- the cyclic collector's hours
   A callback for gc.callbacks that has one entry in `running` while the collector runs. Others may have entries of their
   own there, so it takes out no more than it put in: `mine` remembers. In C because a Python function there would be
   where a Ctrl-C arrives, and is swallowed. */
static PyObject *on_collection(PyObject *self, PyObject *args)
{
    PyObject *running = PyTuple_GetItem(self, 0), *mine = PyTuple_GetItem(self, 1), *phase = PyTuple_GetItem(args, 0);
    if (!phase)
        return NULL;
    int starts = PyUnicode_Check(phase) && PyUnicode_CompareWithASCIIString(phase, "start") == 0;
    int counted = PyList_Size(mine) > 0;
    Py_ssize_t entries = PyList_Size(running);
    if (starts && !counted) {
        if (PyList_Append(mine, Py_None) || PyList_Append(running, Py_None))
            return NULL;
    } else if (!starts && counted) {
        if (PyList_SetSlice(mine, 0, 1, NULL) || (entries && PyList_SetSlice(running, entries - 1, entries, NULL)))
            return NULL;
    }
    return Py_BuildValue("");
}

static PyMethodDef on_collection_definition = {"on_collection", on_collection, METH_VARARGS,
                                               "on_collection(phase, info) -> None"};

static PyObject *collection_callback(PyObject *module, PyObject *running)
{
    (void)module;
    if (!PyList_CheckExact(running)) {
        PyErr_Format(PyExc_TypeError, "collection_callback: expected a list; got %R", (PyObject *)Py_TYPE(running));
        return NULL;
    }
    PyObject *self = Py_BuildValue("(ON)", running, PyList_New(0));
    if (!self)
        return NULL;
    PyObject *callback = PyCFunction_NewEx(&on_collection_definition, self, NULL);
    Py_DECREF(self);
    return callback;
}

/* ------------------------------------------------------------------------------------------------------- instances */
/* An instance whose slots are all unset, without __new__ and __init__: what a hot path makes, and quicker than a call of
   the class would be if it had neither. For classes written in Python on top of object. */
static PyObject *blank(PyObject *module, PyObject *type)
{
    (void)module;
    if (!PyType_Check(type) || !(PyType_GetFlags((PyTypeObject *)type) & Py_TPFLAGS_HEAPTYPE)) {
        PyErr_Format(PyExc_TypeError, "blank: expected a class written in Python; got %R", type);
        return NULL;
    }
    return PyType_GenericAlloc((PyTypeObject *)type, 0);
}

/* ------------------------------------------------------------------------------------------------ who is where
   The threads that run, at any depth, a function of one of the named modules. One look at all stacks at once: in
   Python the looked-at thread would go on between two steps of the walk, and its frames end under our hands. Nothing
   here lets another thread run: attributes of frames and lookups of strings are C, and the cyclic collector, which
   making a frame object may start, is off. */
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

static PyObject *threads_inside(PyObject *module, PyObject *names)
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

/* -------------------------------------------------------------------------------------------------------- module */
static PyMethodDef methods[] = {
    {"bind", bind, METH_VARARGS,
     "bind(kernel, plan, release_at, doubles, owner, count=0) -> launch\n\nA callable that runs the kernel at that "
     "address; `count` is how many arguments it takes, the number of elements among them; 0 for any up to 24, "
     "-k for k or more."},
    {"rebind", (PyCFunction)(void (*)(void))rebind, METH_FASTCALL,
     "rebind(launch, shaper, output, *inputs) -> launch or None\n\nA callable that runs the kernel of `launch` with its "
     "plan made for these layouts by the C function at address `shaper`; None where inputs do not broadcast to the "
     "output, or it makes none."},
    {"dlpack_export", dlpack_export, METH_VARARGS, "A DLPack capsule over memory that `owner` keeps alive."},
    {"dlpack_read", dlpack_read, METH_O, "What a fresh DLPack capsule says of its memory."},
    {"dlpack_consume", dlpack_consume, METH_O, "Mark a capsule as used; the result keeps its memory alive."},
    {"blank", blank, METH_O, "blank(cls) -> an instance with nothing set, made without __new__ and __init__"},
    {"collection_callback", collection_callback, METH_O,
     "A function for gc.callbacks that has an entry in the given list while the collector runs."},
    {"threads_inside", threads_inside, METH_O,
     "threads_inside(names) -> set\n\nThe threads, by number, that run a function of one of these modules."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_bridge", "Kernel launcher, buffer and DLPack exports.",
                                        -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__bridge(void)
{
    PyObject *module = PyModule_Create(&definition);
    if (!module)
        return NULL;
    LaunchError = PyErr_NewExceptionWithDoc("facula_storage.LaunchError",
                                            "A kernel refused its arguments: (status, detail, detail, detail, detail).",
                                            PyExc_RuntimeError, NULL);
    PyObject *type = PyType_FromSpec(&export_spec);
    current_frames = PySys_GetObject("_current_frames");
    Py_XINCREF(current_frames);
    name_shape = PyUnicode_InternFromString("shape");
    name_strides = PyUnicode_InternFromString("strides");
    if (!LaunchError || !type || !name_shape || !name_strides || PyModule_AddObjectRef(module, "LaunchError", LaunchError) ||
        PyModule_AddObjectRef(module, "Export", type))
        return NULL;
    Py_DECREF(type);
    if (!current_frames) {
        PyErr_SetString(PyExc_ImportError, "facula_storage needs sys._current_frames, which this Python lacks");
        return NULL;
    }
    return module;
}
