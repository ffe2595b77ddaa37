/* Whether an object has a __dict__ yet: reading `__dict__` would make one. */
#include "bridge.h"

/* Not of the limited API. Where a Python no longer has it, the dict is made. */
extern PyObject **_PyObject_GetDictPtr(PyObject *object) __attribute__((weak));

static PyObject *existing_dict(PyObject *object, void *nothing)
{
    if (!_PyObject_GetDictPtr)
        return PyObject_GenericGetDict(object, nothing);
    PyObject **dict = _PyObject_GetDictPtr(object);
    PyObject *found = dict && *dict ? *dict : Py_None;
    Py_INCREF(found);
    return found;
}

PyObject *dict_descriptor(PyObject *module, PyObject *type)
{
    static PyGetSetDef definition = {"_own_attributes", existing_dict, NULL, "The `__dict__`; None until there is one.", NULL};
    (void)module;
    if (!PyType_Check(type)) {
        PyErr_Format(PyExc_TypeError, "dict_descriptor: expected a class; got %R", type);
        return NULL;
    }
    return PyDescr_NewGetSet((PyTypeObject *)type, &definition);
}
