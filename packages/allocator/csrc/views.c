/* Views of the core as Python objects. Rows are copied first: creating tuples may run the garbage collector, whose
   finalisers may allocate, free or empty the cache. */
#include "types.h"

#include <stdlib.h>

typedef struct {
    long long size, requested, stream, pool; /* requested: of a block */
    unsigned long long address, range;
    int state, kind, blocks;                 /* blocks: how many rows of blocks follow this row of a segment */
} row;

static size_t count_rows(const facula_core *core)
{
    size_t count = 0;
    for (const facula_segment *segment = core->segments; segment; segment = segment->next) {
        count++;
        for (const facula_block *block = segment->first; block; block = block->next)
            count++;
    }
    return count;
}

/* Return a list of `item` applied to each row, and free the rows. */
static PyObject *listed(row *rows, size_t count, PyObject *(*item)(const row *))
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i++)
        if (append(list, item(rows + i)))
            Py_CLEAR(list);
    free(rows);
    return list;
}

static PyObject *idle_row(const row *at)
{
    return Py_BuildValue("LKLLi", at->size, at->address, at->stream, at->pool, at->kind);
}

PyObject *core_idle_segments(Core *self, PyObject *epoch)
{
    long long at = PyLong_AsLongLong(epoch);
    size_t count = 0, filled = 0;
    if (at == -1 && PyErr_Occurred())
        return NULL;
    for (facula_segment *segment = self->core->segments; segment; segment = segment->next)
        count++;
    row *rows = malloc((count + 1) * sizeof *rows);
    if (!rows)
        return PyErr_NoMemory();
    for (facula_segment *segment = self->core->segments; segment; segment = segment->next)
        if (facula_core_is_idle(segment, (uint64_t)at))
            rows[filled++] = (row){.size = segment->size, .address = segment->address, .stream = segment->home->stream,
                                   .pool = segment->home->id, .kind = segment->kind};
    return listed(rows, filled, idle_row);
}

static PyObject *page_row(const row *at)
{
    return Py_BuildValue("LKLLiK", at->size, at->address, at->stream, at->pool, at->kind, at->range);
}

PyObject *core_free_pages(Core *self, PyObject *const *args, Py_ssize_t given)
{
    long long at[2];
    size_t filled = 0;
    if (numbers("free_pages", args, given, at, 2))
        return NULL;
    uint64_t page = (uint64_t)at[0], epoch = (uint64_t)at[1];
    row *rows = malloc((count_rows(self->core) + 1) * sizeof *rows);
    if (!rows)
        return PyErr_NoMemory();
    for (facula_segment *segment = self->core->segments; segment; segment = segment->next)
        for (facula_block *block = segment->range ? segment->first : NULL; block; block = block->next) {
            if (block->state != BLOCK_FREE || block->stamp >= epoch)
                continue;
            uint64_t first = (block->address + page - 1) / page * page;
            uint64_t last = (block->address + (uint64_t)block->size) / page * page;
            if (first < last)
                rows[filled++] = (row){.size = (long long)(last - first), .address = first, .range = segment->range,
                                       .stream = segment->home->stream, .pool = segment->home->id,
                                       .kind = segment->kind};
        }
    return listed(rows, filled, page_row);
}

/* `stream` and `pool` contain the free bytes at either end. */
static PyObject *run_row(const row *at)
{
    return Py_BuildValue("KLLL", at->address, at->size, at->stream, at->pool);
}

static int by_address(const void *a, const void *b)
{
    const row *one = a, *two = b;
    return (one->address > two->address) - (one->address < two->address);
}

static long long free_bytes(const facula_block *block)
{
    return block->state == BLOCK_FREE && block->pool == block->segment->home ? block->size : 0;
}

PyObject *core_runs(Core *self, PyObject *range)
{
    unsigned long long start = PyLong_AsUnsignedLongLong(range);
    size_t filled = 0;
    if (PyErr_Occurred())
        return NULL;
    row *rows = malloc((count_rows(self->core) + 1) * sizeof *rows);
    if (!rows)
        return PyErr_NoMemory();
    for (facula_segment *segment = self->core->segments; segment; segment = segment->next) {
        if (segment->range != start)
            continue;
        const facula_block *last = segment->first;
        while (last->next)
            last = last->next;
        rows[filled++] = (row){.address = segment->address, .size = segment->size,
                               .stream = free_bytes(segment->first), .pool = free_bytes(last)};
    }
    qsort(rows, filled, sizeof *rows, by_address);
    return listed(rows, filled, run_row);
}

PyObject *core_lent(Core *self, PyObject *pool)
{
    enum { MOST = 64 }; /* the other pairs come next time */
    long long id = PyLong_AsLongLong(pool), pairs[MOST][2];
    int count = 0, i;
    if (id == -1 && PyErr_Occurred())
        return NULL;
    for (facula_segment *segment = self->core->segments; segment; segment = segment->next) {
        if (segment->home->id != id)
            continue;
        for (facula_block *block = segment->first; block; block = block->next) {
            if (block->state != BLOCK_FREE || block->pool == segment->home)
                continue;
            for (i = 0; i < count; i++)
                if (pairs[i][0] == block->pool->stream && pairs[i][1] == segment->home->stream)
                    break;
            if (i == count && count < MOST) {
                pairs[count][0] = block->pool->stream;
                pairs[count++][1] = segment->home->stream;
            }
        }
    }
    PyObject *list = PyList_New(0);
    for (i = 0; list && i < count; i++)
        if (append(list, Py_BuildValue("LL", pairs[i][0], pairs[i][1])))
            Py_CLEAR(list);
    return list;
}

static void copy_rows(const facula_core *core, row *at)
{
    for (const facula_segment *segment = core->segments; segment; segment = segment->next) {
        row *head = at++;
        *head = (row){.size = segment->size, .address = segment->address, .range = segment->range,
                      .stream = segment->home->stream, .pool = segment->home->id, .kind = segment->kind};
        for (const facula_block *block = segment->first; block; block = block->next) {
            int state = block->state; /* what is freed and not drained counts as free */
            if (state == BLOCK_PUSHED)
                state = block->use_count ? BLOCK_WAITING : BLOCK_FREE;
            *at++ = (row){.size = block->size, .address = block->address, .stream = block->pool->stream, .state = state,
                          .requested = state == BLOCK_FREE ? 0 : block->requested};
            head->blocks++;
        }
    }
}

static PyObject *segment_row(const row *head)
{
    PyObject *blocks = PyList_New(0);
    for (const row *at = head + 1; blocks && at <= head + head->blocks; at++)
        if (append(blocks, Py_BuildValue("KLLiL", at->address, at->size, at->requested, at->state, at->stream)))
            Py_CLEAR(blocks);
    if (!blocks)
        return NULL;
    return Py_BuildValue("KLLLiNN", head->address, head->size, head->stream, head->pool, head->kind,
                         PyBool_FromLong(head->range != 0), blocks);
}

PyObject *core_snapshot(Core *self, PyObject *nothing)
{
    (void)nothing;
    drain_silently(self);
    facula_core_mark_pushed(self->core);
    size_t count = count_rows(self->core);
    row *rows = malloc((count + 1) * sizeof *rows);
    if (!rows)
        return PyErr_NoMemory();
    copy_rows(self->core, rows);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < count; i += 1 + (size_t)rows[i].blocks)
        if (append(list, segment_row(rows + i)))
            Py_CLEAR(list);
    free(rows);
    return list;
}
