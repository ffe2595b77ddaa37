/* Access to an instance's __dict__ without creating it, and a custom method resolution order for classes. */
#include "bridge.h"

/* Not part of the limited API. If a Python version lacks it, the dict is created. */
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

/* Python calls the metaclass for the order of bases, and stores the result. A class whose metaclass is not `type` would
   slow down every `isinstance`, so it has the other metaclass only during this call. */
PyObject *reorder_bases(PyObject *module, PyObject *args)
{
    PyObject *type, *metaclass;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!:reorder_bases", &PyType_Type, &type, &PyType_Type, &metaclass))
        return NULL;
    if (!PyType_IsSubtype((PyTypeObject *)metaclass, Py_TYPE(type))) {
        PyErr_Format(PyExc_TypeError, "reorder_bases: expected a class derived from %R; got %R", Py_TYPE(type), metaclass);
        return NULL;
    }
    PyObject *bases = PyObject_GetAttrString(type, "__bases__");
    if (!bases)
        return NULL;
    PyTypeObject *before = Py_TYPE(type);
    Py_SET_TYPE(type, (PyTypeObject *)metaclass);
    const int failed = PyObject_SetAttrString(type, "__bases__", bases);
    Py_SET_TYPE(type, before);
    Py_DECREF(bases);
    if (failed)
        return NULL;
    Py_RETURN_NONE;
}
