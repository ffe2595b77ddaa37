/* Declarations shared by launch.c and sequence.c: a kernel with its plan. */
#ifndef FACULA_STORAGE_LAUNCH_H
#define FACULA_STORAGE_LAUNCH_H

#include "bridge.h"

typedef int64_t (*Kernel)(const void *plan, int64_t *args);

typedef struct {
    Kernel kernel;
    const void *plan;
    int64_t release_at;     /* release the GIL from this number of elements on */
    Py_ssize_t least, most; /* range of the number of arguments: unequal if unknown */
    uint64_t doubles;       /* bit i: argument i is a double; arguments after the first 64 are integers */
    PyObject *owner;        /* keeps the plan's memory alive */
    int64_t workspace;      /* bytes of scratch memory, whose address is the last argument; set by `rebind` */
} Launch;

/* Return the launch of a callable made by `bind` or `rebind`; for other objects NULL with an error that names the
   operation. */
const Launch *launch_of(const char *operation, PyObject *function);

/* Raise LaunchError: the status, its details and, unless negative, the index of the failed launch in a sequence. */
void raise_status(int64_t status, const int64_t *details, Py_ssize_t step);

_Static_assert(sizeof(long) == sizeof(int64_t), "arguments are read as long");

/* Read one argument of a launch; -1 with an error set if it is not a number of the required type. */
static inline int read_argument(const Launch *launch, Py_ssize_t place, PyObject *value, int64_t *into)
{
    if (place < 64 && launch->doubles >> place & 1) {
        double number = PyFloat_AsDouble(value);
        memcpy(into, &number, sizeof number);
        return number == -1.0 && PyErr_Occurred() ? -1 : 0;
    }
    *into = PyLong_AsLong(value); /* PyLong_AsLongLong takes five times as long for addresses, in Python 3.11 */
    return *into == -1 && PyErr_Occurred() ? -1 : 0;
}

#endif
