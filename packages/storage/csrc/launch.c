/* The launcher of kernels. A kernel returns 0, or a status with details in args[0..3]; it never raises. See Note
   [Launch] in _plans.py. */
#include "launch.h"

enum { STACK_ARGUMENTS = 24 };

/* Writes the plan for these lengths and strides (see `rebind`), derived from `plan`, to `into`, and returns the number
   of elements from which to release the GIL, or a negative number if there is no such plan. If `into` is NULL, it
   returns the number of bytes of the plan. */
typedef int64_t (*Shaper)(void *into, const void *plan, int64_t ndim, const int64_t *shape, const int64_t *strides);

static PyObject *LaunchError;

void raise_status(int64_t status, const int64_t *details, Py_ssize_t step)
{
    PyObject *values = Py_BuildValue(step < 0 ? "(LLLLL)" : "(LLLLLn)", (long long)status, (long long)details[0],
                                     (long long)details[1], (long long)details[2], (long long)details[3], step);
    if (values) {
        PyErr_SetObject(LaunchError, values);
        Py_DECREF(values);
    }
}

static _Thread_local uint64_t launches __attribute__((tls_model("initial-exec"))); /* launches of this thread */

PyObject *launch_count(PyObject *module, PyObject *nothing)
{
    (void)module;
    (void)nothing;
    return PyLong_FromUnsignedLongLong(launches);
}

static PyObject *launch(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    const Launch *launch = PyCapsule_GetPointer(self, NULL);
    int64_t few[STACK_ARGUMENTS], *values = few, status;
    PyObject *result = NULL;
    if (count < launch->least || count > launch->most) {
        if (launch->most == PY_SSIZE_T_MAX)
            PyErr_Format(PyExc_TypeError, "launch: expected at least %zd arguments; got %zd", launch->least, count);
        else
            PyErr_Format(PyExc_TypeError, "launch: expected %zd to %zd arguments; got %zd", launch->least,
                         launch->most, count);
        return NULL;
    }
    if (count > STACK_ARGUMENTS && !(values = malloc(sizeof *values * (size_t)count)))
        return PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count; i++)
        if (read_argument(launch, i, args[i], &values[i]))
            goto done;
    launches++;
    if (values[0] >= launch->release_at) {
        PyThreadState *state = PyEval_SaveThread();
        status = launch->kernel(launch->plan, values);
        PyEval_RestoreThread(state);
    } else {
        status = launch->kernel(launch->plan, values);
    }
    if (status) {
        raise_status(status, values, -1);
    } else {
        Py_INCREF(Py_None);
        result = Py_None;
    }
done:
    if (values != few)
        free(values);
    return result;
}

static PyMethodDef launch_definition = {"launch", (PyCFunction)(void (*)(void))launch, METH_FASTCALL,
                                        "launch(n, *addresses, *scalars) -> None"};

const Launch *launch_of(const char *operation, PyObject *function)
{
    if (PyCFunction_Check(function) && PyCFunction_GetFunction(function) == launch_definition.ml_meth)
        return PyCapsule_GetPointer(PyCFunction_GetSelf(function), NULL);
    PyErr_Format(PyExc_TypeError, "%s: expected a launch; got %R", operation, (PyObject *)Py_TYPE(function));
    return NULL;
}

static void forget_launch(PyObject *capsule)
{
    Launch *launch = PyCapsule_GetPointer(capsule, NULL);
    Py_DECREF(launch->owner);
    free(launch);
}

/* The callable of a launch, which owns the launch. */
static PyObject *function_of(Launch *made)
{
    PyObject *capsule = PyCapsule_New(made, NULL, forget_launch);
    if (!capsule) {
        free(made);
        return NULL;
    }
    Py_INCREF(made->owner);
    PyObject *function = PyCFunction_NewEx(&launch_definition, capsule, NULL);
    Py_DECREF(capsule);
    return function;
}

PyObject *bind(PyObject *module, PyObject *args)
{
    long long kernel, plan, release_at;
    unsigned long long doubles;
    PyObject *owner;
    int count = 0;
    if (!PyArg_ParseTuple(args, "LLLKO|i:bind", &kernel, &plan, &release_at, &doubles, &owner, &count))
        return NULL;
    if (!kernel) {
        PyErr_SetString(PyExc_ValueError, "bind: the kernel's address is 0");
        return NULL;
    }
    Launch *made = malloc(sizeof *made);
    if (!made)
        return PyErr_NoMemory();
    *made = (Launch){(Kernel)(intptr_t)kernel, (const void *)(intptr_t)plan, release_at, 1, STACK_ARGUMENTS, doubles,
                     owner};
    if (count) {
        made->least = count > 0 ? count : -(Py_ssize_t)count;
        made->most = count > 0 ? count : PY_SSIZE_T_MAX;
    }
    (void)module;
    return function_of(made);
}

/* unbind(launch): return its parts, for files that store plans. */
PyObject *unbind(PyObject *module, PyObject *function)
{
    const Launch *launch = launch_of("unbind", function);
    (void)module;
    return launch ? Py_BuildValue("(LLKO)", (long long)(intptr_t)launch->kernel, (long long)(intptr_t)launch->plan,
                                  (unsigned long long)launch->doubles, launch->owner)
                  : NULL;
}

static PyObject *name_shape, *name_strides; /* interned names of a layout's attributes */

/* Read an attribute of a layout, a tuple of at most ndim integers, into the last entries of `into`. */
static int read_last(PyObject *layout, PyObject *attribute, Py_ssize_t ndim, int64_t *into, Py_ssize_t *given)
{
    PyObject *tuple = PyObject_GetAttr(layout, attribute);
    if (!tuple)
        return -1;
    const Py_ssize_t count = *given = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < count && count <= ndim; i++)
        into[ndim - count + i] = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    Py_DECREF(tuple);
    return PyErr_Occurred() ? -1 : 0;
}

/* Read the strides of a layout along the dimensions of `shape`, 0 for broadcast ones. 1 if the shapes do not match, -1
   for an error. */
static int read_strides(PyObject *layout, Py_ssize_t ndim, const int64_t *shape, int64_t *strides)
{
    int64_t sizes[MAX_DIMENSIONS];
    Py_ssize_t count, again;
    if (read_last(layout, name_shape, ndim, sizes, &count) || read_last(layout, name_strides, ndim, strides, &again))
        return -1;
    if (count > ndim || count != again)
        return 1;
    for (Py_ssize_t i = 0; i < ndim; i++) {
        if (i < ndim - count || (sizes[i] == 1 && shape[i] != 1))
            strides[i] = 0;
        else if (sizes[i] != shape[i])
            return 1;
    }
    return 0;
}

/* rebind(launch, shaper, output, *inputs): return a launch of the same kernel with a plan for other layouts. */
PyObject *rebind(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    enum { MAX_LAYOUTS = 16 };
    int64_t shape[MAX_DIMENSIONS], strides[MAX_LAYOUTS * MAX_DIMENSIONS];
    Py_ssize_t ndim;
    (void)module;
    if (count < 3 || count > 2 + MAX_LAYOUTS) {
        PyErr_SetString(PyExc_TypeError, "rebind: expected a launch, an address, an output layout and up to 15 others");
        return NULL;
    }
    const Launch *old = launch_of("rebind", args[0]);
    const Shaper shaper = (Shaper)(intptr_t)PyLong_AsLongLong(args[1]);
    if (!old || !shaper || PyErr_Occurred() || read_last(args[2], name_shape, MAX_DIMENSIONS, shape, &ndim))
        return NULL;
    if (ndim > MAX_DIMENSIONS)
        Py_RETURN_NONE;
    memmove(shape, shape + MAX_DIMENSIONS - ndim, sizeof *shape * (size_t)ndim);
    for (Py_ssize_t i = 0; i < count - 2; i++) { /* inputs, then the output */
        int misfit = read_strides(args[i + 3 < count ? i + 3 : 2], ndim, shape, strides + i * ndim);
        if (misfit < 0)
            return NULL;
        if (misfit)
            Py_RETURN_NONE;
    }
    const size_t before = (sizeof(Launch) + 63) / 64 * 64;
    const int64_t bytes = shaper(NULL, old->plan, ndim, shape, strides);
    if (bytes < 0)
        Py_RETURN_NONE;
    Launch *made = malloc(before + (size_t)bytes);
    if (!made)
        return PyErr_NoMemory();
    *made = *old;
    made->plan = (char *)made + before;
    made->release_at = shaper((char *)made + before, old->plan, ndim, shape, strides);
    if (made->release_at < 0) {
        free(made);
        Py_RETURN_NONE;
    }
    return function_of(made);
}

int prepare_launches(PyObject *module)
{
    LaunchError = PyErr_NewExceptionWithDoc("facula_storage.LaunchError",
                                            "A kernel refused its arguments: (status, detail, detail, detail, detail).",
                                            PyExc_RuntimeError, NULL);
    name_shape = PyUnicode_InternFromString("shape");
    name_strides = PyUnicode_InternFromString("strides");
    if (!LaunchError || !name_shape || !name_strides)
        return -1;
    return PyModule_AddObjectRef(module, "LaunchError", LaunchError);
}
