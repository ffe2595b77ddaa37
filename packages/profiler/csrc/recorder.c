/* The type Recorder, and the module. See Note [Recording] in recorder.h. */
#include "recorder.h"

#include <sched.h>
#include <structmember.h>
#include <sys/syscall.h>
#include <unistd.h>

Recorder *_Atomic active;
_Atomic uint64_t active_generation;
static _Atomic int64_t writers; /* threads without the GIL that write now */
static uint64_t generations;

static _Thread_local struct {
    uint64_t generation;
    int32_t lane;
    int is_named; /* whether `on_lane` was called: the first event may come from a call that runs no Python code */
} own;

static int interrupt(void *unused)
{
    (void)unused;
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    return -1;
}

/* Calls a function from inside a launch, which must not fail: Ctrl-C is raised in the program after the launch. Returns
   whether the recorder of this generation still records. */
static int call_back(PyObject *function, int32_t number, uint64_t generation)
{
    Py_INCREF(function);
    PyObject *result = PyObject_CallFunction(function, "i", (int)number);
    if (!result) {
        if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) && !Py_AddPendingCall(interrupt, NULL))
            PyErr_Clear();
        else
            PyErr_WriteUnraisable(function);
    }
    Py_XDECREF(result);
    Py_DECREF(function);
    return atomic_load(&active_generation) == generation;
}

int32_t lane_of_thread(Recorder *recorder, int may_call)
{
    const uint64_t generation = recorder->generation;
    if (own.generation != generation) {
        const int32_t next = atomic_fetch_add(&recorder->lanes, 1);
        own.lane = next < MAX_LANES ? next : MAX_LANES - 1; /* further threads share a lane */
        recorder->threads[own.lane] = (int32_t)syscall(SYS_gettid);
        own.generation = generation;
        own.is_named = !recorder->on_lane;
    }
    const int32_t lane = own.lane;
    if (own.is_named || !may_call)
        return lane;
    own.is_named = 1;
    return call_back(recorder->on_lane, lane, generation) ? lane : -2;
}

int32_t stack_now(Recorder *recorder)
{
    if (!recorder->has_stacks)
        return -1;
    const uint64_t generation = recorder->generation;
    const int32_t before = recorder->stacks.count, stack = current_stack(&recorder->stacks);
    if (recorder->stacks.count == before || !recorder->on_stack)
        return stack;
    return call_back(recorder->on_stack, before, generation) ? stack : -2;
}

/* For C sources, with or without the GIL. `kind` is a label: the kind in 8 bits, 1 plus the number of a name in 16 bits, 1
   plus the number of a plan in 20 bits, 1 plus the number of a stack in 19 bits. `worker` is the number of a thread of a
   pool, -1 for the calling thread, or a lane that a source made. */
static void record_from_c(int64_t kind, int64_t worker, int64_t start, int64_t end, int64_t value)
{
    atomic_fetch_add(&writers, 1);
    Recorder *recorder = atomic_load(&active);
    if (recorder) {
        const int32_t lane = worker < 0 ? lane_of_thread(recorder, 0)
                             : worker < MAX_LANES ? (int32_t)(-2 - worker)
                                                  : (int32_t)worker;
        const Event event = {.start = start, .end = end, .seq = -1, .value = value,
                             .name = (int32_t)(kind >> 8 & 0xffff) - 1, .lane = lane,
                             .stack = (int32_t)(kind >> 44 & 0x7ffff) - 1, .plan = (int32_t)(kind >> 24 & 0xfffff) - 1,
                             .kind = (uint32_t)(kind & 255), .link = -1};
        record(recorder, &event);
    }
    atomic_fetch_sub(&writers, 1);
}

static int text_or_null(PyObject *value, const char **text)
{
    *text = NULL;
    if (value == Py_None)
        return 0;
    PyObject *bytes;
    if (!PyUnicode_FSConverter(value, &bytes))
        return -1;
    *text = strdup(PyBytes_AsString(bytes));
    Py_DECREF(bytes);
    if (!*text)
        PyErr_NoMemory();
    return *text ? 0 : -1;
}

/* Recorder(capacity, path, stacks, memory, counter, on_lane, on_stack) */
static PyObject *recorder_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    long long capacity;
    int has_stacks, has_memory;
    PyObject *where, *counter, *on_lane, *on_stack;
    const char *path;
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Recorder: takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "LOppOOO:Recorder", &capacity, &where, &has_stacks, &has_memory, &counter, &on_lane,
                          &on_stack))
        return NULL;
    if (capacity < 1 || capacity & (capacity - 1) || capacity > (1LL << 40)) {
        PyErr_SetString(PyExc_ValueError, "Recorder: expected a capacity that is a power of two, at most 2**40");
        return NULL;
    }
    if (counter != Py_None && !PyIter_Check(counter)) {
        PyErr_SetString(PyExc_TypeError, "Recorder: expected an iterator of sequence numbers, or None");
        return NULL;
    }
    if (text_or_null(where, &path))
        return NULL;
    allocfunc make = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Recorder *self = (Recorder *)make(type, 0);
    const int code = self ? ring_open(&self->ring, capacity, path) : 0;
    free((char *)path);
    if (code) {
        PyErr_SetObject(PyExc_OSError, Py_BuildValue("(isO)", code, strerror(code), where));
        Py_CLEAR(self);
    }
    if (!self)
        return NULL;
    self->generation = ++generations;
    self->has_stacks = has_stacks;
    self->has_memory = has_memory;
    self->counter = counter == Py_None ? NULL : Py_NewRef(counter);
    self->on_lane = on_lane == Py_None ? NULL : Py_NewRef(on_lane);
    self->on_stack = on_stack == Py_None ? NULL : Py_NewRef(on_stack);
    return (PyObject *)self;
}

static int recorder_clear(Recorder *self)
{
    Py_CLEAR(self->counter);
    Py_CLEAR(self->on_lane);
    Py_CLEAR(self->on_stack);
    return 0;
}

static int recorder_traverse(Recorder *self, visitproc visit, void *arg)
{
    Py_VISIT((PyObject *)Py_TYPE((PyObject *)self));
    Py_VISIT(self->counter);
    Py_VISIT(self->on_lane);
    Py_VISIT(self->on_stack);
    return 0;
}

static void recorder_dealloc(Recorder *self) /* an active recorder has another reference */
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    PyObject_GC_UnTrack((PyObject *)self);
    recorder_clear(self);
    stacks_clear(&self->stacks);
    ring_close(&self->ring);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

static PyObject *recorder_start(Recorder *self, PyObject *nothing)
{
    (void)nothing;
    if (atomic_load(&active)) {
        PyErr_SetString(PyExc_RuntimeError, "start: a recorder runs already");
        return NULL;
    }
    Py_INCREF((PyObject *)self);
    atomic_store(&active, self);
    atomic_store(&active_generation, self->generation);
    return Py_NewRef(Py_None);
}

static PyObject *recorder_stop(Recorder *self, PyObject *nothing)
{
    (void)nothing;
    if (atomic_load(&active) == self) {
        atomic_store(&active_generation, 0);
        atomic_store(&active, NULL);
        while (atomic_load(&writers)) /* each writes one record, and may need this core for that */
            sched_yield();
        Py_DECREF((PyObject *)self);
    }
    return Py_NewRef(Py_None);
}

/* In a forked child: the threads that wrote are gone, and a mapped file belongs to the parent. */
static PyObject *abandon(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    Recorder *recorder = atomic_load(&active);
    atomic_store(&active_generation, 0);
    atomic_store(&active, NULL);
    atomic_store(&writers, 0);
    Py_XDECREF((PyObject *)recorder);
    return Py_NewRef(Py_None);
}

/* event(kind, name, start, end, lane, seq, value, link, plan, stack) -> the number of the record, or -1; lane -1: this
   thread's; stack -1: the stack of this thread in its own lane, none in others. */
static PyObject *recorder_event(Recorder *self, PyObject *const *args, Py_ssize_t count)
{
    long long values[10];
    if (count != 10) {
        PyErr_Format(PyExc_TypeError, "event: expected 10 arguments; got %zd", count);
        return NULL;
    }
    for (Py_ssize_t i = 0; i < 10; i++) {
        values[i] = PyLong_AsLongLong(args[i]);
        if (values[i] == -1 && PyErr_Occurred())
            return NULL;
    }
    if (atomic_load(&active) != self)
        return PyLong_FromLong(-1);
    int32_t lane = (int32_t)values[4], stack = (int32_t)values[9];
    if (lane == -1) {
        lane = lane_of_thread(self, 1);
        stack = lane < -1 ? -2 : stack >= 0 ? stack : stack_now(self);
        if (stack < -1)
            return PyLong_FromLong(-1);
    }
    const Event event = {.start = values[2], .end = values[3], .seq = values[5], .value = values[6],
                         .name = (int32_t)values[1], .lane = lane, .stack = stack,
                         .plan = (int32_t)values[8], .kind = (uint32_t)values[0], .link = values[7]};
    return PyLong_FromUnsignedLongLong(record(self, &event));
}

/* contents() -> (number of the first record, bytes of the records): those that are not overwritten, in order. */
static PyObject *recorder_contents(Recorder *self, PyObject *nothing)
{
    (void)nothing;
    const uint64_t capacity = (uint64_t)self->ring.capacity, count = atomic_load(&self->ring.count);
    const uint64_t first = count > capacity ? count - capacity : 0, kept = count - first, at = first & (capacity - 1);
    const uint64_t before = kept < capacity - at ? kept : capacity - at;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(kept * sizeof(Event)));
    if (!bytes)
        return NULL;
    char *into = PyBytes_AsString(bytes);
    memcpy(into, self->ring.events + at, before * sizeof(Event));
    memcpy(into + before * sizeof(Event), self->ring.events, (kept - before) * sizeof(Event));
    return Py_BuildValue("(KN)", (unsigned long long)first, bytes);
}

static PyObject *recorder_stacks(Recorder *self, PyObject *from)
{
    const Py_ssize_t first = PyLong_AsSsize_t(from);
    return first == -1 && PyErr_Occurred() ? NULL : stacks_list(&self->stacks, first);
}

/* stack(code, instruction) -> the number of a stack of one frame; -1 if stacks are not recorded. */
static PyObject *recorder_stack(Recorder *self, PyObject *args)
{
    PyObject *code;
    int lasti;
    if (!PyArg_ParseTuple(args, "Oi:stack", &code, &lasti))
        return NULL;
    const int32_t before = self->stacks.count;
    const int32_t stack = self->has_stacks ? intern_stack(&self->stacks, code, -1, lasti) : -1;
    if (self->stacks.count > before && self->on_stack)
        call_back(self->on_stack, before, self->generation);
    return PyLong_FromLong(stack);
}

/* lane() -> the number of this thread's lane, also while the recorder is stopped. */
static PyObject *recorder_lane(Recorder *self, PyObject *nothing)
{
    (void)nothing;
    lane_of_thread(self, 1);
    return PyLong_FromLong(lane_of_thread(self, 0));
}

static PyObject *recorder_threads(Recorder *self, PyObject *nothing)
{
    (void)nothing;
    const int32_t lanes = atomic_load(&self->lanes);
    PyObject *list = PyList_New(0);
    for (int32_t i = 0; list && i < (lanes < MAX_LANES ? lanes : MAX_LANES); i++) {
        PyObject *thread = PyLong_FromLong(self->threads[i]);
        if (!thread || PyList_Append(list, thread))
            Py_CLEAR(list);
        Py_XDECREF(thread);
    }
    return list;
}

static PyObject *recorder_header(Recorder *self, PyObject *nothing)
{
    (void)nothing;
    const Ring *ring = &self->ring;
    return Py_BuildValue("(LLLK)", (long long)ring->capacity, (long long)ring->began, (long long)ring->began_utc,
                         (unsigned long long)atomic_load(&ring->count));
}

static PyMethodDef recorder_methods[] = {
    {"start", (PyCFunction)recorder_start, METH_NOARGS, "start() -> None\n\nRecord from now on."},
    {"stop", (PyCFunction)recorder_stop, METH_NOARGS, "stop() -> None\n\nStop recording, if this recorder runs."},
    {"wrap", (PyCFunction)(void (*)(void))wrap_launch, METH_FASTCALL, "wrap(launch, plan) -> a launch that is recorded"},
    {"event", (PyCFunction)(void (*)(void))recorder_event, METH_FASTCALL,
     "event(kind, name, start, end, lane, seq, value, link, plan, stack) -> the number of the record, or -1 if none is written"},
    {"contents", (PyCFunction)recorder_contents, METH_NOARGS, "contents() -> (number of the first record, records)"},
    {"stacks", (PyCFunction)recorder_stacks, METH_O, "stacks(first) -> [(code, caller, instruction)]"},
    {"threads", (PyCFunction)recorder_threads, METH_NOARGS, "threads() -> the thread of each lane"},
    {"stack", (PyCFunction)recorder_stack, METH_VARARGS,
     "stack(code, instruction) -> the number of a stack of one frame, or -1 if stacks are not recorded"},
    {"lane", (PyCFunction)recorder_lane, METH_NOARGS, "lane() -> the number of this thread's lane"},
    {"header", (PyCFunction)recorder_header, METH_NOARGS, "header() -> (capacity, began, began in UTC, count)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot recorder_slots[] = {
    {Py_tp_doc, "Recorder(capacity, path, stacks, memory, counter, on_lane, on_stack)\n\nRecords in memory of fixed size."},
    {Py_tp_new, recorder_new},
    {Py_tp_dealloc, recorder_dealloc},
    {Py_tp_traverse, recorder_traverse},
    {Py_tp_clear, recorder_clear},
    {Py_tp_methods, recorder_methods},
    {0, NULL},
};
static PyType_Spec recorder_spec = {"facula_profiler._recorder.Recorder", sizeof(Recorder), 0,
                                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, recorder_slots};

static PyObject *clock_now(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return PyLong_FromLongLong(now());
}

/* parents(lanes, starts, ends) -> bytes of int32: the enclosing event of each. Sorted by lane, start, falling end. */
static PyObject *parents(PyObject *module, PyObject *args)
{
    const char *lanes, *starts, *ends;
    Py_ssize_t count, start_bytes, end_bytes;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#y#y#:parents", &lanes, &count, &starts, &start_bytes, &ends, &end_bytes))
        return NULL;
    count /= 4;
    if (start_bytes != count * 8 || end_bytes != count * 8) {
        PyErr_SetString(PyExc_ValueError, "parents: expected arrays of int32, int64 and int64, of one length");
        return NULL;
    }
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, count * 4);
    if (!bytes)
        return NULL;
    int32_t *into = (int32_t *)PyBytes_AsString(bytes);
    const int32_t *lane = (const int32_t *)lanes;
    const int64_t *start = (const int64_t *)starts, *end = (const int64_t *)ends;
    for (int32_t i = 0; i < count; i++) { /* the enclosing events form a chain that ends at the event before */
        int32_t around = i ? i - 1 : -1;
        if (around >= 0 && lane[around] != lane[i])
            around = -1;
        while (around >= 0 && (end[around] < end[i] || end[around] <= start[i]))
            if (end[around] == start[i] && start[around] == start[i] && end[i] == start[i])
                break; /* of no length, at the same time */
            else
                around = into[around];
        into[i] = around;
    }
    return bytes;
}

static PyMethodDef methods[] = {
    {"abandon", abandon, METH_NOARGS, "abandon() -> None\n\nStop recording in a forked child."},
    {"now", clock_now, METH_NOARGS, "now() -> nanoseconds of the clock of records"},
    {"parents", parents, METH_VARARGS, "parents(lanes, starts, ends) -> int32 of each enclosing event"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_definition = {PyModuleDef_HEAD_INIT, "_recorder", "Records of events, written in C.",
                                               -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__recorder(void)
{
    PyObject *module = PyModule_Create(&module_definition), *type = PyType_FromSpec(&recorder_spec);
    if (!module || !type || PyModule_AddObjectRef(module, "Recorder", type) || add_memory(module) ||
        PyModule_AddObjectRef(module, "ADDRESS", PyLong_FromLongLong((int64_t)(intptr_t)record_from_c)))
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
