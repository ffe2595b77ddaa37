/* Plans of convolutions of few channels for given layouts, where vectors would be full; see Note [Shallow]. */
#include "convolution/shallow.cdef.h"
#include "runtime/kernel.h"
#include "runtime/library.cdef.h"
#include "runtime/shapes.h"

enum {
    FEW_CHANNELS = 8, /* of which products with the results' gradient would leave most lanes empty */
    VECTOR = 64,      /* bytes of the longest one */
    PIXELS = 1024,    /* of images whose products are added up together, for the weights' gradient */
    LEAST_TASKS = 4,
    COST = 12,        /* picoseconds of a multiplication */
};

/* Rows or columns: lengths of the input, of results and of the kernel, with the distances between elements. */
struct axis {
    int64_t length, out, kernel, stride, dilation, padding;
};

/* How many elements a block of results reads. */
static int64_t band_of(const struct axis *axis, int64_t block)
{
    return (block - 1) * axis->stride + (axis->kernel - 1) * axis->dilation + 1;
}

static int64_t parts_of(int64_t length, int64_t step)
{
    return (length + step - 1) / step;
}

/* The part of the lanes of vectors of `lanes` elements that lines of this length use, if each is `used` of it. */
static double used_of(int64_t used, int64_t length, int64_t lanes)
{
    return (double)used / (double)(parts_of(length, lanes) * lanes);
}

static int64_t least_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Layouts: those of images, results and weights, the one that is computed first, weights last among the others. */
static int64_t shape_shallow(void *into, const void *from, int64_t count, const int64_t *layouts, int64_t *workspace)
{
    const struct facula_form *form = from;
    struct facula_shallow *plan = into;
    const int back = form->option == FACULA_SHALLOW_INPUT, weighs = form->option == FACULA_SHALLOW_WEIGHTS;
    const int64_t size = form->itemsize, groups = form->dim, *stride = form->geometry + 2, band_limit = form->sizes[0];
    struct layout given[3];
    struct axis axes[2];
    int64_t elements = 1;
    if (count < 3)
        return -1;
    for (int i = 0; i < 3; i++) {
        given[i] = next_layout(&layouts);
        if (given[i].ndim != 4)
            return -1;
        elements = elements && elements_of(&given[i]);
    }
    /* what is read, what is computed, and the weights, as of a convolution that computes the results or the images */
    const struct layout *weights = &given[weighs ? 0 : 2], *made = &given[weighs ? 1 : 0], *read = &given[weighs ? 2 : 1];
    const int64_t kernel[2] = {weights->shape[2], weights->shape[3]};
    int64_t channels = weights->shape[1], filters = weights->shape[0] / groups;
    if (!elements)
        return -1;
    if (!plan)
        return (int64_t)sizeof *plan;
    if (back) { /* itself a convolution, of the results' gradient */
        const int64_t before = channels;
        channels = filters;
        filters = before;
    }
    for (int i = 0; i < 2; i++) {
        const int64_t dilation = form->geometry[6 + i], padding = form->geometry[4 + i];
        axes[i] = (struct axis){read->shape[2 + i], made->shape[2 + i], kernel[i], stride[i], dilation,
                                back ? (kernel[i] - 1) * dilation - padding : padding};
    }
    const struct axis *rows = axes, *columns = axes + 1;
    const int64_t area = kernel[0] * kernel[1], taps = channels * area;
    const int simple = stride[0] == 1 && stride[1] == 1;
    if (channels > form->sizes[1] ||
        (weights->shape[1] == 1 && (weights->shape[0] / groups < 4 || (taps == 9 && !weighs))) || /* depthwise */
        taps > FACULA_SHALLOW_TAPS || (weighs && filters * taps * VECTOR > FACULA_SHALLOW_SUMS) ||
        (back && filters < (channels > 16 ? 4 : 2)) || /* whose sums do not use each vector often enough */
        most_of(stride[0], stride[1]) > (back ? 1 : 2) ||
        (area == 1 && simple && !(weighs && channels <= FEW_CHANNELS))) /* a product */
        return -1;
    const int64_t lanes = VECTOR / size, images = read->shape[0];
    const int64_t pitch = parts_of(band_of(columns, columns->out), columns->stride) * (columns->kernel == 1 ? 1 : columns->stride);
    const double work = (double)images * (double)groups * (double)filters * (double)taps * (double)rows->out *
                        (double)columns->out * COST;
    const int64_t row = channels * pitch * size; /* bytes */
    const int64_t least = weighs || work <= SERIAL_COST ? 1 : least_of(rows->out, parts_of(LEAST_TASKS, images * groups));
    const int64_t beyond = band_limit / row - band_of(rows, 1);
    const int64_t most = beyond < 0 ? 1 : beyond / rows->stride + 1;
    const int64_t lines = parts_of(rows->out, most_of(least, parts_of(rows->out, most))), band = band_of(rows, lines) * row;
    if (band > 4 * band_limit)
        return -1;
    const int64_t joined_line = (lines - 1) * pitch + columns->out;
    double used = used_of(columns->out, columns->out, lanes);
    const double used_joined = used_of(lines * columns->out, joined_line, lanes);
    const int joined = !weighs && simple && used_joined > used + 0.1;
    if (joined)
        used = used_joined;
    if (back) { /* weights also multiply the padding around the results' gradient */
        const double share = (double)(rows->length * columns->length) / (double)(rows->out * columns->out);
        used *= share < 1 ? share : 1;
    }
    if (used < form->number)
        return -1;
    *plan = (struct facula_shallow){
        images, groups, channels, filters, rows->length, columns->length, rows->out, columns->out, kernel[0], kernel[1],
        stride[0], stride[1], rows->dilation, columns->dilation, rows->padding, columns->padding, lines, joined, 1, 1,
        form->flag, form->backwards, form->root, form->epsilon, .slots = 0};
    if (plan->pooled && lines < rows->out)
        plan->block_lines += lines % 2;
    plan->parts = least_of(least_of(images * parts_of(rows->out, plan->block_lines), 2 * LEAST_TASKS),
                           1 + (int64_t)(work / (double)groups) / (int64_t)SERIAL_COST);
    if (weighs && plan->block_lines == rows->out)
        plan->together = most_of(1, least_of(least_of(images, PIXELS / (rows->out * columns->out)), band_limit / band));
    *workspace = facula_complete_shallow(plan, (int)form->option, (int)size, facula_threads());
    const int64_t stored = plan->pooled ? made->shape[0] * made->shape[1] * (rows->out / 2) * (columns->out / 2)
                                        : elements_of(&given[0]);
    return *workspace < 0 ? -1 : release_at(work / (double)stored);
}

FACULA_KERNEL("shallow_shape", shape_shallow, 0, 0)
