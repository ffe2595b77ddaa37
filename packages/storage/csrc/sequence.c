/* The type Sequence: creation, traversal by the collector, deallocation, methods. */
#include "sequence.h"

static int sequence_traverse(Sequence *self, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)Py_TYPE((PyObject *)self));
    Py_VISIT(self->launches);
    Py_VISIT(self->combination);
    Py_VISIT(self->result.node);
    for (Py_ssize_t i = 0; i < self->check_count; i++) {
        const int stopped = visit_check(&self->checks[i], visit, arg);
        if (stopped)
            return stopped;
    }
    for (Py_ssize_t i = 0; i < self->input_count; i++) {
        Py_VISIT(self->inputs[i].node);
        Py_VISIT(self->inputs[i].kind);
    }
    for (Py_ssize_t i = 0; i < self->put_count; i++) {
        Py_VISIT(self->puts[i].holder);
        Py_VISIT(self->puts[i].value);
        for (int k = 0; self->puts[i].parts && k <= SLOT_HOOKS; k++)
            Py_VISIT(self->puts[i].parts[k]);
    }
    for (Py_ssize_t i = 0; i < self->changed_count; i++)
        Py_VISIT(self->changed[i].holder);
    return 0;
}

static void drop_puts(Put **puts, Py_ssize_t *count)
{
    Put *all = *puts;
    const Py_ssize_t size = *count;
    *puts = NULL;
    *count = 0;
    for (Py_ssize_t i = 0; i < size; i++) {
        Py_DECREF(all[i].holder);
        Py_DECREF(all[i].descriptor);
        Py_DECREF(all[i].value);
        drop_parts(all[i].parts, SLOT_HOOKS + 1);
    }
    free(all);
}

static int sequence_clear(Sequence *self)
{
    Check *checks = self->checks;
    Input *inputs = self->inputs;
    const Py_ssize_t check_count = self->check_count, input_count = self->input_count;
    self->checks = NULL;
    self->inputs = NULL;
    self->check_count = 0;
    self->input_count = self->step_count = self->patch_count = self->value_count = 0;
    for (Py_ssize_t i = 0; i < check_count; i++)
        drop_check(&checks[i]);
    for (Py_ssize_t i = 0; i < input_count; i++) {
        Py_DECREF(inputs[i].layout);
        Py_DECREF(inputs[i].node);
        Py_DECREF(inputs[i].kind);
    }
    free(checks);
    free(inputs);
    drop_result(&self->result);
    drop_puts(&self->puts, &self->put_count);
    drop_puts(&self->changed, &self->changed_count);
    self->combined = NULL;
    Py_CLEAR(self->combination);
    Py_CLEAR(self->launches);
    return 0;
}

static void sequence_dealloc(Sequence *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack((PyObject *)self);
    sequence_clear(self);
    drop_slots(&self->slots);
    free(self->arguments);
    free(self->scratch);
    free(self->labels);
    free(self->values);
    free(self->steps);
    free(self->plain);
    free(self->patches);
    free(self->read.all);
    free(self->written.all);
    free(self->counts);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *sequence_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Sequence: takes no keyword arguments");
        return NULL;
    }
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Sequence *self = (Sequence *)make(type, 0);
    if (self)
        self->failed = -1;
    if (self && read_description(self, args))
        Py_CLEAR(self);
    return (PyObject *)self;
}

/* expect(check, value): replace the expected value of a check. */
static PyObject *expect(Sequence *self, PyObject *args)
{
    Py_ssize_t place;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "nO:expect", &place, &value))
        return NULL;
    if (place < 0 || place >= self->check_count) {
        PyErr_SetString(PyExc_IndexError, "expect: there is no such check");
        return NULL;
    }
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "expect: the sequence runs");
        return NULL;
    }
    if (expect_value(&self->checks[place], &self->slots, value))
        return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

static PyObject *failed_step(Sequence *self, PyObject *unused)
{
    (void)unused;
    return PyLong_FromSsize_t(self->failed);
}

/* combine(launch): let one launch run all steps, if all are launches. */
static PyObject *combine(Sequence *self, PyObject *function)
{
    const Launch *combined = launch_of("combine", function);
    if (!combined)
        return NULL;
    if (self->busy || self->combined) {
        PyErr_SetString(PyExc_RuntimeError, "combine: the sequence runs, or its steps are combined already");
        return NULL;
    }
    for (Py_ssize_t i = 0; i < self->step_count; i++)
        if (!self->steps[i].launch)
            return PyBool_FromLong(0);
    if (!(self->plain = room(self->step_count, sizeof *self->plain)))
        return NULL;
    for (Py_ssize_t i = 0; i < self->step_count; i++) {
        const Step *step = &self->steps[i];
        self->plain[i] = (Plain){step->launch->kernel, step->launch->plan, step->first, step->count};
    }
    self->combination = Py_NewRef(function);
    self->combined = combined;
    return PyBool_FromLong(1);
}

/* label(kinds): what an observer receives as the kind of each step and, at the end, of a replay. */
static PyObject *label(Sequence *self, PyObject *kinds)
{
    if (!PyList_Check(kinds) || PyList_Size(kinds) != self->step_count + 1) {
        PyErr_Format(PyExc_ValueError, "label: expected a list of %zd kinds; got %R", self->step_count + 1, kinds);
        return NULL;
    }
    if (self->busy) /* the replay may read the labels without the GIL */
        return PyBool_FromLong(0);
    int64_t *labels = room(self->step_count + 1, sizeof *labels);
    for (Py_ssize_t i = 0; labels && i <= self->step_count; i++) {
        labels[i] = PyLong_AsLongLong(PyList_GetItem(kinds, i));
        if (labels[i] == -1 && PyErr_Occurred()) {
            free(labels);
            return NULL;
        }
    }
    if (!labels)
        return NULL;
    free(self->labels);
    self->labels = labels;
    return PyBool_FromLong(1);
}

static PyMethodDef sequence_methods[] = {
    {"combine", (PyCFunction)combine, METH_O,
     "combine(launch) -> bool\n\nLet a launch run all steps as one; return whether it can, since no step is a condition "
     "or a function of Python."},
    {"run", (PyCFunction)(void (*)(void))sequence_run, METH_FASTCALL,
     "run(inputs, values) -> None or int\n\nRun all launches if every check passes; otherwise return the number of the "
     "failed check, -1 - k for input k, or the number of checks if another call is active."},
    {"expect", (PyCFunction)expect, METH_VARARGS, "expect(check, value) -> None\n\nReplace the expected value of a check."},
    {"failed_step", (PyCFunction)failed_step, METH_NOARGS,
     "failed_step() -> int\n\nReturn the step at which the latest call stopped with an error, or -1."},
    {"label", (PyCFunction)label, METH_O,
     "label(kinds) -> bool\n\nSet the kinds that an observer of replays receives: one for each step, and one for the whole "
     "replay. Return False, without effect, if another thread runs the sequence."},
    {"returns", (PyCFunction)sequence_returns, METH_VARARGS,
     "returns(kind, layout, offset, node, memory, release) -> None\n\nLet `serve` return a tensor of this class, in new memory "
     "of the layout `memory`, which the slot of a storage with the descriptor `release` releases."},
    {"serve", (PyCFunction)sequence_serve, METH_O,
     "serve(inputs) -> tensor or int\n\nLike `run` with the address of new memory as the only value; return the tensor."},
    {"set", (PyCFunction)sequence_set, METH_VARARGS, "set(launch, argument, value) -> None\n\nChange an argument of a launch."},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot sequence_slots[] = {
    {Py_tp_doc, "Sequence(slots, launches, inputs, values, patches, checks, changed, puts, spans)\n\n"
                "A list of launches for one call, with the checks that must pass first."},
    {Py_tp_new, sequence_new},
    {Py_tp_dealloc, sequence_dealloc},
    {Py_tp_traverse, sequence_traverse},
    {Py_tp_clear, sequence_clear},
    {Py_tp_methods, sequence_methods},
    {0, NULL},
};
static PyType_Spec sequence_spec = {"facula_storage._bridge.Sequence", sizeof(Sequence), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, sequence_slots};

int prepare_sequences(PyObject *module)
{
    PyObject *type = PyType_FromSpec(&sequence_spec);
    if (!type)
        return -1;
    int failed = PyModule_AddObjectRef(module, "Sequence", type);
    Py_DECREF(type);
    return failed;
}
