/* Blocks of memory that record their allocation and release. A block is a pair (address, release), as in
   facula_storage.Allocator; `wrap_take` wraps a function that returns blocks of one size. */
#include "recorder.h"

#include <structmember.h>

typedef struct {
    PyObject_HEAD
    PyObject *release;
    uint64_t generation;
    int64_t address, nbytes, device;
} Release;

static PyTypeObject *release_type;

/* Record an allocation or a release. A release runs no Python code, as it may run inside the garbage collector. */
static void note(uint64_t generation, int64_t address, int64_t nbytes, int64_t device, int is_release)
{
    if (generation != atomic_load_explicit(&active_generation, memory_order_relaxed))
        return;
    Recorder *recorder = atomic_load_explicit(&active, memory_order_relaxed);
    const int32_t lane = lane_of_thread(recorder, !is_release);
    const int32_t stack = lane < -1 ? -2 : is_release ? -1 : stack_now(recorder);
    if (stack < -1)
        return;
    const int64_t time = now();
    const Event event = {.start = time, .end = time, .seq = address, .value = is_release ? -nbytes : nbytes,
                         .name = -1, .lane = lane, .stack = stack, .plan = -1,
                         .kind = KIND_ALLOCATION, .link = device};
    record(recorder, &event);
}

static PyObject *release_call(Release *self, PyObject *args, PyObject *keywords)
{
    (void)args;
    (void)keywords;
    PyObject *release = self->release;
    if (!release)
        return Py_NewRef(Py_None);
    note(self->generation, self->address, self->nbytes, self->device, 1);
    self->generation = 0; /* called once */
    return PyObject_CallNoArgs(release);
}

static int release_traverse(Release *self, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)Py_TYPE((PyObject *)self));
    Py_VISIT(self->release);
    return 0;
}

static void release_dealloc(Release *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack((PyObject *)self);
    Py_CLEAR(self->release);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

/* The size of the block, which may exceed that of the request. */
static PyObject *release_nbytes(Release *self, void *unused)
{
    (void)unused;
    return PyObject_GetAttrString(self->release, "nbytes");
}

static PyGetSetDef release_attributes[] = {
    {"nbytes", (getter)release_nbytes, NULL, "The size of the block in bytes.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot release_slots[] = {
    {Py_tp_doc, "The release of a block, which is recorded."},
    {Py_tp_call, release_call},
    {Py_tp_traverse, release_traverse},
    {Py_tp_dealloc, release_dealloc},
    {Py_tp_getset, release_attributes},
    {0, NULL},
};
static PyType_Spec release_spec = {"facula_profiler._recorder.Release", sizeof(Release), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                   release_slots};

/* Return the block (address, release) with a release that is recorded; steals the reference to the block. */
static PyObject *recorded_block(PyObject *block, int64_t nbytes, int64_t device)
{
    const uint64_t generation = atomic_load_explicit(&active_generation, memory_order_relaxed);
    Recorder *recorder = atomic_load_explicit(&active, memory_order_relaxed);
    if (!block || !generation || !recorder->has_memory || !PyTuple_Check(block) || PyTuple_Size(block) != 2)
        return block;
    const long long address = PyLong_AsLongLong(PyTuple_GetItem(block, 0));
    if (!address || (address == -1 && PyErr_Occurred())) {
        PyErr_Clear();
        return block;
    }
    allocfunc make = (allocfunc)PyType_GetSlot(release_type, Py_tp_alloc);
    Release *release = (Release *)make(release_type, 0);
    PyObject *pair = release ? PyTuple_New(2) : NULL;
    if (!pair) { /* the block is returned unrecorded */
        PyErr_Clear();
        Py_XDECREF((PyObject *)release);
        return block;
    }
    release->release = Py_NewRef(PyTuple_GetItem(block, 1));
    release->generation = generation;
    release->address = address;
    release->nbytes = nbytes;
    release->device = device;
    PyTuple_SetItem(pair, 0, Py_NewRef(PyTuple_GetItem(block, 0)));
    PyTuple_SetItem(pair, 1, (PyObject *)release);
    Py_DECREF(block);
    note(generation, address, nbytes, device, 0);
    return pair;
}

typedef struct {
    PyObject *take;
    int64_t nbytes, device;
} Taker;

static PyObject *recorded_take(PyObject *self, PyObject *nothing)
{
    (void)nothing;
    const Taker *taker = PyCapsule_GetPointer(self, NULL);
    return recorded_block(PyObject_CallNoArgs(taker->take), taker->nbytes, taker->device);
}

static PyMethodDef take_definition = {"take", recorded_take, METH_NOARGS, "take() -> (address, release)"};

static void forget(PyObject *capsule)
{
    Taker *taker = PyCapsule_GetPointer(capsule, NULL);
    Py_DECREF(taker->take);
    PyMem_Free(taker);
}

static PyObject *wrap_take(PyObject *module, PyObject *args)
{
    PyObject *take;
    long long nbytes, device;
    (void)module;
    if (!PyArg_ParseTuple(args, "OLL:wrap_take", &take, &nbytes, &device))
        return NULL;
    Taker *taker = PyMem_Malloc(sizeof *taker);
    if (!taker)
        return PyErr_NoMemory();
    *taker = (Taker){take, nbytes, device};
    PyObject *capsule = PyCapsule_New(taker, NULL, forget);
    if (!capsule) {
        PyMem_Free(taker);
        return NULL;
    }
    Py_INCREF(take);
    PyObject *function = PyCFunction_NewEx(&take_definition, capsule, NULL);
    Py_DECREF(capsule);
    return function;
}

static PyObject *unwrap_take(PyObject *module, PyObject *function)
{
    (void)module;
    if (PyCFunction_CheckExact(function) && PyCFunction_GetFunction(function) == take_definition.ml_meth) {
        const Taker *taker = PyCapsule_GetPointer(PyCFunction_GetSelf(function), NULL);
        return Py_NewRef(taker->take);
    }
    return Py_NewRef(function);
}

static PyObject *wrap_block(PyObject *module, PyObject *args)
{
    PyObject *block;
    long long nbytes, device;
    (void)module;
    if (!PyArg_ParseTuple(args, "OLL:wrap_block", &block, &nbytes, &device))
        return NULL;
    return recorded_block(Py_NewRef(block), nbytes, device);
}

static PyMethodDef methods[] = {
    {"wrap_take", wrap_take, METH_VARARGS, "wrap_take(take, nbytes, device) -> a function whose blocks are recorded"},
    {"unwrap_take", unwrap_take, METH_O, "unwrap_take(take) -> the function inside, or `take`"},
    {"wrap_block", wrap_block, METH_VARARGS, "wrap_block(block, nbytes, device) -> the block, which is recorded"},
    {NULL, NULL, 0, NULL},
};

int add_memory(PyObject *module)
{
    release_type = (PyTypeObject *)PyType_FromSpec(&release_spec);
    return release_type ? PyModule_AddFunctions(module, methods) : -1;
}
