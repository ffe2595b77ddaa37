/* The parts of a sequence, read from their description in Python. */
#include "sequence.h"

/* Steps that are read like launches: a condition, and a Python function. */
static const Launch jumping = {.least = 2, .most = 3}, calling = {.most = PY_SSIZE_T_MAX};

static int read_steps(Sequence *self, PyObject *steps)
{
    Py_ssize_t most = 1, at = 0;
    double share = 0;
    self->step_count = PyList_Size(steps);
    for (Py_ssize_t i = 0; i < self->step_count; i++) {
        PyObject *step = PyList_GetItem(steps, i), *arguments;
        if (!PyTuple_Check(step) || PyTuple_Size(step) != 2 || !PyTuple_Check(arguments = PyTuple_GetItem(step, 1))) {
            PyErr_SetString(PyExc_TypeError, "Sequence: expected pairs of a launch and its arguments");
            return -1;
        }
        self->argument_count += PyTuple_Size(arguments);
        most = PyTuple_Size(arguments) > most ? PyTuple_Size(arguments) : most;
    }
    self->steps = room(self->step_count, sizeof *self->steps);
    self->arguments = room(self->argument_count, sizeof *self->arguments);
    self->scratch = room(most < 4 ? 4 : most, sizeof *self->scratch); /* a status has four details */
    if (!self->steps || !self->arguments || !self->scratch) return -1;
    for (Py_ssize_t i = 0; i < self->step_count; i++) {
        PyObject *step = PyList_GetItem(steps, i), *arguments = PyTuple_GetItem(step, 1);
        PyObject *function = PyTuple_GetItem(step, 0);
        const int jumps = function == Py_None;
        const Py_ssize_t count = PyTuple_Size(arguments);
        const Launch *launch = jumps ? &jumping : PyCFunction_Check(function) ? launch_of("Sequence", function) : &calling;
        if (!launch)
            return -1;
        if (count < launch->least || count > launch->most) {
            PyErr_Format(PyExc_TypeError, "Sequence: launch %zd takes %zd to %zd arguments; got %zd", i, launch->least,
                         launch->most, count);
            return -1;
        }
        for (Py_ssize_t k = 0; k < count; k++)
            if (read_argument(launch, k, PyTuple_GetItem(arguments, k), &self->arguments[at + k]))
                return -1;
        if (jumps && (self->arguments[at + 1] < -1 - i || self->arguments[at + 1] >= self->step_count - i)) {
            PyErr_SetString(PyExc_IndexError, "Sequence: expected a condition to go on at a step that is there");
            return -1;
        }
        if (launch == &calling && !PyCallable_Check(function)) {
            PyErr_Format(PyExc_TypeError, "Sequence: expected a launch or a function; got %R", (PyObject *)Py_TYPE(function));
            return -1;
        }
        if (jumps) {
            function = NULL;
            share += self->arguments[at + 1] < 0; /* a loop may take long */
        }
        if (launch == &jumping || launch == &calling)
            launch = NULL;
        else if (count && self->arguments[at] >= launch->release_at)
            share += 1;
        else if (count)
            share += (double)self->arguments[at] / (double)launch->release_at;
        self->steps[i] = (Step){launch, launch ? NULL : function, at, count};
        at += count;
    }
    self->releases = share >= 1; /* together they take as long as one launch that releases the GIL */
    return 0;
}

/* Return how many arguments of a step may change: a condition's target was checked on creation. */
static Py_ssize_t changeable(const Step *step)
{
    return step->launch || step->function ? step->count : 1;
}

static int read_patches(Sequence *self, PyObject *patches)
{
    self->patch_count = PyList_Size(patches);
    if (!(self->patches = room(self->patch_count, sizeof *self->patches))) return -1;
    for (Py_ssize_t i = 0; i < self->patch_count; i++) {
        Py_ssize_t step, argument;
        Patch *patch = &self->patches[i];
        long long delta;
        if (!PyArg_ParseTuple(PyList_GetItem(patches, i), "nnnL:patch", &step, &argument, &patch->source, &delta))
            return -1;
        if (step < 0 || step >= self->step_count || argument < 0 || argument >= changeable(&self->steps[step]) ||
            patch->source < 0 || patch->source >= self->value_count) {
            PyErr_SetString(PyExc_IndexError, "Sequence: a patch of an argument or source that is not there");
            return -1;
        }
        patch->place = self->steps[step].first + argument;
        patch->delta = delta;
    }
    return 0;
}

static int read_checks(Sequence *self, PyObject *checks)
{
    const Py_ssize_t count = PyList_Size(checks);
    if (!(self->checks = room(count, sizeof *self->checks))) return -1;
    for (; self->check_count < count; self->check_count++) {
        Check *check = &self->checks[self->check_count];
        if (read_check(check, &self->slots, PyList_GetItem(checks, self->check_count)))
            return -1;
        self->has_early |= check->is_early;
    }
    return 0;
}

static int read_inputs(Sequence *self, PyObject *inputs)
{
    const Py_ssize_t count = PyList_Size(inputs);
    if (!(self->inputs = room(count, sizeof *self->inputs))) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *layout, *node, *kind = Py_None;
        long long extent, delta = 0;
        Py_ssize_t root = -1, twin = -1;
        int is_written = 0, is_bare = 0;
        if (!PyArg_ParseTuple(PyList_GetItem(inputs, i), "OOL|nLpOnp:input", &layout, &node, &extent, &root, &delta, &is_written, &kind,
                              &twin, &is_bare))
            return -1;
        self->inputs[self->input_count++] =
            (Input){Py_NewRef(layout), Py_NewRef(node), extent, root, delta, is_written, Py_NewRef(kind), twin, is_bare};
    }
    return 0;
}

static int read_puts(const Slots *slots, PyObject *list, Put **puts, Py_ssize_t *count, int64_t **counts)
{
    const Py_ssize_t size = PyList_Size(list);
    *puts = room(size, sizeof **puts);
    if (counts)
        *counts = room(size, sizeof **counts);
    if (!*puts || (counts && !*counts)) return -1;
    for (Py_ssize_t i = 0; i < size; i++) {
        PyObject *holder, *middle, *value, *state = NULL, **parts = NULL;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "OOO|O!:put", &holder, &middle, &value, &PyTuple_Type, &state))
            return -1;
        if (state && (!is_tensor(slots, value) || PyTuple_Size(state) != SLOT_HOOKS + 1)) {
            PyErr_SetString(PyExc_TypeError, "Sequence: expected the layout, storage, offset, node and hooks of a tensor that is put");
            return -1;
        }
        if (state && !(parts = parts_of(state, SLOT_HOOKS + 1)))
            return -1;
        if (counts) {
            (*counts)[i] = PyLong_AsLongLong(middle);
            if ((*counts)[i] == -1 && PyErr_Occurred()) {
                drop_parts(parts, SLOT_HOOKS + 1);
                return -1;
            }
        }
        (*puts)[(*count)++] = (Put){Py_NewRef(holder), Py_NewRef(middle), Py_NewRef(value), parts,
                                   counts ? -1 : slot_of(slots, middle, holder)};
    }
    return 0;
}

static int compare_starts(const void *one, const void *other)
{
    const int64_t start = ((const Span *)one)->start, second = ((const Span *)other)->start;
    return (start > second) - (start < second);
}

static void put_in_order(Spans *spans)
{
    Py_ssize_t count = 0;
    qsort(spans->all, (size_t)spans->count, sizeof *spans->all, compare_starts);
    for (Py_ssize_t i = 0; i < spans->count; i++) {
        const Span next = spans->all[i];
        Span *last = spans->all + count - 1;
        if (!count || next.start > last->end)
            spans->all[count++] = next;
        else if (next.end > last->end)
            last->end = next.end;
    }
    spans->count = count;
}

static int read_spans(Sequence *self, PyObject *spans)
{
    const Py_ssize_t count = PyList_Size(spans);
    if (!(self->read.all = room(count, sizeof(Span))) || !(self->written.all = room(count, sizeof(Span)))) return -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        long long start, end;
        int is_written = 1;
        if (!PyArg_ParseTuple(PyList_GetItem(spans, i), "LL|p:span", &start, &end, &is_written))
            return -1;
        Spans *into = is_written ? &self->written : &self->read;
        into->all[into->count++] = (Span){start, end};
    }
    put_in_order(&self->read);
    put_in_order(&self->written);
    return 0;
}

int read_description(Sequence *self, PyObject *args)
{
    PyObject *slots, *steps, *inputs, *patches, *checks, *changed, *puts, *spans;
    Py_ssize_t values;
    if (!PyArg_ParseTuple(args, "O!O!O!nO!O!O!O!O!:Sequence", &PyTuple_Type, &slots, &PyList_Type, &steps,
                          &PyList_Type, &inputs, &values, &PyList_Type, &patches, &PyList_Type, &checks, &PyList_Type,
                          &changed, &PyList_Type, &puts, &PyList_Type, &spans))
        return -1;
    if (values < 0) {
        PyErr_SetString(PyExc_ValueError, "Sequence: expected no negative number of values");
        return -1;
    }
    self->launches = Py_NewRef(steps);
    self->value_count = PyList_Size(inputs) + values;
    self->values = room(self->value_count, sizeof *self->values);
    if (!self->values || read_slots(&self->slots, slots) || read_steps(self, steps) || read_inputs(self, inputs) ||
        read_patches(self, patches) || read_checks(self, checks) ||
        read_puts(&self->slots, changed, &self->changed, &self->changed_count, &self->counts) ||
        read_puts(&self->slots, puts, &self->puts, &self->put_count, NULL))
        return -1;
    return read_spans(self, spans);
}

PyObject *sequence_set(Sequence *self, PyObject *args)
{
    Py_ssize_t step, argument;
    PyObject *value;
    if (!PyArg_ParseTuple(args, "nnO:set", &step, &argument, &value))
        return NULL;
    if (step < 0 || step >= self->step_count || argument < 0 || argument >= changeable(&self->steps[step])) {
        PyErr_SetString(PyExc_IndexError, "set: there is no such argument");
        return NULL;
    }
    int64_t *into = &self->arguments[self->steps[step].first + argument], before = *into;
    const Launch *launch = self->steps[step].launch;
    if (read_argument(launch ? launch : &jumping, argument, value, into)) {
        *into = before;
        return NULL;
    }
    Py_INCREF(Py_None);
    return Py_None;
}
