/* A sequence's call: every check is looked at before the first launch, and the GIL is given away once. */
#include "sequence.h"

descrgetfunc get_slot;
descrsetfunc set_slot;

static inline int64_t slot_as_integer(PyObject *descriptor, PyObject *holder, int *failed)
{
    PyObject *found = get_slot(descriptor, holder, NULL);
    const int64_t value = found ? PyLong_AsLongLong(found) : -1;
    Py_XDECREF(found);
    if (value == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        *failed = 1;
    }
    return value;
}

/* The first check that fails, or -1. */
static Py_ssize_t failing_check(const Sequence *self)
{
    for (Py_ssize_t i = 0; i < self->check_count; i++) {
        const Check *check = &self->checks[i];
        if (check->kind == CHECK_SLOT) {
            PyObject *found = check->get(check->key, check->holder, NULL);
            if (!found)
                PyErr_Clear(); /* a slot that is not set */
            Py_XDECREF(found);
            if (found != check->expected)
                return i;
        } else if (check->kind == CHECK_ITEM) {
            if (PyDict_GetItemWithError(check->holder, check->key) != check->expected) {
                PyErr_Clear();
                return i;
            }
        } else if (check->kind == CHECK_PLACE) {
            if (check->size >= PyList_Size(check->holder) || PyList_GetItem(check->holder, check->size) != check->expected)
                return i;
        } else {
            const Py_ssize_t size = PyDict_Check(check->holder) ? PyDict_Size(check->holder) : PyList_Size(check->holder);
            if (size != check->size)
                return i;
        }
    }
    return -1;
}

/* The first input that is not as expected, or -1; the others' addresses go into `values`. */
static Py_ssize_t failing_input(Sequence *self, PyObject *inputs)
{
    if (PyTuple_Size(inputs) != self->input_count) {
        PyErr_Clear();
        return 0;
    }
    for (Py_ssize_t i = 0; i < self->input_count; i++) {
        const Input *input = &self->inputs[i];
        PyObject *tensor = PyTuple_GetItem(inputs, i);
        int failed = 0;
        PyObject *found = get_slot(self->slots[SLOT_LAYOUT], tensor, NULL);
        if (!found)
            PyErr_Clear();
        Py_XDECREF(found);
        if (found != input->layout)
            return i;
        if (input->node) {
            found = get_slot(self->slots[SLOT_NODE], tensor, NULL);
            if (!found)
                PyErr_Clear();
            const int fits = found && (found == input->node || (PyObject *)Py_TYPE(found) == input->node);
            Py_XDECREF(found);
            if (!fits)
                return i;
        }
        PyObject *storage = get_slot(self->slots[SLOT_STORAGE], tensor, NULL);
        if (!storage) {
            PyErr_Clear();
            return i;
        }
        const int64_t address = slot_as_integer(self->slots[SLOT_ADDRESS], storage, &failed) +
                                slot_as_integer(self->slots[SLOT_OFFSET], tensor, &failed);
        Py_DECREF(storage);
        for (Py_ssize_t k = 0; k < self->span_count; k++)
            failed |= address < self->spans[k].end && self->spans[k].start < address + input->extent;
        for (Py_ssize_t k = 0; input->root >= 0 && k < i; k++) {
            const int64_t start = self->values[k];
            if (input->root == k)
                failed |= address - start != input->delta;
            else if (input->root != self->inputs[k].root)
                failed |= address < start + self->inputs[k].extent && start < address + input->extent;
        }
        if (failed)
            return i;
        self->values[i] = address;
    }
    return -1;
}

/* A plan that Python computes: its function is called with integers. -1 with an error set where it raises. */
static int64_t call_function(const Sequence *self, const Step *step)
{
    PyObject *arguments = PyTuple_New(step->count), *result = NULL;
    int failed = !arguments;
    for (Py_ssize_t i = 0; !failed && i < step->count; i++) {
        PyObject *value = PyLong_FromLongLong(self->arguments[step->first + i]);
        failed = !value || PyTuple_SetItem(arguments, i, value);
    }
    if (!failed)
        result = PyObject_CallObject(step->function, arguments);
    Py_XDECREF(arguments);
    Py_XDECREF(result);
    return result ? 0 : -1;
}

/* How many steps a condition leaves out; negative where it goes back. */
static Py_ssize_t next_step(const Sequence *self, const Step *step)
{
    const int64_t *arguments = self->arguments + step->first;
    float condition;
    memcpy(&condition, (const void *)(intptr_t)arguments[0], sizeof condition);
    const int wanted = step->count < 3 || arguments[2];
    return (condition != 0) == wanted ? (Py_ssize_t)arguments[1] : 0;
}

enum { TURNS = 1024 }; /* of loops, between two looks for Ctrl-C */

/* The status of the launch that failed, `*at` in the list, or 0; -1 with a Python error set. */
static int64_t run_steps(Sequence *self, Py_ssize_t *at)
{
    PyThreadState *state = self->releases ? PyEval_SaveThread() : NULL;
    int64_t status = 0, turns = 0;
    for (Py_ssize_t i = 0; i < self->step_count; i++) {
        const Step *step = &self->steps[i];
        if (step->function) {
            if (state)
                PyEval_RestoreThread(state);
            status = call_function(self, step);
            state = self->releases ? PyEval_SaveThread() : NULL;
            *at = i;
            if (status)
                break;
            continue;
        }
        if (!step->launch) {
            const Py_ssize_t moves = next_step(self, step);
            if (moves < 0 && ++turns % TURNS == 0) {
                if (state)
                    PyEval_RestoreThread(state);
                status = PyErr_CheckSignals();
                state = self->releases ? PyEval_SaveThread() : NULL;
                *at = i;
                if (status)
                    break;
            }
            i += moves;
            continue;
        }
        memcpy(self->scratch, self->arguments + step->first, sizeof *self->scratch * (size_t)step->count);
        status = step->launch->kernel(step->launch->plan, self->scratch);
        if (status) {
            *at = i;
            break;
        }
    }
    if (state)
        PyEval_RestoreThread(state);
    return status;
}

/* Counts the changes of storages that were written, and puts back what the step leaves behind. */
static int finish(Sequence *self)
{
    for (Py_ssize_t i = 0; i < self->changed_count; i++) {
        const Put *put = &self->changed[i];
        int failed = 0;
        const int64_t version = slot_as_integer(self->slots[SLOT_VERSION], put->holder, &failed);
        PyObject *next = PyLong_FromLongLong(version + self->counts[i]);
        if (failed || !next || set_slot(self->slots[SLOT_VERSION], put->holder, next) ||
            set_slot(self->slots[SLOT_MUTATOR], put->holder, put->value)) {
            Py_XDECREF(next);
            return -1;
        }
        Py_DECREF(next);
    }
    for (Py_ssize_t i = 0; i < self->put_count; i++)
        if (set_slot(self->puts[i].descriptor, self->puts[i].holder, self->puts[i].value))
            return -1;
    return 0;
}

/* run(inputs, values) -> None, or which check failed: -1 - k for input k. */
PyObject *sequence_run(Sequence *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !PyTuple_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]) ||
        PyTuple_Size(args[1]) != self->value_count - self->input_count) {
        PyErr_SetString(PyExc_TypeError, "run: expected a tuple of inputs and one of values");
        return NULL;
    }
    if (self->busy)
        return PyLong_FromSsize_t(self->check_count);
    Py_ssize_t failing = failing_input(self, args[0]);
    if (failing >= 0)
        return PyLong_FromSsize_t(-1 - failing);
    failing = failing_check(self);
    if (failing >= 0)
        return PyLong_FromSsize_t(failing);
    for (Py_ssize_t i = self->input_count; i < self->value_count; i++) {
        self->values[i] = PyLong_AsLongLong(PyTuple_GetItem(args[1], i - self->input_count));
        if (self->values[i] == -1 && PyErr_Occurred())
            return NULL;
    }
    for (Py_ssize_t i = 0; i < self->patch_count; i++) {
        const Patch *patch = &self->patches[i];
        self->arguments[patch->place] = self->values[patch->source] + patch->delta;
    }
    Py_ssize_t at = 0;
    self->busy = 1;
    const int64_t status = run_steps(self, &at);
    self->busy = 0;
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    const int failed = finish(self);
    if (kind || status) {
        PyErr_Clear();
        PyErr_Restore(kind, value, trace);
        if (!kind)
            raise_status(status, self->scratch, at);
        return NULL;
    }
    if (failed)
        return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}
