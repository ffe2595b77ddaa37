/* The call of a sequence: all checks run before the first launch, and the GIL is released once. */
#include "sequence.h"

#include <stdatomic.h>
#include <time.h>

/* An observer of replays, such as a profiler; see Note [Observed replays] in _sequences.py. */
typedef void (*Observer)(int64_t kind, int64_t thread, int64_t start, int64_t end, int64_t value);
enum { REPLAY = 6, STEP = 7, THIS_THREAD = -1 };
static _Atomic(Observer) current_observer;

PyObject *observe_replays(PyObject *module, PyObject *address)
{
    (void)module;
    void *observer = PyLong_AsVoidPtr(address);
    if (!observer && PyErr_Occurred())
        return NULL;
    return PyLong_FromVoidPtr((void *)atomic_exchange(&current_observer, (Observer)observer));
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Report step `i`, or the whole replay for the number of steps. */
static void report(const Sequence *self, Observer observer, Py_ssize_t i, int64_t start)
{
    const Step *step = i < self->step_count ? &self->steps[i] : NULL;
    const int64_t kind = self->labels ? self->labels[i] : step ? STEP : REPLAY;
    const int64_t value = !step ? self->step_count : step->count ? self->arguments[step->first] : 0;
    observer(kind, THIS_THREAD, start, now(), value);
}

static inline int64_t slot_as_integer(const Slots *slots, int which, PyObject *holder, int *failed)
{
    PyObject *found = slot_value(slots, which, holder);
    if (found && PyLong_CheckExact(found)) {
        int overflow;
        const int64_t value = PyLong_AsLongLongAndOverflow(found, &overflow);
        *failed |= overflow;
        return value;
    }
    *failed = 1; /* not set, or None */
    return -1;
}

static int overlaps(const Spans *spans, int64_t start, int64_t end)
{
    Py_ssize_t first = 0, count = spans->count; /* the spans from `first + count` on begin too late */
    while (count > 0) {
        const Py_ssize_t half = count / 2;
        if (spans->all[first + half].start < end) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first && start < spans->all[first - 1].end;
}

/* Whether input `i`, starting at `address`, overlaps memory that it did not overlap before, or at another offset. */
static int collides(const Sequence *self, Py_ssize_t i, int64_t address)
{
    const Input *input = &self->inputs[i];
    const int64_t end = address + input->extent;
    int failed = overlaps(&self->written, address, end) || (input->is_written && overlaps(&self->read, address, end));
    for (Py_ssize_t k = 0; input->root >= 0 && k < i; k++) {
        const int64_t start = self->values[k];
        if (input->root == k)
            failed |= address - start != input->delta;
        else if (input->root != self->inputs[k].root)
            failed |= address < start + self->inputs[k].extent && start < end;
    }
    return failed;
}

/* Whether input `i` has its class, and is identical to the same earlier inputs as before. */
static int is_alike(const Sequence *self, Py_ssize_t i, PyObject *inputs, PyObject *tensor)
{
    const Input *input = &self->inputs[i];
    if (input->kind != Py_None && (PyObject *)Py_TYPE(tensor) != input->kind)
        return 0;
    Py_ssize_t twin = 0;
    if (input->twin >= 0)
        while (PyTuple_GetItem(inputs, twin) != tensor)
            twin++;
    return input->twin < 0 || twin == input->twin;
}

/* Whether a tensor matches input `i`; its address is stored in `values`. */
static int fits(Sequence *self, Py_ssize_t i, PyObject *inputs)
{
    const Slots *slots = &self->slots;
    Input *input = &self->inputs[i];
    PyObject *tensor = PyTuple_GetItem(inputs, i);
    if (!is_tensor(slots, tensor) || !is_alike(self, i, inputs, tensor))
        return 0;
    PyObject *found = slot_value(slots, SLOT_LAYOUT, tensor);
    if (found != input->layout) {
        if (!same_layout(slots, found, input->layout))
            return 0;
        PyObject *before = input->layout;
        Py_INCREF(found);
        input->layout = found; /* the next comparison is by identity */
        Py_DECREF(before);
    }
    if (input->node) {
        found = slot_value(slots, SLOT_NODE, tensor);
        if (!found || (found != input->node && (PyObject *)Py_TYPE(found) != input->node))
            return 0;
    }
    if (input->is_bare && (found = slot_value(slots, SLOT_HOOKS, tensor)) && found != Py_None)
        return 0;
    PyObject *storage = slot_value(slots, SLOT_STORAGE, tensor);
    if (!storage || !is_storage(slots, storage))
        return 0;
    int failed = 0;
    const int64_t address = slot_as_integer(slots, SLOT_ADDRESS, storage, &failed) +
                            slot_as_integer(slots, SLOT_OFFSET, tensor, &failed);
    if (input->is_written)
        slot_as_integer(slots, SLOT_VERSION, storage, &failed); /* None for read-only memory */
    if (failed || collides(self, i, address))
        return 0;
    self->values[i] = address;
    return 1;
}

/* Return the first input that does not match, or -1. */
static Py_ssize_t failing_input(Sequence *self, PyObject *inputs)
{
    if (PyTuple_Size(inputs) != self->input_count)
        return 0;
    for (Py_ssize_t i = 0; i < self->input_count; i++)
        if (!fits(self, i, inputs))
            return i;
    return -1;
}

/* Run a step that Python computes: call its function with integers. -1 with an error set if it raises. */
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

/* Return the number of steps that a condition skips; negative for a jump back. */
static Py_ssize_t next_step(const Sequence *self, const Step *step)
{
    const int64_t *arguments = self->arguments + step->first;
    float condition;
    memcpy(&condition, (const void *)(intptr_t)arguments[0], sizeof condition);
    const int wanted = step->count < 3 || arguments[2];
    return (condition != 0) == wanted ? (Py_ssize_t)arguments[1] : 0;
}

enum { SIGNAL_CHECK_INTERVAL = 1024 }; /* iterations of loops between two checks for Ctrl-C */

/* Return the status of the failed launch, step `*at`, or 0; -1 with a Python error set. Inline, so that the code without
   an observer does not test it for each step. */
static inline __attribute__((always_inline)) int64_t run_steps(Sequence *self, Py_ssize_t *at, Observer observer)
{
    PyThreadState *state = self->releases ? PyEval_SaveThread() : NULL;
    int64_t status = 0, turns = 0;
    int64_t words[] = {self->step_count, (int64_t)(intptr_t)self->plain, (int64_t)(intptr_t)self->arguments,
                       (int64_t)(intptr_t)self->scratch};
    if (self->combined && !self->combined->kernel(self->combined->plan, words)) {
        if (state)
            PyEval_RestoreThread(state);
        return 0;
    }
    for (Py_ssize_t i = 0; i < self->step_count; i++) {
        const Step *step = &self->steps[i];
        const int64_t start = observer ? now() : 0;
        if (step->function) {
            if (state)
                PyEval_RestoreThread(state);
            status = call_function(self, step);
            state = self->releases ? PyEval_SaveThread() : NULL;
            *at = i;
            if (observer)
                report(self, observer, i, start);
            if (status)
                break;
            continue;
        }
        if (!step->launch) {
            const Py_ssize_t moves = next_step(self, step);
            if (moves < 0 && ++turns % SIGNAL_CHECK_INTERVAL == 0) {
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
        if (observer)
            report(self, observer, i, start);
        if (status) {
            *at = i;
            break;
        }
    }
    if (state)
        PyEval_RestoreThread(state);
    return status;
}

static int64_t run_observed(Sequence *self, Py_ssize_t *at, Observer observer)
{
    const int64_t start = now(), status = run_steps(self, at, observer);
    report(self, observer, self->step_count, start);
    return status;
}

/* Restore the memory that the launches wrote to a stored tensor, if it was replaced (`.grad.data = t`). */
static int restore(const Slots *slots, const Put *put)
{
    for (int i = SLOT_LAYOUT; put->parts && i <= SLOT_HOOKS; i++)
        if (slot_value(slots, i, put->value) != put->parts[i] && set_slot(slots->descriptors[i], put->value, put->parts[i]))
            return -1;
    return 0;
}

/* Increment the versions of written storages, and restore the objects that the step leaves behind. */
static int finish(Sequence *self)
{
    for (Py_ssize_t i = 0; i < self->changed_count; i++) {
        const Put *put = &self->changed[i];
        int failed = 0;
        const int64_t version = slot_as_integer(&self->slots, SLOT_VERSION, put->holder, &failed);
        PyObject *next = PyLong_FromLongLong(version + self->counts[i]);
        if (failed || !next || put_slot(&self->slots, SLOT_VERSION, put->holder, next) ||
            put_slot(&self->slots, SLOT_MUTATOR, put->holder, put->value)) {
            Py_XDECREF(next);
            return -1;
        }
        Py_DECREF(next);
    }
    for (Py_ssize_t i = 0; i < self->put_count; i++) {
        const Put *put = &self->puts[i];
        if (put->slot >= 0 ? put_slot(&self->slots, put->slot, put->holder, put->value)
                           : set_slot(put->descriptor, put->holder, put->value))
            return -1;
        if (restore(&self->slots, put))
            return -1;
    }
    return 0;
}

/* Return the first changed storage that is read-only now (its version is None), or -1. */
static Py_ssize_t read_only_storage(const Sequence *self)
{
    for (Py_ssize_t i = 0; i < self->changed_count; i++) {
        int failed = 0;
        slot_as_integer(&self->slots, SLOT_VERSION, self->changed[i].holder, &failed);
        if (failed)
            return i;
    }
    return -1;
}

/* Run a call while no other call is active. */
static PyObject *run_once(Sequence *self, PyObject *inputs, PyObject *values)
{
    /* Checks that may run other code come first: after them no state can change until the launches. */
    Py_ssize_t failing = self->has_early ? failing_check(self->checks, self->check_count, &self->slots, 1) : -1;
    if (failing == -2)
        return NULL;
    if (failing >= 0)
        return PyLong_FromSsize_t(failing);
    failing = failing_input(self, inputs);
    if (failing >= 0)
        return PyLong_FromSsize_t(-1 - failing);
    failing = failing_check(self->checks, self->check_count, &self->slots, 0);
    if (failing >= 0)
        return PyLong_FromSsize_t(failing);
    if (read_only_storage(self) >= 0)
        return PyLong_FromSsize_t(self->check_count);
    for (Py_ssize_t i = self->input_count; values && i < self->value_count; i++) {
        self->values[i] = PyLong_AsLongLong(PyTuple_GetItem(values, i - self->input_count));
        if (self->values[i] == -1 && PyErr_Occurred())
            return NULL;
    }
    for (Py_ssize_t i = 0; i < self->patch_count; i++) {
        const Patch *patch = &self->patches[i];
        self->arguments[patch->place] = self->values[patch->source] + patch->delta;
    }
    Py_ssize_t at = 0;
    const Observer observer = atomic_load_explicit(&current_observer, memory_order_relaxed);
    const int64_t status = observer && self->step_count ? run_observed(self, &at, observer) : run_steps(self, &at, NULL);
    if (status || PyErr_Occurred()) {
        self->failed = at;
        if (!PyErr_Occurred())
            raise_status(status, self->scratch, at);
        return NULL;
    }
    if (finish(self))
        return NULL;
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *run_with(Sequence *self, PyObject *inputs, PyObject *values)
{
    if (self->busy)
        return PyLong_FromSsize_t(self->check_count);
    self->busy = 1;
    self->failed = -1;
    PyObject *result = run_once(self, inputs, values);
    self->busy = 0;
    return result;
}

/* run(inputs, values): return None, or the number of the failed check: -1 - k for input k. */
PyObject *sequence_run(Sequence *self, PyObject *const *args, Py_ssize_t count)
{
    if (count != 2 || !PyTuple_CheckExact(args[0]) || !PyTuple_CheckExact(args[1]) ||
        PyTuple_Size(args[1]) != self->value_count - self->input_count) {
        PyErr_SetString(PyExc_TypeError, "run: expected a tuple of inputs and one of values");
        return NULL;
    }
    return run_with(self, args[0], args[1]);
}
