/* Call stacks as numbers. A stack is an instruction of a code object and the stack of its caller, so that stacks share
   the entries of their outer frames. Reading the trace resolves them to files, lines and functions. */
#include "recorder.h"

/* Exported by every Python since 3.11, though not part of the limited API, whose attribute look-ups would take three
   times as long. */
extern PyObject *PyFrame_GetBack(PyFrameObject *frame);
extern int PyFrame_GetLasti(PyFrameObject *frame);

enum { MAX_FRAMES = 256 }; /* of the innermost frames */

static uint32_t hash_of(const PyObject *code, int32_t caller, int32_t lasti)
{
    uint64_t mixed = ((uintptr_t)code >> 4) * 0x9E3779B97F4A7C15u;
    mixed ^= ((uint64_t)(uint32_t)caller << 32 | (uint32_t)lasti) * 0xC2B2AE3D27D4EB4Fu;
    return (uint32_t)(mixed >> 32 ^ mixed);
}

static int grow(Stacks *stacks)
{
    const int32_t room = stacks->room ? stacks->room * 2 : 512;
    if (room > INT32_MAX / 4)
        return -1;
    StackEntry *entries = realloc(stacks->entries, sizeof *entries * (size_t)room);
    if (!entries)
        return -1;
    stacks->entries = entries;
    int32_t *slots = calloc((size_t)room * 2, sizeof *slots);
    if (!slots)
        return -1;
    free(stacks->slots);
    stacks->slots = slots;
    stacks->room = room;
    stacks->mask = (uint32_t)room * 2 - 1;
    for (int32_t i = 0; i < stacks->count; i++) {
        uint32_t at = hash_of(entries[i].code, entries[i].caller, entries[i].lasti) & stacks->mask;
        while (slots[at])
            at = (at + 1) & stacks->mask;
        slots[at] = i + 1;
    }
    return 0;
}

int32_t intern_stack(Stacks *stacks, PyObject *code, int32_t caller, int32_t lasti)
{
    if (stacks->count >= stacks->room && grow(stacks))
        return -1;
    uint32_t at = hash_of(code, caller, lasti) & stacks->mask;
    for (int32_t number; (number = stacks->slots[at]); at = (at + 1) & stacks->mask) {
        const StackEntry *entry = &stacks->entries[number - 1];
        if (entry->code == code && entry->caller == caller && entry->lasti == lasti)
            return number - 1;
    }
    stacks->entries[stacks->count] = (StackEntry){Py_NewRef(code), caller, lasti};
    stacks->slots[at] = ++stacks->count;
    return stacks->count - 1;
}

int32_t current_stack(Stacks *stacks)
{
    PyObject *codes[MAX_FRAMES];
    int32_t places[MAX_FRAMES], found = -1;
    int count = 0;
    PyFrameObject *frame = PyThreadState_GetFrame(PyThreadState_Get());
    while (frame && count < MAX_FRAMES) {
        codes[count] = (PyObject *)PyFrame_GetCode(frame);
        places[count++] = PyFrame_GetLasti(frame);
        PyFrameObject *back = (PyFrameObject *)PyFrame_GetBack(frame);
        Py_DECREF((PyObject *)frame);
        frame = back;
    }
    Py_XDECREF((PyObject *)frame);
    int failed = 0;
    while (count--) {
        if (!failed && (found = intern_stack(stacks, codes[count], found, places[count])) < 0)
            failed = 1;
        Py_DECREF(codes[count]);
    }
    return found;
}

void stacks_clear(Stacks *stacks)
{
    const Stacks old = *stacks;
    memset(stacks, 0, sizeof *stacks);
    for (int32_t i = 0; i < old.count; i++)
        Py_DECREF(old.entries[i].code);
    free(old.entries);
    free(old.slots);
}

PyObject *stacks_list(const Stacks *stacks, Py_ssize_t from)
{
    PyObject *list = PyList_New(0);
    for (Py_ssize_t i = from < 0 ? 0 : from; list && i < stacks->count; i++) {
        const StackEntry *entry = &stacks->entries[i];
        PyObject *row = Py_BuildValue("(Oii)", entry->code, (int)entry->caller, (int)entry->lasti);
        if (!row || PyList_Append(list, row))
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}
