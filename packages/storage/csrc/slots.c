/* Offsets of slots in objects, and of versions in dicts: loading a pointer takes a fifth of the time of calling the
   slot's descriptor, and comparing a version replaces a search. */
#include "checks.h"

descrgetfunc get_slot;
descrsetfunc set_slot;

/* Getset descriptors run C code of their class: only the name of their type indicates that Python defined them. */
int is_slot(PyTypeObject *type)
{
    PyObject *name = PyType_GetFlags(type) & Py_TPFLAGS_HEAPTYPE ? NULL : PyType_GetName(type);
    const int known = name && (PyUnicode_CompareWithASCIIString(name, "member_descriptor") == 0 ||
                               PyUnicode_CompareWithASCIIString(name, "getset_descriptor") == 0);
    Py_XDECREF(name);
    return known;
}

int use_slots_like(PyTypeObject *type)
{
    if (!is_slot(type) || !PyType_GetSlot(type, Py_tp_descr_set))
        return 0;
    get_slot = (descrgetfunc)PyType_GetSlot(type, Py_tp_descr_get);
    set_slot = (descrsetfunc)PyType_GetSlot(type, Py_tp_descr_set);
    return 1;
}

/* The location of a new object in an instance after setting the slot to it. */
Py_ssize_t offset_of(PyObject *descriptor, PyTypeObject *kind)
{
    PyObject *length = PyObject_GetAttrString((PyObject *)kind, "__basicsize__");
    const Py_ssize_t size = length ? PyLong_AsSsize_t(length) : -1;
    PyObject *sentinel = PyObject_CallNoArgs((PyObject *)&PyBaseObject_Type), *found = NULL;
    PyObject *instance = size < 0 || !sentinel ? NULL : PyType_GenericAlloc(kind, 0);
    Py_ssize_t offset = -2;
    if (instance && !set_slot(descriptor, instance, sentinel) && (found = get_slot(descriptor, instance, NULL))) {
        if (found != sentinel) {
            PyErr_SetString(PyExc_TypeError, "expected descriptors of slots that contain objects");
        } else {
            offset = -1;
            int matches = 0;
            for (Py_ssize_t at = (Py_ssize_t)sizeof(PyObject); at + (Py_ssize_t)sizeof(void *) <= size; at += sizeof(void *))
                if (*(PyObject **)((char *)instance + at) == sentinel) {
                    offset = at;
                    matches++;
                }
            if (matches != 1)
                offset = -1;
        }
    }
    Py_XDECREF(found);
    Py_XDECREF(instance);
    Py_XDECREF(sentinel);
    Py_XDECREF(length);
    return offset;
}

/* Whether objects with the slot `which` also have the slots from there to `end`. */
static int belong_together(const Slots *slots, int which, int end)
{
    for (int i = which; i < end; i++)
        if (!PyType_IsSubtype(slots->kinds[which], slots->kinds[i]))
            return 0;
    return 1;
}

int read_slots(Slots *slots, PyObject *tuple)
{
    if (PyTuple_Size(tuple) != SLOTS) {
        PyErr_Format(PyExc_ValueError, "Sequence: expected the descriptors of %d slots; got %zd", SLOTS, PyTuple_Size(tuple));
        return -1;
    }
    PyTypeObject *common = Py_TYPE(PyTuple_GetItem(tuple, 0));
    for (int i = 0; i < SLOTS; i++) {
        PyObject *descriptor = PyTuple_GetItem(tuple, i);
        PyObject *kind = Py_TYPE(descriptor) == common && use_slots_like(common) ? PyObject_GetAttrString(descriptor, "__objclass__") : NULL;
        PyErr_Clear();
        Py_XDECREF(kind); /* the descriptor keeps a reference */
        if (!kind || !PyType_Check(kind) || !(PyType_GetFlags((PyTypeObject *)kind) & Py_TPFLAGS_HEAPTYPE)) {
            PyErr_Format(PyExc_TypeError, "Sequence: expected the descriptor of a slot; got %R", descriptor);
            return -1;
        }
        slots->kinds[i] = (PyTypeObject *)kind;
        if ((slots->offsets[i] = offset_of(descriptor, slots->kinds[i])) == -2)
            return -1;
        Py_INCREF(descriptor);
        slots->descriptors[i] = descriptor;
    }
    if (!belong_together(slots, SLOT_LAYOUT, SLOT_ADDRESS) || !belong_together(slots, SLOT_ADDRESS, SLOT_SHAPE) ||
        !belong_together(slots, SLOT_SHAPE, SLOTS)) {
        PyErr_SetString(PyExc_TypeError, "Sequence: expected slots of one class of tensors, one of storages and one of layouts");
        return -1;
    }
    return 0;
}

int slot_of(const Slots *slots, PyObject *descriptor, PyObject *holder)
{
    for (int i = 0; i < SLOTS; i++)
        if (slots->descriptors[i] == descriptor && slots->offsets[i] >= 0 && PyObject_TypeCheck(holder, slots->kinds[i]))
            return i;
    return -1;
}

void drop_slots(Slots *slots)
{
    for (int i = 0; i < SLOTS; i++)
        Py_CLEAR(slots->descriptors[i]);
}

Py_ssize_t version_offset;

/* Python 3.11 and 3.12 store it after the number of entries (PEP 509). It is used only if changes of entries are seen. */
void find_versions(void)
{
    PyObject *dict = PyDict_New(), *key = PyLong_FromLong(1);
    version_offset = Py_Version < 0x030D0000 && dict && key ? (Py_ssize_t)(sizeof(PyObject) + sizeof(Py_ssize_t)) : 0;
    for (int i = 0; version_offset && i < 4; i++) {
        const uint64_t before = version_of(dict);
        const int failed = i < 2    ? PyDict_SetItem(dict, key, i ? Py_None : key)
                           : i == 2 ? PyDict_DelItem(dict, key)
                                    : PyDict_SetItem(dict, key, key);
        const uint64_t after = version_of(dict);
        if (failed || !after || after == before || PyDict_Size(dict) != (i != 2) || version_of(dict) != after)
            version_offset = 0;
    }
    Py_XDECREF(key);
    Py_XDECREF(dict);
    PyErr_Clear();
}
