/* Block: memory in use, freed by `free` or with its last reference. Both only add the block to a list of the core. */
#include "types.h"

PyObject *new_block(Core *core, facula_block *taken, long long nbytes, long long stream)
{
    Block *self = PyObject_New(Block, types.block_type);
    if (!self) {
        if (taken)
            facula_core_push(core->core, taken);
        return NULL;
    }
    Py_INCREF((PyObject *)core);
    self->core = core;
    self->block = taken;
    self->ptr = taken ? taken->address : 0;
    self->nbytes = nbytes;
    self->stream = stream;
    self->freed = self->quick = 0;
    return (PyObject *)self;
}

static void push(Block *self)
{
    self->freed = 1;
    if (self->block)
        free_block(self->core, self->block, self->quick);
}

static void block_dealloc(Block *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (!self->freed)
        push(self);
    Py_DECREF((PyObject *)self->core);
    PyObject_Free(self);
    Py_DECREF((PyObject *)type);
}

static int refuse_freed(Block *self, const char *operation)
{
    char at[32];
    if (!self->freed)
        return 0;
    snprintf(at, sizeof at, "0x%llx", self->ptr);
    PyErr_Format(types.value_error,
                 "Block.%s: expected a block in use; got the one of %lld bytes at %s, which was freed before. "
                 "Free each block once, after its last use",
                 operation, self->nbytes, at);
    return -1;
}

static PyObject *block_free(Block *self, PyObject *nothing)
{
    (void)nothing;
    if (refuse_freed(self, "free"))
        return NULL;
    push(self);
    Py_RETURN_NONE;
}

static PyObject *block_call(Block *self, PyObject *args, PyObject *keywords)
{
    if (PyTuple_Size(args) || (keywords && PyDict_Size(keywords))) {
        PyErr_SetString(PyExc_TypeError, "Block: takes no arguments; a call frees it");
        return NULL;
    }
    return block_free(self, NULL);
}

static PyObject *block_record_use(Block *self, PyObject *stream)
{
    if (refuse_freed(self, "record_use"))
        return NULL;
    long long other = PyLong_CheckExact(stream) ? PyLong_AsLongLong(stream) : -1;
    if (other == -1 && (!PyLong_CheckExact(stream) || PyErr_Occurred())) {
        PyErr_Clear();
        PyErr_Format(types.type_error, "Block.record_use: expected stream, an int of 64 bits; got %R", stream);
        return NULL;
    }
    if (self->block && facula_core_use(self->block, other))
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

static PyObject *block_capacity(Block *self, void *nothing)
{
    (void)nothing;
    return PyLong_FromLongLong(self->block && !self->freed ? self->block->size : 0);
}

static PyObject *block_repr(Block *self)
{
    char text[160];
    snprintf(text, sizeof text, "<Block of %lld bytes at 0x%llx, stream %lld%s>", self->nbytes, self->ptr, self->stream,
             self->freed ? ", freed" : "");
    return PyUnicode_FromString(text);
}

static PyMethodDef methods[] = {
    {"free", (PyCFunction)block_free, METH_NOARGS,
     "Give the block back to its allocator; InvalidValueError where that was done before.\n\n"
     "Safe from any thread, in finalisers and during garbage collections. Work that is queued on the block's stream may "
     "still use the memory, and on other streams where `record_use` named them."},
    {"record_use", (PyCFunction)block_record_use, METH_O,
     "Note that work on `stream`, an int, uses the block: once freed, it is not handed out before that work is done."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"ptr", T_ULONGLONG, offsetof(Block, ptr), READONLY, "The address, an int; 0 for a block of zero bytes."},
    {"nbytes", T_LONGLONG, offsetof(Block, nbytes), READONLY, "The bytes that were asked for."},
    {"stream", T_LONGLONG, offsetof(Block, stream), READONLY, "The stream on which the block is reused at once."},
    {"freed", T_BOOL, offsetof(Block, freed), READONLY, "Whether the block was given back."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef properties[] = {
    {"capacity", (getter)block_capacity, NULL, "The bytes that the block holds: those asked for, rounded up; 0 once freed.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Memory in use, from `CachingAllocator.allocate`; given back by `free` or with its last reference.\n\n"
                "A call frees it, too: a block is its own release, for who keeps (address, release)."},
    {Py_tp_dealloc, block_dealloc},
    {Py_tp_call, block_call},
    {Py_tp_repr, block_repr},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {Py_tp_getset, properties},
    {0, NULL},
};

PyType_Spec block_spec = {"facula_allocator.Block", sizeof(Block), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
