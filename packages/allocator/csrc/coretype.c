/* Core: the block core of core.h as a Python object. Every method holds the GIL throughout, and creates no object that
   the garbage collector tracks while it walks the core, so no finaliser and no thread changes the core concurrently. */
#include "types.h"

static const char *const names[STATISTICS] = {
    "allocation",      "segment",        "active",       "inactive_split",       "allocated_bytes",
    "reserved_bytes",  "active_bytes",   "inactive_split_bytes", "requested_bytes",
};
static const char *const rows[KINDS + 1] = {"small_pool", "large_pool", "all"};

/* Memory that a collection frees is not reused before the collection ends: the collector runs finalisers in any order,
   and a later one may still read the memory. So the core drains no blocks during a collection. */
static int may_drain(Core *self)
{
    return PySet_Size(self->collecting) == 0;
}

static void merge_pushed(Core *self)
{
    if (atomic_load_explicit(&self->core->pushed, memory_order_relaxed) && may_drain(self))
        facula_core_merge(self->core, facula_core_detach(self->core));
}

void drain_silently(Core *self)
{
    facula_core_settle(self->core);
    if (!self->listening)
        merge_pushed(self);
}

facula_block *take_idle(Core *self, int64_t nbytes, int64_t stream, int64_t pool)
{
    drain_silently(self);
    return self->core->waiting_now ? NULL : facula_core_take(self->core, nbytes, stream, pool);
}

facula_block *take_quickly(Core *self, int64_t size, int64_t nbytes, int64_t stream)
{
    facula_core *core = self->core;
    merge_pushed(self);
    if (core->waiting_now)
        return NULL;
    facula_block *kept = facula_core_reuse(core, size, nbytes, stream);
    return kept ? kept : facula_core_take(core, nbytes, stream, 0);
}

void free_block(Core *self, facula_block *block, int quickly)
{
    if (!self->abandoned && !(quickly && !self->listening && may_drain(self) && facula_core_keep(self->core, block)))
        facula_core_push(self->core, block);
}

int numbers(const char *name, PyObject *const *args, Py_ssize_t given, long long *into, Py_ssize_t wanted)
{
    if (given != wanted) {
        PyErr_Format(PyExc_TypeError, "Core.%s: expected %zd arguments; got %zd", name, wanted, given);
        return -1;
    }
    for (Py_ssize_t i = 0; i < wanted; i++) {
        into[i] = PyLong_AsLongLong(args[i]);
        if (into[i] == -1 && PyErr_Occurred())
            return -1;
    }
    return 0;
}

static PyObject *core_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *collecting;
    facula_options options;
    long long at[8];
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Core: takes positional arguments only");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OLLLLLLLL:Core", &collecting, &at[0], &at[1], &at[2], &at[3], &at[4], &at[5], &at[6],
                          &at[7]))
        return NULL;
    if (PySet_Size(collecting) < 0)
        return NULL;
    options = (facula_options){at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    Core *self = (Core *)allocate(type, 0);
    if (!self)
        return NULL;
    Py_INCREF(collecting);
    self->collecting = collecting;
    self->core = facula_core_new(&options);
    if (!self->core) {
        Py_DECREF((PyObject *)self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static void core_dealloc(Core *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    if (self->weakrefs)
        PyObject_ClearWeakRefs((PyObject *)self);
    if (self->core)
        facula_core_delete(self->core);
    Py_XDECREF(self->collecting);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF((PyObject *)type);
}

/* Raises no error for an invalid size: the slow path, in Python, does. */
PyObject *core_take(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[3];
    if (given == 3 && PyLong_CheckExact(args[0]) && PyLong_CheckExact(args[1])) {
        if (numbers("take", args, given, at, 3)) {
            PyErr_Clear();
            Py_RETURN_NONE;
        }
        facula_block *taken = at[0] > 0 ? take_idle(self, at[0], at[1], at[2]) : NULL;
        if (taken)
            return new_block(self, taken, at[0], at[1]);
    }
    Py_RETURN_NONE;
}

static PyObject *core_take_now(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[3];
    if (numbers("take_now", args, given, at, 3))
        return NULL;
    drain_silently(self);
    facula_block *taken = facula_core_take(self->core, at[0], at[1], at[2]);
    if (!taken)
        Py_RETURN_NONE;
    return new_block(self, taken, at[0], at[1]);
}

static PyObject *core_take_any(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[4];
    if (numbers("take_any", args, given, at, 4))
        return NULL;
    facula_block *taken = facula_core_take_any(self->core, at[0], at[1], at[2], (uint64_t)at[3]);
    if (!taken)
        Py_RETURN_NONE;
    return new_block(self, taken, at[0], at[1]);
}

static PyObject *core_take_nothing(Core *self, PyObject *stream)
{
    long long at = PyLong_AsLongLong(stream);
    if (at == -1 && PyErr_Occurred())
        return NULL;
    return new_block(self, NULL, 0, at);
}

static PyObject *core_borrow(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[3];
    int64_t lender;
    if (numbers("borrow", args, given, at, 3))
        return NULL;
    facula_block *taken = facula_core_borrow(self->core, at[0], at[1], at[2], &lender);
    if (!taken)
        Py_RETURN_NONE;
    PyObject *block = new_block(self, taken, at[0], at[1]);
    return block ? Py_BuildValue("NL", block, (long long)lender) : NULL;
}

static PyObject *core_undo_borrow(Core *self, PyObject *args)
{
    PyObject *block;
    long long lender;
    if (!PyArg_ParseTuple(args, "O!L:undo_borrow", types.block_type, &block, &lender))
        return NULL;
    if (facula_core_return(self->core, ((Block *)block)->block, lender))
        return PyErr_NoMemory();
    Py_RETURN_NONE;
}

int append(PyObject *list, PyObject *item)
{
    int failed = !item || PyList_Append(list, item);
    Py_XDECREF(item);
    return failed;
}

static PyObject *uses_of(const facula_block *block)
{
    PyObject *uses = PyTuple_New(block->use_count);
    for (int32_t i = 0; uses && i < block->use_count; i++) {
        PyObject *stream = PyLong_FromLongLong(block->uses[i]);
        if (!stream || PyTuple_SetItem(uses, i, stream)) {
            Py_DECREF(uses);
            return NULL;
        }
    }
    return uses;
}

PyObject *core_drain(Core *self, PyObject *nothing)
{
    (void)nothing;
    PyObject *list = PyList_New(0);
    if (!list || !may_drain(self))
        return list;
    facula_block *pushed = facula_core_detach(self->core);
    if (self->listening)
        for (facula_block *block = pushed; list && block; block = block->link)
            if (append(list, Py_BuildValue("KLLLN", (unsigned long long)block->address, (long long)block->size,
                                           (long long)block->requested, (long long)block->pool->stream,
                                           uses_of(block))))
                Py_CLEAR(list);
    facula_core_merge(self->core, pushed);
    return list;
}

static PyObject *core_take_waiting(Core *self, PyObject *nothing)
{
    (void)nothing;
    PyObject *list = PyList_New(0);
    facula_block *found = list ? self->core->waiting_now : NULL, *last = found;
    if (found)
        self->core->waiting_now = NULL;
    for (facula_block *block = found; list && block; last = block, block = block->link)
        if (append(list, Py_BuildValue("ILLKLLN", (unsigned)block->id, (long long)block->pool->stream,
                                       (long long)block->pool->id, (unsigned long long)block->address,
                                       (long long)block->size, (long long)block->requested, uses_of(block))))
            Py_CLEAR(list);
    if (!list && found) { /* no memory: leave the state unchanged */
        while (last->link)
            last = last->link;
        last->link = self->core->waiting_now;
        self->core->waiting_now = found;
    }
    return list;
}

static PyObject *core_reclaim(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[2];
    if (numbers("reclaim", args, given, at, 2))
        return NULL;
    facula_block *block = facula_core_waiting(self->core, at[0]);
    if (!block) {
        PyErr_Format(PyExc_ValueError, "Core.reclaim: no block with id %lld is waiting", at[0]);
        return NULL;
    }
    facula_core_reclaim(self->core, block, at[1] < 0 ? self->core->epoch : (uint64_t)at[1]);
    Py_RETURN_NONE;
}

static PyObject *core_begin_epoch(Core *self, PyObject *nothing)
{
    (void)nothing;
    facula_core_settle(self->core);
    return PyLong_FromUnsignedLongLong(++self->core->epoch);
}

static PyObject *core_consolidate(Core *self, PyObject *epoch)
{
    long long at = PyLong_AsLongLong(epoch);
    if (at == -1 && PyErr_Occurred())
        return NULL;
    facula_core_consolidate(self->core, (uint64_t)at);
    Py_RETURN_NONE;
}

static void count_free(facula_statistic *at, int64_t by)
{
    at->current -= by;
    at->freed += by;
}

static PyObject *core_statistics(Core *self, PyObject *nothing)
{
    (void)nothing;
    facula_statistic now[KINDS + 1][STATISTICS];
    drain_silently(self);
    memcpy(now, self->core->statistics, sizeof now);
    /* Blocks that may not be drained now count as free. */
    for (facula_block *block = atomic_load(&self->core->pushed); block; block = block->link)
        for (int kind = block->segment->kind, row = kind; row <= KINDS; row += KINDS - kind) {
            count_free(&now[row][COUNT_ALLOCATION], 1);
            count_free(&now[row][BYTES_ALLOCATED], block->size);
            count_free(&now[row][BYTES_REQUESTED], block->requested);
            if (!block->use_count) {
                count_free(&now[row][COUNT_ACTIVE], 1);
                count_free(&now[row][BYTES_ACTIVE], block->size);
            }
        }
    PyObject *found = PyDict_New();
    for (int what = 0; found && what < STATISTICS; what++)
        for (int row = 0; found && row <= KINDS; row++) {
            const facula_statistic *at = &now[row][what];
            const struct { const char *name; int64_t value; } parts[] = {
                {"current", at->current}, {"peak", at->peak}, {"allocated", at->allocated}, {"freed", at->freed}};
            for (int part = 0; found && part < 4; part++) {
                char key[64];
                snprintf(key, sizeof key, "%s.%s.%s", names[what], rows[row], parts[part].name);
                PyObject *value = PyLong_FromLongLong(parts[part].value);
                if (!value || PyDict_SetItemString(found, key, value))
                    Py_CLEAR(found);
                Py_XDECREF(value);
            }
        }
    return found;
}

static PyObject *core_reserved(Core *self, PyObject *nothing)
{
    (void)nothing;
    return PyLong_FromLongLong(self->core->statistics[KINDS][BYTES_RESERVED].current);
}

static PyObject *core_reset(Core *self, PyObject *totals)
{
    int wanted = PyObject_IsTrue(totals);
    if (wanted < 0)
        return NULL;
    drain_silently(self);
    (wanted ? facula_core_reset_totals : facula_core_reset_peaks)(self->core);
    Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"take", (PyCFunction)(void (*)(void))core_take, METH_FASTCALL, "take(nbytes, stream, pool) -> Block or None"},
    {"take_now", (PyCFunction)(void (*)(void))core_take_now, METH_FASTCALL, "As take, whatever waits."},
    {"take_any", (PyCFunction)(void (*)(void))core_take_any, METH_FASTCALL,
     "take_any(nbytes, stream, pool, epoch): from any stream, of what was free before the epoch."},
    {"taker", (PyCFunction)core_taker, METH_VARARGS, "taker(nbytes, detours): gives (address, Block), or IndexError."},
    {"take_nothing", (PyCFunction)core_take_nothing, METH_O, "A Block of zero bytes."},
    {"borrow", (PyCFunction)(void (*)(void))core_borrow, METH_FASTCALL, "As take, from another stream: (Block, stream)."},
    {"undo_borrow", (PyCFunction)core_undo_borrow, METH_VARARGS, "The block goes back to that stream once freed."},
    {"drain", (PyCFunction)core_drain, METH_NOARGS, "Merge what was freed; what to tell listeners of it."},
    {"take_waiting", (PyCFunction)core_take_waiting, METH_NOARGS, "Blocks with uses: (id, stream, pool, address, size, requested, uses)."},
    {"reclaim", (PyCFunction)(void (*)(void))core_reclaim, METH_FASTCALL,
     "reclaim(id, epoch): a waiting block's uses are over. It is free as of the epoch; -1 for now."},
    {"begin_epoch", (PyCFunction)core_begin_epoch, METH_NOARGS, "A new epoch; what is free now was so before it."},
    {"consolidate", (PyCFunction)core_consolidate, METH_O, "Merge free neighbours across streams."},
    {"grow", (PyCFunction)(void (*)(void))core_grow, METH_FASTCALL,
     "grow(address, size, nbytes, stream, pool): a Block of nbytes, cut from a new segment of that size."},
    {"map", (PyCFunction)(void (*)(void))core_map, METH_FASTCALL,
     "map(address, size, range, nbytes, stream, pool): a Block of nbytes, with mapped pages added to a range."},
    {"unmap", (PyCFunction)(void (*)(void))core_unmap, METH_FASTCALL,
     "unmap(address, size, epoch): whether these pages were free before the epoch, and went."},
    {"free_pages", (PyCFunction)(void (*)(void))core_free_pages, METH_FASTCALL,
     "free_pages(page, epoch): (size, address, stream, pool, kind, range) of whole pages in free blocks."},
    {"runs", (PyCFunction)core_runs, METH_O, "runs(range): (address, size, free at its begin, free at its end) by address."},
    {"idle_segments", (PyCFunction)core_idle_segments, METH_O, "(size, address, stream, pool, kind) of each idle segment."},
    {"lent", (PyCFunction)core_lent, METH_O, "lent(pool): (borrower, home) of streams that have idle lent blocks."},
    {"recall", (PyCFunction)(void (*)(void))core_recall, METH_FASTCALL,
     "recall(pool, borrower, home, epoch): idle lent blocks from before the epoch go home, and merge."},
    {"drop_segment", (PyCFunction)(void (*)(void))core_drop_segment, METH_FASTCALL, "Whether it was idle, and went."},
    {"functions", (PyCFunction)(void (*)(void))core_functions, METH_FASTCALL,
     "functions(allocate, detours): a capsule of C functions; see facula_allocator.h."},
    {"round", (PyCFunction)core_round, METH_O, "(size of the block, size of a segment, kind: 1 for large) for a request."},
    {"statistics", (PyCFunction)core_statistics, METH_NOARGS, "All figures by PyTorch's names."},
    {"reserved", (PyCFunction)core_reserved, METH_NOARGS, "Bytes in segments."},
    {"reset", (PyCFunction)core_reset, METH_O, "Reset totals (True) or peaks (False)."},
    {"snapshot", (PyCFunction)core_snapshot, METH_NOARGS, "(address, size, stream, pool, kind, blocks) of segments."},
    {NULL, NULL, 0, NULL},
};

static PyMemberDef members[] = {
    {"listening", T_BOOL, offsetof(Core, listening), 0, "Whether only `drain` drains, to tell of each free."},
    {"telling", T_BOOL, offsetof(Core, telling), 0, "Whether what was freed is being told of."},
    {"abandoned", T_BOOL, offsetof(Core, abandoned), 0, "Whether frees do nothing: the memory is another process's."},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Core, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, "Core(collecting, granularity, small_size, small_segment, large_segment, huge_size, huge_step, "
                "max_split_size, roundup_power2_divisions)\n\nThe books of one allocator."},
    {Py_tp_new, core_new},
    {Py_tp_dealloc, core_dealloc},
    {Py_tp_methods, methods},
    {Py_tp_members, members},
    {0, NULL},
};

PyType_Spec core_spec = {"facula_allocator._core.Core", sizeof(Core), 0, Py_TPFLAGS_DEFAULT, slots};
