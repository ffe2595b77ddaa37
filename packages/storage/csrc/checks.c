/* Checks: conditions that must hold before a sequence runs. See Note [Checks] in _sequences.py. */
#include "checks.h"

enum { PART_ADDRESS = 5, PART_GRAD, PARTS };

static PyTypeObject *deque, *ordered_dict;

int prepare_checks(void)
{
    PyObject *module = PyImport_ImportModule("collections");
    if (module) {
        deque = (PyTypeObject *)PyObject_GetAttrString(module, "deque");
        ordered_dict = (PyTypeObject *)PyObject_GetAttrString(module, "OrderedDict");
    }
    Py_XDECREF(module);
    find_versions();
    return deque && ordered_dict ? 0 : -1;
}

static int refuse(const char *expectation)
{
    PyErr_Format(PyExc_TypeError, "Sequence: expected %s", expectation);
    return -1;
}

/* Whether an object's hash and comparison are Python's own. */
static int is_plain_key(PyObject *key)
{
    PyTypeObject *type = Py_TYPE(key);
    return type == &PyUnicode_Type || type == &PyLong_Type || type == &PyBytes_Type || type == &PyFloat_Type;
}

static int has_plain_keys(PyObject *dict)
{
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (PyDict_Next(dict, &at, &key, &value))
        if (!is_plain_key(key))
            return 0;
    return 1;
}

static int is_iterated(PyTypeObject *type) /* by Python's own iterator */
{
    return type == &PySet_Type || type == &PyFrozenSet_Type || type == deque;
}

/* ---------------------------------------------------------------------------------------------------------- reading */
static PyObject **copied(PyObject *tuple, Py_ssize_t size, Py_ssize_t room, PyObject *missing)
{
    PyObject **parts = calloc((size_t)(room ? room : 1), sizeof *parts);
    for (Py_ssize_t i = 0; parts && i < room; i++) {
        parts[i] = i < size ? PyTuple_GetItem(tuple, i) : missing;
        Py_INCREF(parts[i]);
    }
    if (!parts)
        PyErr_NoMemory();
    return parts;
}

void drop_parts(PyObject **parts, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; parts && i < size; i++)
        Py_XDECREF(parts[i]);
    free(parts);
}

static void clear_absent(PyObject **parts, Py_ssize_t size)
{
    for (Py_ssize_t i = 0; i < size; i++)
        if (parts[i] == absent)
            Py_CLEAR(parts[i]);
}

PyObject **parts_of(PyObject *tuple, Py_ssize_t count)
{
    PyObject **parts = copied(tuple, count, count, NULL);
    if (parts)
        clear_absent(parts, count);
    return parts;
}

static int read_size(Check *check, PyObject *value)
{
    check->size = PyLong_AsSsize_t(value);
    return check->size == -1 && PyErr_Occurred() ? -1 : 0;
}

static int read_tensor(Check *check, const Slots *slots, PyObject *expected)
{
    const Py_ssize_t size = PyTuple_Check(expected) ? PyTuple_Size(expected) : -1;
    if (size != PARTS && size != PARTS - 1)
        return refuse("the layout, storage, offset, node, hooks and address of a tensor, and its .grad perhaps");
    PyObject *storage = PyTuple_GetItem(expected, SLOT_STORAGE);
    if (PyTuple_GetItem(expected, PART_ADDRESS) != any && !is_storage(slots, storage))
        return refuse("a storage whose address is compared");
    if (!(check->parts = copied(expected, size, PARTS, any)))
        return -1;
    check->size = PARTS;
    clear_absent(check->parts, PARTS);
    return 0;
}

static int read_entries(Check *check, PyObject *expected)
{
    if (!PyTuple_CheckExact(expected))
        return refuse("the entries of a container as a tuple");
    check->size = PyTuple_Size(expected);
    if (PyDict_Check(check->holder) && check->size % 2)
        return refuse("keys and values of a dict in turn");
    return (check->parts = copied(expected, check->size, check->size, NULL)) ? 0 : -1;
}

/* Read `expected` for a check that has its kind, holder and key, but no parts. */
static int read_expected(Check *check, const Slots *slots, PyObject *expected)
{
    switch (check->kind) {
    case CHECK_SIZE: return read_size(check, expected);
    case CHECK_TENSOR: return read_tensor(check, slots, expected);
    case CHECK_ENTRIES: return read_entries(check, expected);
    case CHECK_BYTES: return PyBytes_CheckExact(expected) ? 0 : refuse("a snapshot of a buffer");
    default: return 0;
    }
}

static int read_slot(Check *check, const Slots *slots)
{
    if ((check->slot = slot_of(slots, check->key, check->holder)) >= 0)
        return 0;
    if (!is_slot(Py_TYPE(check->key))) /* only Python's own descriptors: reading them runs no user code */
        return refuse("the descriptor of a slot");
    check->get = (descrgetfunc)PyType_GetSlot(Py_TYPE(check->key), Py_tp_descr_get);
    return 0;
}

static int read_holder(Check *check, const Slots *slots)
{
    PyObject *holder = check->holder;
    PyTypeObject *type = Py_TYPE(holder);
    check->slot = -1;
    check->container = PyDict_Check(holder)    ? IS_DICT
                       : PyList_Check(holder)  ? IS_LIST
                       : PyTuple_Check(holder) ? IS_TUPLE
                                               : HAS_ITERATOR;
    switch (check->kind) {
    case CHECK_SLOT: return read_slot(check, slots);
    case CHECK_ITEM: return PyDict_Check(holder) ? 0 : refuse("a dict whose item is compared");
    case CHECK_PLACE: return PyList_Check(holder) ? read_size(check, check->key) : refuse("a list whose item is compared");
    case CHECK_SIZE: return PyDict_Check(holder) || PyList_Check(holder) ? 0 : refuse("a dict or list whose length is compared");
    case CHECK_ENTRIES:
        if (PyType_IsSubtype(type, ordered_dict)) { /* its order differs from that of its base class dict */
            check->ordered = (getiterfunc)PyType_GetSlot(ordered_dict, Py_tp_iter);
            check->container = HAS_ITERATOR;
            check->is_early = 1;
            return has_plain_keys(holder) ? 0 : refuse("an OrderedDict whose keys are numbers, strings and bytes");
        }
        if (check->container == HAS_ITERATOR && !is_iterated(type))
            return refuse("a dict, list, tuple, set, frozenset or deque whose entries are compared");
        check->is_early = is_iterated(type);
        return 0;
    case CHECK_BYTES: case CHECK_TYPE: return 0;
    case CHECK_TENSOR: return is_tensor(slots, holder) ? 0 : refuse("a tensor");
    case CHECK_CALL:
        check->is_early = 1;
        return PyCallable_Check(check->key) ? 0 : refuse("a function that is called");
    default: return refuse("a kind of check that there is");
    }
}

int read_check(Check *check, const Slots *slots, PyObject *description)
{
    *check = (Check){0};
    if (!PyTuple_Check(description))
        return refuse("checks as tuples (kind, holder, key, expected)");
    if (!PyArg_ParseTuple(description, "iOOO:check", &check->kind, &check->holder, &check->key, &check->expected))
        return -1;
    check->is_exact = check->kind & CHECK_EXACT;
    check->kind &= ~CHECK_EXACT;
    if (check->is_exact && check->kind != CHECK_SLOT && check->kind != CHECK_ITEM && check->kind != CHECK_ENTRIES)
        return refuse("an exact check of a slot, an item or entries");
    if (read_holder(check, slots) || read_expected(check, slots, check->expected))
        return -1;
    check->is_versioned = check->container == IS_DICT && (check->kind == CHECK_ITEM || check->kind == CHECK_SIZE ||
                                                          check->kind == CHECK_ENTRIES);
    Py_INCREF(check->holder);
    Py_INCREF(check->key);
    Py_INCREF(check->expected);
    return 0;
}

int expect_value(Check *check, const Slots *slots, PyObject *expected)
{
    Check made = *check;
    made.parts = NULL;
    made.version = 0;
    if (read_expected(&made, slots, expected))
        return -1;
    PyObject *before = check->expected;
    PyObject **parts = check->parts;
    const Py_ssize_t size = check->size;
    Py_INCREF(expected);
    made.expected = expected;
    *check = made;
    drop_parts(parts, size);
    Py_DECREF(before);
    return 0;
}

int visit_check(const Check *check, visitproc visit, void *arg)
{
    Py_VISIT(check->holder);
    Py_VISIT(check->key);
    Py_VISIT(check->expected);
    for (Py_ssize_t i = 0; check->parts && i < check->size; i++)
        Py_VISIT(check->parts[i]);
    return 0;
}

void drop_check(Check *check)
{
    Check dropped = *check;
    *check = (Check){0};
    drop_parts(dropped.parts, dropped.size);
    Py_XDECREF(dropped.holder);
    Py_XDECREF(dropped.key);
    Py_XDECREF(dropped.expected);
}

/* -------------------------------------------------------------------------------------------------------- comparing */
/* Whether a borrowed object is the same as expected. An object of equal value replaces the expected one, unless the
   check is exact, so that the next comparison is by identity. The check may then hold the only reference; releasing
   plain values runs no code. */
static inline int settle(const Check *check, PyObject *found, PyObject **expected)
{
    if (found == *expected || *expected == any)
        return 1;
    if (check->is_exact || !same(found, *expected))
        return 0;
    PyObject *before = *expected;
    Py_INCREF(found);
    *expected = found;
    Py_DECREF(before);
    return 1;
}

static int same_tensor(Check *check, const Slots *slots)
{
    PyObject *tensor = check->holder, *storage, **parts = check->parts;
    for (int i = SLOT_LAYOUT; i <= SLOT_GRAD; i++) {
        const int part = i == SLOT_GRAD ? PART_GRAD : i;
        PyObject *found = slot_value(slots, i, tensor);
        if (found == parts[part] || parts[part] == any)
            continue;
        if (i == SLOT_LAYOUT ? !same_layout(slots, found, parts[part]) : !same(found, parts[part]))
            return 0;
        PyObject *before = parts[part]; /* equal, so neither is NULL */
        Py_INCREF(found);
        parts[part] = found;
        Py_DECREF(before);
    }
    if (parts[PART_ADDRESS] == any)
        return 1;
    storage = slot_value(slots, SLOT_STORAGE, tensor);
    return settle(check, slot_value(slots, SLOT_ADDRESS, storage), &parts[PART_ADDRESS]);
}

/* Compare entries with the items of an iterator; for an OrderedDict, whose iterator yields keys, also the values. */
static int same_iterated(Check *check)
{
    const Py_ssize_t step = check->ordered ? 2 : 1;
    if (check->ordered && (PyDict_Size(check->holder) * 2 != check->size || !has_plain_keys(check->holder)))
        return 0;
    if (!check->ordered && !is_iterated(Py_TYPE(check->holder)))
        return 0;
    PyObject *iterator = check->ordered ? check->ordered(check->holder) : PyObject_GetIter(check->holder), *found;
    Py_ssize_t i = 0;
    int equal = iterator != NULL;
    while (equal && (found = PyIter_Next(iterator))) {
        equal = i + step <= check->size && settle(check, found, &check->parts[i]);
        if (equal && check->ordered)
            equal = settle(check, PyDict_GetItemWithError(check->holder, found), &check->parts[i + 1]);
        Py_DECREF(found);
        i += step;
    }
    Py_XDECREF(iterator);
    if (PyErr_Occurred()) {
        PyErr_Clear();
        return 0;
    }
    return equal && i == check->size;
}

static int same_entries(Check *check)
{
    PyObject *holder = check->holder, **parts = check->parts, *key, *value;
    Py_ssize_t at = 0, i = 0;
    if (check->container == HAS_ITERATOR)
        return same_iterated(check);
    if (check->container == IS_DICT) {
        if (PyDict_Size(holder) * 2 != check->size)
            return 0;
        for (; PyDict_Next(holder, &at, &key, &value); i += 2)
            if (i + 2 > check->size || !settle(check, key, &parts[i]) || !settle(check, value, &parts[i + 1]))
                return 0;
        return i == check->size;
    }
    const int is_list = check->container == IS_LIST;
    if ((is_list ? PyList_Size(holder) : PyTuple_Size(holder)) != check->size)
        return 0;
    for (; i < check->size; i++)
        if (!settle(check, is_list ? PyList_GetItem(holder, i) : PyTuple_GetItem(holder, i), &parts[i]))
            return 0;
    return 1;
}

static int same_slot(Check *check, const Slots *slots)
{
    if (check->slot >= 0) {
        PyObject *found = slot_value(slots, check->slot, check->holder);
        return found ? settle(check, found, &check->expected) : check->expected == absent || check->expected == any;
    }
    PyObject *found = check->get(check->key, check->holder, NULL);
    if (!found) {
        const int is_unset = PyErr_ExceptionMatches(PyExc_AttributeError) || PyErr_ExceptionMatches(PyExc_ValueError);
        PyErr_Clear();
        return is_unset && check->expected == absent;
    }
    const int equal = settle(check, found, &check->expected);
    Py_DECREF(found);
    return equal;
}

static int same_item(Check *check)
{
    PyObject *found = PyDict_GetItemWithError(check->holder, check->key);
    if (found == check->expected)
        return 1;
    if (!found) {
        const int failed = PyErr_Occurred() != NULL;
        PyErr_Clear();
        return !failed && check->expected == absent;
    }
    return settle(check, found, &check->expected);
}

/* -1 with an error set if the function is interrupted, for example by Ctrl-C. */
static int same_answer(Check *check)
{
    PyObject *argument = check->holder == Py_None ? NULL : check->holder;
    PyObject *found = PyObject_CallFunctionObjArgs(check->key, argument, NULL);
    if (!found) {
        if (!PyErr_ExceptionMatches(PyExc_Exception))
            return -1;
        PyErr_Clear();
        return 0;
    }
    const int equal = settle(check, found, &check->expected);
    Py_DECREF(found);
    return equal;
}

static int holds(Check *check, const Slots *slots)
{
    PyObject *holder = check->holder;
    switch (check->kind) {
    case CHECK_SLOT: return same_slot(check, slots);
    case CHECK_ITEM: return same_item(check);
    case CHECK_PLACE:
        return check->size >= 0 && check->size < PyList_Size(holder) &&
               settle(check, PyList_GetItem(holder, check->size), &check->expected);
    case CHECK_SIZE: return (check->container == IS_DICT ? PyDict_Size(holder) : PyList_Size(holder)) == check->size;
    case CHECK_ENTRIES: return same_entries(check);
    case CHECK_BYTES: return has_bytes(holder, check->expected);
    case CHECK_TYPE: return (PyObject *)Py_TYPE(holder) == check->expected;
    case CHECK_TENSOR: return same_tensor(check, slots);
    default: return same_answer(check);
    }
}

Py_ssize_t failing_check(Check *checks, Py_ssize_t count, const Slots *slots, int are_early)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        Check *check = &checks[i];
        if (check->is_early != are_early)
            continue;
        const uint64_t version = check->is_versioned ? version_of(check->holder) : 0;
        if (version && version == check->version)
            continue; /* it passed with the same entries */
        const int equal = holds(check, slots);
        if (equal != 1)
            return equal < 0 ? -2 : i;
        check->version = version;
    }
    return -1;
}
