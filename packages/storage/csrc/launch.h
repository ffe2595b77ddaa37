/* What launch.c and sequence.c share: a kernel with its plan. */
#ifndef FACULA_STORAGE_LAUNCH_H
#define FACULA_STORAGE_LAUNCH_H

#include "bridge.h"

typedef int64_t (*Kernel)(const void *plan, int64_t *args);

typedef struct {
    Kernel kernel;
    const void *plan;
    int64_t release_at;     /* give the GIL away from this many elements on */
    Py_ssize_t least, most; /* how many arguments the kernel reads: unequal where nobody said */
    uint64_t doubles;       /* bit i: argument i is a double; none is after the first 64 */
    PyObject *owner;        /* keeps the plan's memory alive */
} Launch;

/* What a callable made by `bind` or `rebind` runs; NULL with an error set for other objects, which names the operation. */
const Launch *launch_of(const char *operation, PyObject *function);

/* Raises LaunchError: the status, its details and, unless it is negative, which of many launches failed. */
void raise_status(int64_t status, const int64_t *details, Py_ssize_t step);

/* One argument as a launch takes it; -1 with an error set where it is no such number. */
static inline int read_argument(const Launch *launch, Py_ssize_t place, PyObject *value, int64_t *into)
{
    if (place < 64 && launch->doubles >> place & 1) {
        double number = PyFloat_AsDouble(value);
        memcpy(into, &number, sizeof number);
        return number == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    *into = PyLong_AsLongLong(value);
    return *into == -1 && PyErr_Occurred() ? -1 : 0;
}

#endif
