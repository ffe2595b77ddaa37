/* Copies of one triangle of matrices, with zeros in place of the other: a row is a copied run and a run of zeros. */
#include "runtime/kernel.h"

#include <string.h>

#include "linalg/triangle.cdef.h"
#include "runtime/shapes.h"

struct triangle_work {
    const struct facula_triangle *plan;
    const char *from;
    char *to;
};

static void triangle_rows(void *context, int64_t task)
{
    const struct triangle_work *work = context;
    const struct facula_triangle *plan = work->plan;
    const int64_t width = plan->columns * plan->itemsize, rows = plan->matrices * plan->rows;
    const int64_t first = task * plan->group, end = first + plan->group < rows ? first + plan->group : rows;
    int64_t row = first % plan->rows;
    for (int64_t i = first; i < end; i++) {
        int64_t cut = row + plan->diagonal + !plan->upper; /* columns before it are one run, the others the other */
        cut = (cut < 0 ? 0 : cut > plan->columns ? plan->columns : cut) * plan->itemsize;
        const char *from = work->from + i * width;
        char *to = work->to + i * width;
        if (plan->upper) {
            memset(to, 0, (size_t)cut);
            memmove(to + cut, from + cut, (size_t)(width - cut));
        } else {
            memmove(to, from, (size_t)cut);
            memset(to + cut, 0, (size_t)(width - cut));
        }
        if (++row == plan->rows)
            row = 0;
    }
}

static int64_t triangle(const void *plan_, int64_t *args)
{
    const struct facula_triangle *plan = plan_;
    struct triangle_work work = {plan, (const char *)args[1], (char *)args[2]};
    const int64_t tasks = plan->rows ? (plan->matrices * plan->rows + plan->group - 1) / plan->group : 0;
    if (plan->serial)
        for (int64_t i = 0; i < tasks; i++)
            triangle_rows(&work, i);
    else
        facula_parallel(tasks, triangle_rows, &work);
    return FACULA_OK;
}

/* Layouts: the result, and matrices of its shape; both are contiguous. */
static int64_t shape_triangle(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    enum { ROW_COST = 10000 }; /* picoseconds: the start of two runs */
    const struct facula_form *form = from;
    struct facula_triangle *plan = into;
    const struct layout o = next_layout(&layouts), a = next_layout(&layouts);
    (void)workspace;
    if (count != 2 || o.ndim < 2 || !is_row_major(&o) || !is_row_major(&a))
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan;
    const int64_t rows = o.shape[o.ndim - 2], columns = o.shape[o.ndim - 1];
    const double each = ROW_COST + (double)form->cost * (double)columns * (double)form->itemsize;
    const int64_t group = (int64_t)(SERIAL_COST / (2 * each)), most = columns + 1, least = -rows - 1;
    int64_t matrices = 1;
    for (int64_t d = 0; d < o.ndim - 2; d++)
        matrices *= o.shape[d];
    *plan = (struct facula_triangle){
        matrices, elements_of(&o) ? rows : 0, columns, form->itemsize,
        form->option > most ? most : form->option < least ? least : form->option, group > 1 ? group : 1, form->flag,
        (double)matrices * (double)rows * each <= SERIAL_COST};
    return release_at(each / (double)(columns ? columns : 1));
}

FACULA_KERNEL("triangle", triangle, 50, 0)
FACULA_KERNEL("triangle_shape", shape_triangle, 0, 0)
