/* Plans of pooling for given layouts; see Note [Pooling] in pooling.inc. */
#include "runtime/kernel.h"
#include "runtime/shapes.h"
#include "spatial/pooling.cdef.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The quotient, rounded up; 0 or less if the dividend is. */
static int64_t quotient(int64_t a, int64_t b)
{
    return a > 0 ? (a + b - 1) / b : a / b;
}

/* Write `count` windows along one dimension, clipped to its `length`, and return the number of elements of the longest.
   `dim` is 0 for rows, 1 for columns. */
static int64_t set_windows(int64_t *window, const struct facula_form *form, int dim, int64_t length, int64_t count)
{
    const int64_t *geometry = form->geometry + dim, kernel = geometry[0], stride = geometry[2], padding = geometry[4];
    const int64_t dilation = geometry[6];
    int64_t longest = 0;
    for (int64_t place = 0; place < count; place++, window += 3) {
        if (form->windows == FACULA_REGULAR_WINDOWS) {
            const int64_t start = place * stride - padding, skipped = start < 0 ? quotient(-start, dilation) : 0;
            window[0] = start + skipped * dilation;
            window[1] = least(kernel - skipped, quotient(length - window[0], dilation));
            window[2] = form->flag ? least(kernel, length + padding - start) : window[1];
            if (form->option)
                window[2] = dim ? 1 : form->option;
        } else if (form->windows == FACULA_EVEN_WINDOWS) {
            window[0] = place * length / count;
            window[1] = window[2] = quotient((place + 1) * length, count) - window[0];
        } else {
            memset(window, 0, 3 * sizeof *window);
        }
        if (window[1] > longest)
            longest = window[1];
    }
    return longest;
}

/* Layouts: results, then operands, all contiguous; then the size of results, which they have. */
static int64_t shape_pooling(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_pooling *plan = into;
    int64_t planes = 1;
    (void)workspace;
    if (count != form->arrays + 1)
        return -1;
    const struct layout made = next_layout(&layouts);
    struct layout given = made;
    if (made.ndim < 2 || !is_row_major(&made))
        return -1;
    for (int64_t i = 1; i < form->arrays; i++) {
        const struct layout other = next_layout(&layouts);
        if (other.ndim != made.ndim || !is_row_major(&other))
            return -1;
        if (i == form->results) /* the first operand */
            given = other;
    }
    const struct layout *large = form->backwards ? &made : &given, *small = form->backwards ? &given : &made;
    const int64_t height = large->shape[made.ndim - 2], width = large->shape[made.ndim - 1];
    const int64_t out_height = small->shape[made.ndim - 2], out_width = small->shape[made.ndim - 1];
    if ((double)height * (double)width >= 2147483648.0)
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan + (int64_t)sizeof *plan->windows * 3 * (out_height + out_width);
    for (int64_t d = 0; d < made.ndim - 2; d++)
        planes *= made.shape[d];
    const double tall = (double)set_windows(plan->windows, form, 0, height, out_height);
    const double wide = (double)set_windows(plan->windows + 3 * out_height, form, 1, width, out_width);
    plan->planes = planes;
    plan->height = height;
    plan->width = width;
    plan->out_height = out_height;
    plan->out_width = out_width;
    plan->kernel_width = plan->left = 0;
    plan->row_dilation = plan->column_dilation = plan->column_stride = 1;
    if (form->geometry[0]) {
        plan->kernel_width = form->geometry[1];
        plan->column_stride = form->geometry[3];
        plan->left = form->geometry[5];
        plan->row_dilation = form->geometry[6];
        plan->column_dilation = form->geometry[7];
    } else if (form->windows == FACULA_EVEN_WINDOWS && out_width && width % out_width == 0) {
        plan->kernel_width = plan->column_stride = width / out_width;
    }
    /* Estimated work of the largest output row, or of a plane. */
    const double row = form->ordered ? tall * wide * (double)out_width : tall * (double)width + wide * (double)out_width;
    double each = (double)form->cost * row, units = (double)planes * (double)out_height;
    if (form->together) {
        each = each * (double)out_height + (double)form->cost * (double)height * (double)width;
        units = (double)planes;
    }
    const int64_t group = (int64_t)(SERIAL_COST / (each > 0 ? 2 * each : 1));
    plan->serial = each * units <= SERIAL_COST;
    plan->group = group > 1 ? group : 1;
    const int64_t elements = elements_of(&made);
    return release_at(each * units / (double)(elements ? elements : 1));
}

FACULA_KERNEL("pooling_shape", shape_pooling, 0, 0)
