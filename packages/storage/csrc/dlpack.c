/* DLPack capsules. Structures of the DLPack specification, versions 0.8 (unversioned) and 1.0 (versioned).
   https://dmlc.github.io/dlpack/latest/c_api.html */
#include "bridge.h"

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
        return;             /* the consumer outlives the interpreter: the memory is released with the process */
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

/* The producer's capsule was never consumed: release the memory. */
static void forget_capsule(PyObject *capsule)
{
    for (int versioned = 0; versioned < 2; versioned++)
        if (PyCapsule_IsValid(capsule, FRESH[versioned]))
            delete_managed(PyCapsule_GetPointer(capsule, FRESH[versioned]), versioned);
}

PyObject *dlpack_export(PyObject *module, PyObject *args)
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

/* Return the unused capsule's managed tensor and whether it is versioned; NULL with an error set for other objects. */
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
                                           : "from_dlpack: expected a DLPack capsule; got another one");
    return NULL;
}

static PyObject *lengths_tuple(const int64_t *lengths, int count)
{
    PyObject *tuple = PyTuple_New(count);
    for (int i = 0; tuple && i < count; i++) {
        PyObject *item = PyLong_FromLongLong(lengths[i]);
        if (!item || PyTuple_SetItem(tuple, i, item))   /* SetItem takes the reference even on failure */
            Py_CLEAR(tuple);
    }
    return tuple;
}

static PyTypeObject *array_type; /* DLPackArray */

static PyStructSequence_Field array_fields[] = {
    {"address", "of the first byte, before the offset"},
    {"device_type", "DLPack's number for the kind of device"},
    {"device_index", "which of these devices"},
    {"type_code", "DLPack's number for the kind of element"},
    {"bits", "bits of an element"},
    {"lanes", "numbers in an element"},
    {"shape", "a tuple of lengths"},
    {"strides", "a tuple of strides in elements, or None for row-major order"},
    {"byte_offset", "bytes from the address to the first element"},
    {"readonly", "whether the memory must not be written"},
    {NULL, NULL},
};
static PyStructSequence_Desc array_description = {
    "facula_storage._bridge.DLPackArray", "The description of the memory in a DLPack capsule.", array_fields,
    sizeof array_fields / sizeof *array_fields - 1};

int prepare_dlpack(PyObject *module)
{
    array_type = PyStructSequence_NewType(&array_description);
    return array_type ? PyModule_AddObjectRef(module, "DLPackArray", (PyObject *)array_type) : -1;
}

/* Return a DLPackArray. The capsule stays unused: after a rejection, it belongs to its producer, and other consumers
   may try. */
PyObject *dlpack_read(PyObject *module, PyObject *capsule)
{
    int versioned;
    void *managed = open_capsule(capsule, &versioned);
    (void)module;
    if (!managed)
        return NULL;
    /* Check the version first: with another major version, the layout after the flags is unknown. */
    if (versioned && ((DLManagedTensorVersioned *)managed)->version.major != 1) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: DLPack version %u is not known; version 1 is",
                     ((DLManagedTensorVersioned *)managed)->version.major);
        return NULL;
    }
    const DLTensor *t = versioned ? &((DLManagedTensorVersioned *)managed)->tensor
                                  : &((DLManagedTensor *)managed)->tensor;
    int readonly = versioned && (((DLManagedTensorVersioned *)managed)->flags & 1);
    if (t->ndim < 0 || t->ndim > MAX_DIMENSIONS) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: %d dimensions; 0 to %d can be used", (int)t->ndim,
                     MAX_DIMENSIONS);
        return NULL;
    }
    if (t->ndim && !t->shape) {
        PyErr_Format(PyExc_BufferError, "from_dlpack: expected a shape; got none for %d dimensions", (int)t->ndim);
        return NULL;
    }
    PyObject *shape = lengths_tuple(t->shape, t->ndim);
    PyObject *strides = t->strides ? lengths_tuple(t->strides, t->ndim) : Py_BuildValue("");
    if (!shape || !strides) {
        Py_XDECREF(shape);
        Py_XDECREF(strides);
        return NULL;
    }
    PyObject *result = PyStructSequence_New(array_type);
    if (!result) {
        Py_DECREF(shape);
        Py_DECREF(strides);
        return NULL;
    }
    PyObject *const values[] = {
        PyLong_FromUnsignedLongLong((uintptr_t)t->data), PyLong_FromLong(t->device.type),
        PyLong_FromLong(t->device.id), PyLong_FromLong(t->dtype.code), PyLong_FromLong(t->dtype.bits),
        PyLong_FromLong(t->dtype.lanes), shape, strides, PyLong_FromUnsignedLongLong(t->byte_offset),
        PyBool_FromLong(readonly)};
    _Static_assert(sizeof values / sizeof *values == sizeof array_fields / sizeof *array_fields - 1,
                   "one value for each field of a DLPackArray");
    for (Py_ssize_t i = 0; i < array_description.n_in_sequence; i++)
        PyStructSequence_SetItem(result, i, values[i]); /* takes the reference, also NULL */
    if (PyErr_Occurred())
        Py_CLEAR(result);
    return result;
}

/* Consume the capsule: the memory lives as long as the returned guard. */
PyObject *dlpack_consume(PyObject *module, PyObject *capsule)
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
