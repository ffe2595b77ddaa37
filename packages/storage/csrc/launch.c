/* The launcher of kernels. A kernel returns 0, or a status with details in args[0..3]; it never raises. See Note
   [Launch] in _plans.py. */
#include "launch.h"

enum { STACK_ARGUMENTS = 24 };

/* Writes the plan for these layouts (see `rebind`), derived from `plan`, to `into`, sets the bytes of workspace if it
   needs any, and returns the number of elements from which to release the GIL, or a negative number if there is no such
   plan. If `into` is NULL, it returns the number of bytes of the plan. For each of `count` layouts, `layouts` has the
   number of dimensions, the shape and the strides; for None, only -1; for a tuple of integers, their number, then they;
   for an integer, 1 and it. */
typedef int64_t (*Shaper)(void *into, const void *plan, int64_t count, const int64_t *layouts, int64_t *workspace);

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

/* Whether a callable was made by `bind` or `rebind`. */
static int is_launch(PyObject *function)
{
    return PyCFunction_Check(function) && PyCFunction_GetFunction(function) == launch_definition.ml_meth;
}

const Launch *launch_of(const char *operation, PyObject *function)
{
    if (is_launch(function))
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

/* workspace_of(launch): return the bytes of workspace of a launch made by `rebind`. */
PyObject *workspace_of(PyObject *module, PyObject *function)
{
    const Launch *launch = is_launch(function) ? PyCapsule_GetPointer(PyCFunction_GetSelf(function), NULL) : NULL;
    (void)module;
    return PyLong_FromLongLong(launch ? launch->workspace : 0);
}

static PyObject *name_shape, *name_strides; /* interned names of a layout's attributes */

/* Append the integers of a tuple, at most MAX_DIMENSIONS, to the numbers that `end` points to. Return its length, -1 for
   an error. */
static Py_ssize_t read_tuple(PyObject *tuple, int64_t **end)
{
    const Py_ssize_t count = PyTuple_Size(tuple);
    for (Py_ssize_t i = 0; i < count && count <= MAX_DIMENSIONS; i++)
        *(*end)++ = PyLong_AsLongLong(PyTuple_GetItem(tuple, i));
    return PyErr_Occurred() ? -1 : count;
}

/* The same for an attribute of a layout. */
static Py_ssize_t read_attribute(PyObject *layout, PyObject *attribute, int64_t **end)
{
    PyObject *tuple = PyObject_GetAttr(layout, attribute);
    const Py_ssize_t count = tuple ? read_tuple(tuple, end) : -1;
    Py_XDECREF(tuple);
    return count;
}

/* Append the description of a layout, or of integers, for shapers. 1 if there are too many, -1 for an error. */
static int read_shape(PyObject *layout, int64_t **end)
{
    int64_t *const ndim = (*end)++;
    *ndim = -1;
    if (layout == Py_None)
        return 0;
    if (PyIndex_Check(layout)) {
        *ndim = 1;
        *(*end)++ = PyLong_AsLongLong(layout);
        return PyErr_Occurred() ? -1 : 0;
    }
    const int is_tuple = PyTuple_CheckExact(layout);
    const Py_ssize_t count = is_tuple ? read_tuple(layout, end) : read_attribute(layout, name_shape, end);
    if (count < 0 || count > MAX_DIMENSIONS)
        return count < 0 ? -1 : 1;
    const Py_ssize_t again = is_tuple ? count : read_attribute(layout, name_strides, end);
    *ndim = count;
    return again < 0 ? -1 : again != count;
}

/* rebind(launch, shaper, *layouts): return a launch of the same kernel with a plan for other layouts. */
PyObject *rebind(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    enum { MAX_LAYOUTS = 16 };
    int64_t layouts[MAX_LAYOUTS * (1 + 2 * MAX_DIMENSIONS)], *end = layouts, workspace = 0;
    (void)module;
    if (count < 3 || count > 2 + MAX_LAYOUTS) {
        PyErr_SetString(PyExc_TypeError, "rebind: expected a launch, an address, and 1 to 16 layouts");
        return NULL;
    }
    const Launch *old = launch_of("rebind", args[0]);
    const Shaper shaper = (Shaper)(intptr_t)PyLong_AsLongLong(args[1]);
    if (!old || !shaper || PyErr_Occurred())
        return NULL;
    for (Py_ssize_t i = 2; i < count; i++) {
        const int misfit = read_shape(args[i], &end);
        if (misfit < 0)
            return NULL;
        if (misfit)
            Py_RETURN_NONE;
    }
    const size_t before = (sizeof(Launch) + 63) / 64 * 64;
    const int64_t bytes = shaper(NULL, old->plan, count - 2, layouts, &workspace);
    if (bytes < 0)
        Py_RETURN_NONE;
    Launch *made = malloc(before + (size_t)bytes);
    if (!made)
        return PyErr_NoMemory();
    *made = *old;
    made->plan = (char *)made + before;
    made->release_at = shaper((char *)made + before, old->plan, count - 2, layouts, &workspace);
    if (made->release_at < 0) {
        free(made);
        Py_RETURN_NONE;
    }
    made->workspace = workspace;
    made->least += workspace > 0; /* its address */
    made->most += workspace > 0;
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
