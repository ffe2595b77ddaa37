/* A sequence that creates its result: one new tensor in new memory. */
#include "sequence.h"

static PyObject *name_take_block; /* interned */

void drop_result(Result *result)
{
    Result dropped = *result;
    *result = (Result){0};
    Py_XDECREF(dropped.kind);
    Py_XDECREF(dropped.layout);
    Py_XDECREF(dropped.offset);
    Py_XDECREF(dropped.node);
    Py_XDECREF(dropped.memory);
    Py_XDECREF(dropped.release);
}

PyObject *sequence_returns(Sequence *self, PyObject *args)
{
    PyObject *kind, *layout, *offset, *node, *memory, *release;
    if (!PyArg_ParseTuple(args, "OOOOOO:returns", &kind, &layout, &offset, &node, &memory, &release))
        return NULL;
    const Slots *slots = &self->slots;
    if (!PyType_Check(kind) || !PyType_IsSubtype((PyTypeObject *)kind, slots->kinds[SLOT_LAYOUT]) ||
        !PyObject_TypeCheck(memory, slots->kinds[SLOT_SHAPE]) || Py_TYPE(release) != Py_TYPE(slots->descriptors[0])) {
        PyErr_SetString(PyExc_TypeError, "returns: expected a class of tensors, the layout of its memory, and a slot of storages");
        return NULL;
    }
    if (self->busy || self->value_count != self->input_count + 1) {
        PyErr_SetString(PyExc_ValueError, "returns: expected an idle sequence with one value, the address of the result");
        return NULL;
    }
    if (!name_take_block && !(name_take_block = PyUnicode_InternFromString("take_block")))
        return NULL;
    drop_result(&self->result);
    self->result = (Result){Py_NewRef(kind), Py_NewRef(layout), Py_NewRef(offset), Py_NewRef(node), Py_NewRef(memory),
                            Py_NewRef(release)};
    Py_RETURN_NONE;
}

/* Return a new storage with memory of the result's layout, as `allocate` does. */
static PyObject *new_storage(Sequence *self)
{
    const Slots *slots = &self->slots;
    PyObject *storage = PyType_GenericAlloc(slots->kinds[SLOT_ADDRESS], 0), *version = PyLong_FromLong(0);
    PyObject *take = storage && version ? PyObject_GetAttr(self->result.memory, name_take_block) : NULL;
    PyObject *block = take ? PyObject_CallNoArgs(take) : NULL; /* nothing is allocated between this and its end */
    if (take && !block && PyErr_ExceptionMatches(PyExc_IndexError)) {
        PyErr_Clear();
        block = PyObject_CallMethod(self->result.memory, "refill", NULL);
    }
    int failed = !block || put_slot(slots, SLOT_ADDRESS, storage, PyTuple_GetItem(block, 0)) ||
                 set_slot(self->result.release, storage, PyTuple_GetItem(block, 1)) ||
                 put_slot(slots, SLOT_VERSION, storage, version);
    if (!failed) {
        const int64_t address = self->values[self->input_count] = PyLong_AsLong(PyTuple_GetItem(block, 0));
        failed = address == -1 && PyErr_Occurred();
    }
    Py_XDECREF(block);
    Py_XDECREF(take);
    Py_XDECREF(version);
    if (failed)
        Py_CLEAR(storage);
    return storage;
}

PyObject *sequence_serve(Sequence *self, PyObject *inputs)
{
    const Result *result = &self->result;
    if (!result->kind || !PyTuple_CheckExact(inputs)) {
        PyErr_SetString(PyExc_TypeError, "serve: expected a tuple of inputs, after `returns`");
        return NULL;
    }
    if (self->busy)
        return PyLong_FromSsize_t(self->check_count);
    self->failed = -1; /* without memory for the result, no step begins */
    PyObject *storage = new_storage(self), *found = storage ? run_with(self, inputs, NULL) : NULL;
    if (found == Py_None) {
        const Slots *slots = &self->slots;
        Py_DECREF(found);
        found = PyType_GenericAlloc((PyTypeObject *)result->kind, 0);
        if (found && (put_slot(slots, SLOT_LAYOUT, found, result->layout) || put_slot(slots, SLOT_STORAGE, found, storage) ||
                      put_slot(slots, SLOT_OFFSET, found, result->offset) || put_slot(slots, SLOT_NODE, found, result->node)))
            Py_CLEAR(found);
    }
    Py_XDECREF(storage);
    return found;
}
