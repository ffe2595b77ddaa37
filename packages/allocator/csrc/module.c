/* facula_allocator._core: blocks and segments of the caching allocator. */
#include "types.h"

module_state types;

static PyMethodDef methods[] = {
    {"call_current", call_current, METH_O, "call_current(address of `int64_t current_stream(void)`, or 0) -> stream"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_core", "The caching allocator's books and blocks.",
                                        -1, methods, NULL, NULL, NULL, NULL};

static PyTypeObject *add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *type = PyType_FromSpec(spec);
    if (type && PyModule_AddObjectRef(module, name, type)) {
        Py_DECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

PyMODINIT_FUNC PyInit__core(void)
{
    PyObject *module = PyModule_Create(&definition), *errors = PyImport_ImportModule("facula_errors");
    if (!module || !errors || !(types.value_error = PyObject_GetAttrString(errors, "InvalidValueError")) ||
        !(types.type_error = PyObject_GetAttrString(errors, "InvalidTypeError")) ||
        !(types.core_type = add_type(module, &core_spec, "Core")) ||
        !(types.block_type = add_type(module, &block_spec, "Block")) || add_stacks(module))
        Py_CLEAR(module);
    Py_XDECREF(errors);
    return module;
}
