/* Methods of Core that add, join and release segments. */
#include "types.h"

PyObject *core_grow(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[5];
    if (numbers("grow", args, given, at, 5))
        return NULL;
    facula_block *taken = facula_core_grow(self->core, (uint64_t)at[0], at[1], at[2], at[3], at[4]);
    return taken ? new_block(self, taken, at[2], at[3]) : PyErr_NoMemory();
}

PyObject *core_map(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[6];
    if (numbers("map", args, given, at, 6))
        return NULL;
    facula_block *taken =
        facula_core_map(self->core, (uint64_t)at[0], at[1], (uint64_t)at[2], at[3], at[4], at[5]);
    return taken ? new_block(self, taken, at[3], at[4]) : PyErr_NoMemory();
}

PyObject *core_unmap(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[3];
    if (numbers("unmap", args, given, at, 3))
        return NULL;
    int gone = facula_core_unmap(self->core, (uint64_t)at[0], at[1], (uint64_t)at[2]);
    return gone < 0 ? PyErr_NoMemory() : PyBool_FromLong(gone);
}

PyObject *core_recall(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[4];
    if (numbers("recall", args, given, at, 4))
        return NULL;
    facula_core_recall(self->core, at[0], at[1], at[2], (uint64_t)at[3]);
    Py_RETURN_NONE;
}

PyObject *core_drop_segment(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[2];
    if (numbers("drop_segment", args, given, at, 2))
        return NULL;
    for (facula_segment *segment = self->core->segments; segment; segment = segment->next)
        if (segment->address == (uint64_t)at[0] && facula_core_is_idle(segment, (uint64_t)at[1])) {
            facula_core_drop_segment(self->core, segment);
            Py_RETURN_TRUE;
        }
    Py_RETURN_FALSE;
}

PyObject *core_round(Core *self, PyObject *nbytes)
{
    long long at = PyLong_AsLongLong(nbytes);
    if (at == -1 && PyErr_Occurred())
        return NULL;
    int64_t size = facula_core_round(self->core, at);
    return Py_BuildValue("LLi", (long long)size,
                         (long long)(size < 0 ? -1 : facula_core_segment_size(self->core, size)),
                         size > self->core->options.small_size);
}
