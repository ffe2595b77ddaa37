/* The table of C functions, in a capsule that keeps the allocator alive. */
#include "types.h"

#include <stdlib.h>

#include "facula_allocator.h"

typedef struct {
    facula_functions functions; /* first, so that a pointer to it points to the struct */
    Core *core;
    PyObject *allocate, *detours; /* the allocator's method, and its list of reasons to call it */
} table;

/* Take over the block of a Block object that Python created. */
static int adopt(table *self, int64_t nbytes, int64_t stream, facula_memory *into)
{
    PyObject *made = PyObject_CallFunction(self->allocate, "LL", (long long)nbytes, (long long)stream);
    if (!made)
        return -1;
    Block *block = (Block *)made;
    if (Py_TYPE(made) != types.block_type || block->core != self->core) {
        Py_DECREF(made);
        PyErr_SetString(types.value_error, "c_functions: expected the process that asked for the table; got a fork of it. "
                                           "Ask for another table there");
        return -1;
    }
    *into = (facula_memory){block->ptr, block->nbytes, block->block};
    block->freed = 1;
    Py_DECREF(made);
    return 0;
}

static int table_allocate(facula_functions *at, int64_t nbytes, int64_t stream, facula_memory *into)
{
    table *self = (table *)at;
    Core *core = self->core;
    if (nbytes > 0 && !core->abandoned && !core->listening && !PyList_Size(self->detours)) {
        facula_block *taken = take_idle(core, nbytes, stream, 0);
        if (taken) {
            *into = (facula_memory){taken->address, nbytes, taken};
            return 0;
        }
    }
    return adopt(self, nbytes, stream, into);
}

static int table_record_use(facula_functions *at, facula_memory *memory, int64_t stream)
{
    (void)at;
    return memory->block ? facula_core_use(memory->block, stream) : 0;
}

static void table_free(facula_functions *at, facula_memory *memory)
{
    Core *core = ((table *)at)->core;
    if (memory->block && !core->abandoned)
        facula_core_push(core->core, memory->block);
    memory->block = NULL;
}

static void table_delete(PyObject *capsule)
{
    table *self = PyCapsule_GetPointer(capsule, FACULA_FUNCTIONS);
    Py_DECREF((PyObject *)self->core);
    Py_DECREF(self->allocate);
    Py_DECREF(self->detours);
    free(self);
}

PyObject *core_functions(Core *self, PyObject *const *args, Py_ssize_t given)
{
    if (given != 2 || !PyCallable_Check(args[0]) || !PyList_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "Core.functions: expected a callable and a list");
        return NULL;
    }
    table *made = malloc(sizeof *made);
    if (!made)
        return PyErr_NoMemory();
    *made = (table){{1, table_allocate, table_record_use, table_free}, self, args[0], args[1]};
    PyObject *capsule = PyCapsule_New(made, FACULA_FUNCTIONS, table_delete);
    if (!capsule) {
        free(made);
        return NULL;
    }
    Py_INCREF((PyObject *)self);
    Py_INCREF(args[0]);
    Py_INCREF(args[1]);
    return capsule;
}
