/* Plans of operators on complete lines for given layouts; see Note [Lines] in lines.c. */
#include <stdlib.h>

#include "lines/lines.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum {
    OPERANDS = 4, WIDTH = 1 + OPERANDS, /* a dimension of the nest: extent, steps */
    COLUMNS = 64,                       /* adjacent lines that fill vectors */
    LINE_COST = 10000,                  /* picoseconds */
};

/* The length and the step of the lines of an operand, of `size` bytes an element; of a scalar: one element. */
static void set_line(struct facula_lines *plan, int place, const struct layout *layout, const struct facula_form *form,
                     int64_t dim)
{
    const int64_t size = form->sizes[place], n = layout->ndim ? layout->shape[dim] : 1;
    const int64_t step = layout->ndim ? layout->strides[dim] * size : size;
    int64_t start = form->backwards ? (n - 1) * step : 0;
    if (place == form->shorter) {
        start = n > 1 ? start - step : 0;
        start = start > 0 ? start : 0;
    }
    plan->n[place] = n;
    plan->step[place] = form->backwards ? -step : step;
    plan->start[place] = start;
}

/* Layouts: the results, then the operands. They agree in all dimensions but that of the lines. */
static int64_t shape_lines(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_lines *plan = into;
    struct layout operands[OPERANDS];
    const int64_t inputs = count - form->results, last = count - 1;
    int64_t ndim = 0, dims = 0, lines = 1, longest = 0;
    (void)workspace;
    if (inputs < 1 || count > OPERANDS)
        return -1;
    for (int64_t i = 0; i < count; i++) {
        const int64_t place = i < form->results ? inputs + i : i - form->results;
        operands[place] = next_layout(&layouts);
        ndim = operands[place].ndim > ndim ? operands[place].ndim : ndim;
    }
    for (int64_t i = 0; i < count; i++)
        if (operands[i].ndim != ndim && (operands[i].ndim || ndim > 1))
            return -1;
    const int64_t line_dim = form->dim + (form->dim < 0 ? ndim : 0); /* -1: the last one of any layout */
    if (ndim && (line_dim < 0 || line_dim >= ndim))
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->nest * WIDTH * (ndim + 1);
    memset(plan, 0, sizeof *plan);
    for (int place = 0; place < count; place++) {
        set_line(plan, place, &operands[place], form, line_dim);
        if ((place < last || !last) && plan->n[place] > longest)
            longest = plan->n[place];
    }
    for (int64_t d = ndim - 1; d >= 0; d--) {
        int64_t dim[WIDTH] = {operands[last].ndim ? operands[last].shape[d] : 1};
        if (d == line_dim)
            continue;
        for (int64_t i = 0; i < count; i++)
            dim[1 + i] = operands[i].strides[d] * form->sizes[i];
        lines *= dim[0];
        dims = add_dim(plan->nest, dims, WIDTH, (int)count, dim); /* by the steps of the last result */
    }
    dims = merge_dims(plan->nest, lines ? dims : 0, WIDTH);
    const int64_t *nest = plan->nest, first = nest[0], each = LINE_COST + form->cost * longest;
    const double work = (double)lines * (double)each;
    plan->by_column = first > 1 && llabs(nest[1]) < llabs(plan->step[0]);
    plan->segment = first;
    if (work > SERIAL_COST) {
        const int64_t whole = plan->by_column ? COLUMNS : form->together, wanted = (int64_t)SERIAL_COST / (2 * each);
        const int64_t segment = ((wanted > 1 ? wanted : 1) + whole - 1) / whole * whole;
        plan->segment = segment < first ? segment : first;
    }
    memcpy(&plan->run, &form->part, sizeof plan->run);
    memcpy(plan->next, nest + 1, sizeof plan->next);
    plan->dtype = form->dtype;
    plan->itemsize = form->itemsize;
    plan->option = form->option;
    plan->flag = form->flag;
    plan->segments = (first + plan->segment - 1) / plan->segment * (lines / first);
    plan->group = (int64_t)(SERIAL_COST / (2.0 * (double)plan->segment * (double)each));
    if (plan->group < 1)
        plan->group = 1;
    plan->operands = (int32_t)count;
    plan->serial = work <= SERIAL_COST;
    plan->dims = (int32_t)dims;
    const int64_t results = elements_of(&operands[inputs]);
    return release_at(work / (double)(results ? results : 1));
}

FACULA_KERNEL("lines_shape", shape_lines, 0, 0)
