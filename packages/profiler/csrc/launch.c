/* Launches that record themselves: callables around the launches of plan tables. See Note [Observers] in
   facula_storage/_plans.py. */
#include "recorder.h"

typedef PyObject *(*Fast)(PyObject *self, PyObject *const *args, Py_ssize_t count);

typedef struct {
    Fast call;            /* the C function of the launch, or NULL for a function of Python */
    PyObject *self;       /* of that function: borrowed from `launch` */
    PyObject *launch;
    uint64_t generation;  /* of the recorder for which the launch was wrapped */
    int32_t plan;
    int32_t output;       /* the place of the first output among the arguments, or 0 */
} Wrapped;

static PyObject *call_launch(const Wrapped *wrapped, PyObject *const *args, Py_ssize_t count)
{
    if (wrapped->call)
        return wrapped->call(wrapped->self, args, count);
    PyObject *tuple = PyTuple_New(count), *result = NULL;
    for (Py_ssize_t i = 0; tuple && i < count; i++)
        PyTuple_SetItem(tuple, i, Py_NewRef(args[i]));
    if (tuple)
        result = PyObject_CallObject(wrapped->launch, tuple);
    Py_XDECREF(tuple);
    return result;
}

/* The next sequence number: the node that the launch's operator may create has the number after it. */
static int64_t next_seq(const Recorder *recorder)
{
    if (!recorder->counter)
        return -1;
    PyObject *number = PyIter_Next(recorder->counter);
    const int64_t seq = number ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
    if (PyErr_Occurred())
        PyErr_Clear();
    return seq;
}

static PyObject *recorded_launch(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const Wrapped *wrapped = PyCapsule_GetPointer(self, NULL);
    if (wrapped->generation != atomic_load_explicit(&active_generation, memory_order_relaxed))
        return call_launch(wrapped, args, count); /* kept by a caller after its recording */
    const int64_t start = now();
    PyObject *result = call_launch(wrapped, args, count);
    if (!result || wrapped->generation != atomic_load_explicit(&active_generation, memory_order_relaxed))
        return result; /* a refused launch is repeated by the caller, or raised */
    const int64_t end = now();
    Recorder *recorder = atomic_load_explicit(&active, memory_order_relaxed);
    const int32_t lane = lane_of_thread(recorder, 1), stack = lane < -1 ? -2 : stack_now(recorder);
    if (stack < -1)
        return result;
    const int64_t elements = count ? PyLong_AsLongLong(args[0]) : 0;
    if (elements == -1 && PyErr_Occurred())
        PyErr_Clear();
    /* compared as objects: an operator in place passes one address twice, mostly as one object; 0 is that of any empty
       tensor */
    const int in_place = wrapped->output > 1 && count > wrapped->output &&
                         PyObject_RichCompareBool(args[1], args[wrapped->output], Py_EQ) == 1 &&
                         PyObject_IsTrue(args[1]) == 1;
    const Event event = {.start = start, .end = end, .seq = next_seq(recorder), .value = elements, .name = -1,
                         .lane = lane, .stack = stack, .plan = wrapped->plan, .kind = KIND_LAUNCH | (in_place ? IN_PLACE : 0), .link = -1};
    record(recorder, &event);
    return result;
}

static PyMethodDef definition = {"launch", (PyCFunction)(void (*)(void))recorded_launch, METH_FASTCALL,
                                 "launch(n, *addresses, *scalars) -> None"};

static void forget(PyObject *capsule)
{
    Wrapped *wrapped = PyCapsule_GetPointer(capsule, NULL);
    Py_DECREF(wrapped->launch);
    PyMem_Free(wrapped);
}

PyObject *wrap_launch(Recorder *recorder, PyObject *const *args, Py_ssize_t count)
{
    if (count != 3 || !PyCallable_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "wrap: expected a launch, the number of its plan, and the place of its output");
        return NULL;
    }
    const long plan = PyLong_AsLong(args[1]), output = PyLong_AsLong(args[2]);
    if (PyErr_Occurred())
        return NULL;
    Wrapped *wrapped = PyMem_Malloc(sizeof *wrapped);
    if (!wrapped)
        return PyErr_NoMemory();
    *wrapped = (Wrapped){NULL, NULL, args[0], recorder->generation, (int32_t)plan, (int32_t)output};
    if (PyCFunction_CheckExact(args[0]) && PyCFunction_GetFlags(args[0]) == METH_FASTCALL) {
        wrapped->call = (Fast)(void (*)(void))PyCFunction_GetFunction(args[0]);
        wrapped->self = PyCFunction_GetSelf(args[0]);
    }
    PyObject *capsule = PyCapsule_New(wrapped, NULL, forget);
    if (!capsule) {
        PyMem_Free(wrapped);
        return NULL;
    }
    Py_INCREF(wrapped->launch);
    PyObject *function = PyCFunction_NewEx(&definition, capsule, NULL);
    Py_DECREF(capsule);
    return function;
}
