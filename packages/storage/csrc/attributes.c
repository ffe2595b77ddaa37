/* Attributes of users' own on objects that are made often: a dict that is there from the first one on.

   A class statement gives its instances a dict at once, which costs half of a small tensor's time. Here a class has room
   for one, a null pointer until an attribute is set. It is made on top of a class written in Python, so that Python's own
   functions for such classes free the dict and show it to the cyclic collector. */
#include "bridge.h"
#include <structmember.h>

static Py_ssize_t number_of(PyTypeObject *type, const char *name)
{
    PyObject *number = PyObject_GetAttrString((PyObject *)type, name);
    const Py_ssize_t value = number ? PyLong_AsSsize_t(number) : -1;
    Py_XDECREF(number);
    return value;
}

PyObject *with_attributes(PyObject *module, PyObject *args)
{
    PyTypeObject *base;
    const char *name;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!s:with_attributes", &PyType_Type, &base, &name))
        return NULL;
    const Py_ssize_t size = number_of(base, "__basicsize__"), offset = number_of(base, "__dictoffset__");
    if (PyErr_Occurred())
        return NULL;
    if (offset || !(PyType_GetFlags(base) & Py_TPFLAGS_HEAPTYPE) || !(PyType_GetFlags(base) & Py_TPFLAGS_HAVE_GC)) {
        PyErr_Format(PyExc_TypeError, "with_attributes: expected a class with __slots__ and no __dict__; got %R", base);
        return NULL;
    }
    PyMemberDef members[] = {{"__dictoffset__", T_PYSSIZET, size, READONLY, NULL},
                             {"_own_attributes", T_OBJECT, size, READONLY, NULL}, /* None until there is a dict */
                             {NULL, 0, 0, 0, NULL}};
    static PyGetSetDef properties[] = {{"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL},
                                       {NULL, NULL, NULL, NULL, NULL}};
    PyType_Slot slots[] = {{Py_tp_members, members}, {Py_tp_getset, properties}, {0, NULL}};
    PyType_Spec spec = {name, (int)(size + (Py_ssize_t)sizeof(PyObject *)), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyObject *bases = PyTuple_Pack(1, base);
    PyObject *made = bases ? PyType_FromSpecWithBases(&spec, bases) : NULL;
    Py_XDECREF(bases);
    return made;
}
