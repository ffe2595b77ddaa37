/* The workspace of convolutions of few channels; see Note [Shallow] in shallow.inc. */
#include "convolution/shallow.cdef.h"

#include <math.h>

#include "runtime/kernel.h"

static const double LARGEST = 70368744177664.;           /* 2^46: a file may contain any number */
static const double SERIAL = 5e6, MULTIPLY = 12;         /* picoseconds: work that is not worth distributing, as in Python */
enum { LONGEST_VECTOR = 64, ROWS = 14, MOST_STRIDE = 2 }; /* bytes; filters that are summed up together */

/* Returns whether these are sizes of such a convolution, whose products are exact numbers. */
static int is_sane(const struct facula_shallow *p, int kind)
{
    const int64_t sizes[] = {p->images,       p->groups,        p->channels,     p->filters,      p->height,
                             p->width,        p->out_height,    p->out_width,    p->kernel_height, p->kernel_width,
                             p->row_dilation, p->column_dilation, p->block_lines, p->parts,
                             p->together};
    for (int i = 0; i < 15; i++)
        if (sizes[i] < 1 || (double)sizes[i] > LARGEST)
            return 0;
    const double images = (double)p->images * (double)p->groups, filters = (double)p->filters;
    const double taps = (double)p->channels * (double)p->kernel_height * (double)p->kernel_width;
    const double rows = (double)p->out_height * MOST_STRIDE + (double)p->kernel_height * (double)p->row_dilation;
    const double columns = (double)p->out_width * MOST_STRIDE + (double)p->kernel_width * (double)p->column_dilation;
    const int64_t steep = p->row_stride > p->column_stride ? p->row_stride : p->column_stride;
    return taps <= FACULA_SHALLOW_TAPS && p->row_stride >= 1 && p->column_stride >= 1 && steep <= MOST_STRIDE &&
           images * (double)p->channels * (double)p->height * (double)p->width <= LARGEST &&
           images * filters * (double)p->out_height * (double)p->out_width <= LARGEST &&
           (double)p->groups * filters * taps * (double)p->parts <= LARGEST && images * (double)p->out_height <= LARGEST &&
           (double)p->channels * rows * columns <= LARGEST && fabs((double)p->top) <= LARGEST &&
           fabs((double)p->left) <= LARGEST && p->block_lines <= p->out_height &&
           (p->together == 1 || p->block_lines == p->out_height) && p->together <= p->images &&
           (p->joined == 0 || (p->joined == 1 && steep == 1 && kind != FACULA_SHALLOW_WEIGHTS)) &&
           ((!p->pooled && !p->rectified && !p->normalized) || kind == FACULA_SHALLOW_RESULTS) &&
           (!p->pooled || p->block_lines % 2 == 0 || p->block_lines == p->out_height) &&
           (kind != FACULA_SHALLOW_INPUT || steep == 1) &&
           (kind != FACULA_SHALLOW_WEIGHTS || filters * taps * LONGEST_VECTOR <= FACULA_SHALLOW_SUMS);
}

static int64_t whole(int64_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

FACULA_PUBLIC int64_t facula_complete_shallow(struct facula_shallow *p, int kind, int itemsize, int threads)
{
    if (!is_sane(p, kind))
        return -1;
    const int64_t blocks = (p->out_height + p->block_lines - 1) / p->block_lines;
    const int64_t units = p->images * blocks, taps = p->channels * p->kernel_height * p->kernel_width;
    if (p->parts > units)
        return -1;
    const int64_t rows = (p->block_lines - 1) * p->row_stride + (p->kernel_height - 1) * p->row_dilation + 1;
    const int64_t columns = (p->out_width - 1) * p->column_stride + (p->kernel_width - 1) * p->column_dilation + 1;
    const int64_t half = (columns + p->column_stride - 1) / p->column_stride;
    const int64_t pitch = half * (p->kernel_width == 1 ? 1 : p->column_stride);
    const int64_t weights = p->filters * taps;
    if ((double)p->together * (double)(p->channels * rows * pitch) > LARGEST)
        return -1;
    p->slot_bytes = whole(p->together * p->channels * rows * pitch * itemsize + 3 * LONGEST_VECTOR);
    if (kind == FACULA_SHALLOW_WEIGHTS)
        p->slot_bytes += weights * LONGEST_VECTOR;
    const int64_t line = p->joined ? pitch : p->out_width;
    if (p->joined || p->pooled || p->rectified || p->normalized)
        p->slot_bytes += whole(ROWS * (((p->block_lines - 1) * line + p->out_width) * itemsize + 2 * LONGEST_VECTOR));
    p->shared_bytes = p->normalized ? whole(3 * p->groups * p->filters * itemsize) : 0;
    if (kind == FACULA_SHALLOW_INPUT)
        p->shared_bytes = whole(p->groups * weights * itemsize);
    if (kind == FACULA_SHALLOW_WEIGHTS && p->parts > 1)
        p->shared_bytes = whole(p->parts * p->groups * weights * itemsize);
    const int64_t tasks = p->groups * (kind == FACULA_SHALLOW_WEIGHTS ? p->parts : units);
    const double work = (double)p->images * (double)p->groups * (double)weights * (double)p->out_height * (double)p->out_width;
    p->slots = work * MULTIPLY > SERIAL ? tasks < threads ? tasks : threads : 1;
    const double bytes = (double)p->shared_bytes + (double)p->slots * (double)p->slot_bytes;
    return bytes <= LARGEST ? (int64_t)bytes : -1;
}
