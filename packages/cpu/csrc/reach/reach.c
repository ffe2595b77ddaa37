/* Checks that plans from files access only the memory of their launches.

   Note [Forged plans]
   ~~~~~~~~~~~~~~~~~~~
   A kernel trusts its plan: lengths, steps, positions in arrays on the stack. In a file any of these numbers may be
   forged. So each launch is checked once when a file is loaded, after its plan is complete: the plan's numbers
   determine the bytes around each address that the kernel accesses, and these must be in the argument's block. Divisors
   must not be 0, counts of a kernel's fixed-size arrays must not exceed them, and addresses must be multiples of their
   elements' size. The table below has a check for each kernel; a kernel without one is refused, and a test lists those.
   A kernel itself checks values that it reads from memory at run time (indices, targets), for every caller; if it
   checks first and uses them later, the check here requires memory that the launch does not write to. Other arguments
   may overlap, and results are wrong then: runs of bytes are copied by memmove.

   A pointer to a row of the kernel table leads to a row of the field's own type (FACULA_ROW_KIND in kernel.h), so
   checks only examine a row's dtypes.

   All computations are in doubles, which neither wrap nor trap. Numbers beyond 2^46 are refused, so accepted ones are
   computed without rounding, and kernels never compute a product of two numbers that does not fit in 64 bits. */
#include "reach/reach.h"

#include <math.h>
#include <string.h>

enum { MOST_DIMS = 64 };

static const struct {
    const char *kernel, *plan; /* NULL: it has none */
    reach_check check;
} checks[] = {
    {"adafactor_run", "facula_adafactor", check_adafactor},
    {"attention", "facula_attention", check_attention},
    {"attention_grad", "facula_attention", check_attention},
    {"avg_pool2d", "facula_pooling", check_pooling},
    {"avg_pool2d_grad", "facula_pooling", check_pooling},
    {"batch_norm", "facula_batch_norm", check_batch_norm},
    {"cat", NULL, check_cat},
    {"cholesky_ex", "facula_elimination", check_elimination},
    {"conv2d", "facula_convolution", check_convolution},
    {"conv2d_input", "facula_convolution", check_convolution},
    {"conv2d_input_winograd", "facula_winograd", check_winograd},
    {"conv2d_input_shallow", "facula_shallow", check_shallow},
    {"conv2d_shallow", "facula_shallow", check_shallow},
    {"conv2d_weight", "facula_convolution", check_convolution},
    {"conv2d_weight_shallow", "facula_shallow", check_shallow},
    {"conv2d_weight_winograd", "facula_winograd", check_winograd},
    {"conv2d_winograd", "facula_winograd", check_winograd},
    {"cross_entropy", "facula_cross_entropy", check_cross_entropy},
    {"ctc_loss", "facula_ctc", check_ctc},
    {"depthwise", "facula_depthwise", check_depthwise},
    {"depthwise_input", "facula_depthwise", check_depthwise},
    {"depthwise_weight", "facula_depthwise", check_depthwise},
    {"det", "facula_elimination", check_elimination},
    {"dropout", "facula_dropout", check_dropout},
    {"eigh", "facula_elimination", check_decomposition},
    {"eigvalsh", "facula_elimination", check_decomposition},
    {"elementwise", "facula_elementwise", check_elementwise},
    {"elementwise_dense", "facula_elementwise", check_elementwise_dense},
    {"elementwise_quotient", "facula_elementwise", check_quotient},
    {"fft_complex", "facula_fft", check_fft},
    {"fft_from_real", "facula_fft", check_fft},
    {"fft_to_real", "facula_fft", check_fft},
    {"gather", "facula_gather", check_gather},
    {"gather_back", "facula_gather", check_gather},
    {"gather_taps", "facula_taps", check_taps},
    {"inv_ex", "facula_elimination", check_elimination},
    {"lines", "facula_lines", check_lines},
    {"local_response_norm", "facula_response", check_response},
    {"local_response_norm_grad", "facula_response", check_response},
    {"lu_factor_ex", "facula_elimination", check_elimination},
    {"matmul", "facula_matmul", check_product},
    {"max_pool2d", "facula_pooling", check_pooling},
    {"max_pool2d_grad", "facula_pooling", check_pooling},
    {"max_pool2d_pick", "facula_pooling", check_pooling},
    {"max_pool2d_values", "facula_pooling", check_pooling},
    {"max_pool2d_values_grad", "facula_pooling", check_pooling},
    {"merged_positions", "facula_merge", check_merge},
    {"moves", "facula_moves", check_moves},
    {"nonzero", "facula_positions", check_positions},
    {"nonzero_flat", "facula_positions", check_positions},
    {"optimizer_step", "facula_step", check_step},
    {"permutation_of", "facula_elimination", check_elimination},
    {"pinv", "facula_elimination", check_decomposition},
    {"program_dense", "facula_elementwise", check_elementwise_dense},
    {"put", "facula_index", check_take},
    {"qr", "facula_elimination", check_decomposition},
    {"qr_r", "facula_elimination", check_decomposition},
    {"random", "facula_random", check_random},
    {"recurrent", "facula_recurrent", check_recurrent},
    {"recurrent_grad", "facula_recurrent", check_recurrent},
    {"reduce", "facula_reduce", check_reduce},
    {"resample", "facula_resample", check_resample},
    {"row_norm", "facula_row_norm", check_row_norm},
    {"rows", "facula_softmax", check_rows},
    {"samples", "facula_samples", check_samples},
    {"scatter", "facula_gather", check_gather},
    {"scatter_copy", "facula_gather", check_gather},
    {"scatter_taps", "facula_taps", check_taps},
    {"slogdet", "facula_elimination", check_elimination},
    {"solve_ex", "facula_elimination", check_elimination},
    {"solve_factors", "facula_triangular_solve", check_triangular_solve},
    {"svd", "facula_elimination", check_decomposition},
    {"svdvals", "facula_elimination", check_decomposition},
    {"take", "facula_index", check_take},
    {"take_back", "facula_index", check_take},
    {"transposing_copy", "facula_transpose", check_transposing_copy},
    {"triangle", "facula_triangle", check_triangle},
    {"triangular_solve", "facula_triangular_solve", check_triangular_solve},
    {"weigh_taps", "facula_taps", check_taps},
};

FACULA_PUBLIC int facula_is_checked(const char *kernel)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!strcmp(checks[i].kernel, kernel))
            return 1;
    return has_step(kernel);
}

int check_reach(struct reach *r)
{
    const char *plan = r->part ? r->section->text + r->part->kind : NULL;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (!is_named(r, checks[i].kernel))
            continue;
        if (!plan != !checks[i].plan || (plan && strcmp(checks[i].plan, plan)))
            return reach_refused(r, checks[i].plan ? checks[i].plan : "no plan");
        return r->kernel->kind == FACULA_WHOLE ? checks[i].check(r) : reach_refused(r, "a whole kernel");
    }
    return reach_refused(r, "a kernel that files may run");
}

int reach_refused(struct reach *r, const char *expected)
{
    return refuse(r->error, "its program is damaged: the plan of a %s: expected %s", r->kernel->name, expected);
}

/* ------------------------------------------------------------------------------------------------------- spans */
double nest_total(const int64_t *nest, int64_t dims, int64_t width)
{
    double total = 1;
    int fits = dims >= 0 && dims <= MOST_DIMS;
    for (int64_t d = 0; fits && d < dims; d++) {
        fits = is_count(nest[d * width]);
        total *= (double)nest[d * width];
    }
    return fits && total <= MOST ? total : -1;
}

struct span span_of(int64_t itemsize)
{
    return span_row(1, itemsize);
}

struct span span_row(double count, int64_t itemsize)
{
    return (struct span){.high = count * (double)itemsize, .unit = itemsize < 8 ? itemsize : 8, .empty = !count,
                         .wrong = !(count >= 0 && count <= MOST && is_size(itemsize))};
}

void span_walk(struct span *span, int64_t extent, int64_t step)
{
    const double by = (double)step, reach = ((double)extent - 1) * by;
    span->wrong |= !is_count(extent) || fabs(by) > MOST || (double)extent * fabs(by) > 2 * MOST ||
                   (span->unit > 1 && step % span->unit);
    span->empty |= !extent;
    span->low += reach < 0 ? reach : 0;
    span->high += reach > 0 ? reach : 0;
}

void span_nest(struct span *span, const int64_t *nest, int64_t dims, int64_t width, int64_t step)
{
    for (int64_t d = 0; d < dims; d++)
        span_walk(span, nest[d * width], nest[d * width + step]);
}

/* ---------------------------------------------------------------------------------------------------- arguments */
static const struct argument_row *argument_at(const struct reach *r, int64_t argument)
{
    const struct launch_row *launch = r->launch;
    return argument >= 0 && argument < launch->arguments ? &r->section->arguments[launch->first + argument] : NULL;
}

/* Returns whether a run leaves the number unchanged. */
static int is_fixed(const struct reach *r, int64_t argument)
{
    const struct argument_row *one = argument_at(r, argument);
    return one && one->kind == PLAIN && argument != r->launch->workspace_at && !r->changed[r->launch->first + argument];
}

int has_arguments(struct reach *r, int64_t count)
{
    return r->launch->arguments >= count ? 0 : reach_refused(r, "more arguments");
}

int has_memory(struct reach *r, int64_t argument, struct span span)
{
    const struct argument_row *one = argument_at(r, argument);
    if (!one || one->kind != ADDRESS || argument == r->launch->workspace_at)
        return reach_refused(r, "an address");
    const struct block_row *block = &r->section->blocks[one->target];
    const int64_t start = one->value + (block->kind == TEMPORARY ? block->place : 0);
    if (span.wrong)
        return reach_refused(r, "steps of elements, in memory that a machine could have");
    if (span.empty)
        return 0;
    if (start % span.unit)
        return reach_refused(r, "addresses that are multiples of the size of elements");
    if ((double)one->value + span.low < 0 || (double)one->value + span.high > (double)block->bytes)
        return reach_refused(r, "memory for its elements");
    return 0;
}

int is_null(const struct reach *r, int64_t argument)
{
    return is_fixed(r, argument) && !argument_at(r, argument)->value;
}

int may_have_memory(struct reach *r, int64_t argument, struct span span)
{
    return is_null(r, argument) ? 0 : has_memory(r, argument, span);
}

int has_workspace(struct reach *r, int64_t argument, double bytes)
{
    if (argument != r->launch->workspace_at || argument < 0)
        return reach_refused(r, "its workspace");
    return bytes >= 0 && bytes <= (double)r->workspace ? 0 : reach_refused(r, "a larger workspace");
}

int has_number(struct reach *r, int64_t argument, int64_t *number)
{
    if (!is_fixed(r, argument))
        return reach_refused(r, "a number that stays as it is");
    *number = argument_at(r, argument)->value;
    return 0;
}

int is_disjoint(struct reach *r, int64_t read, int64_t written)
{
    const struct argument_row *a = argument_at(r, read), *b = argument_at(r, written);
    const struct block_row *from = &r->section->blocks[a->target], *to = &r->section->blocks[b->target];
    const int apart = from->kind != to->kind    ? 1
                      : from->kind == TEMPORARY ? from->place + from->bytes <= to->place || to->place + to->bytes <= from->place
                      : from->kind == OWN       ? from != to
                                                : 0; /* tensors of a file may overlap */
    return apart ? 0 : reach_refused(r, "results that lie in other memory than indices");
}

/* --------------------------------------------------------------------------------------------------- pointers */
static const struct pointer_row *pointer_at(const struct reach *r, const struct part_row *part, int64_t offset, int to_part)
{
    for (int64_t k = part->first + part->pointers - 1; k >= part->first; k--) /* the last one applies */
        if (r->section->pointers[k].offset == offset)
            return !r->section->pointers[k].to_part == !to_part ? &r->section->pointers[k] : NULL;
    return NULL;
}

const struct facula_kernel *row_at(const struct reach *r, const struct part_row *part, int64_t offset)
{
    const struct pointer_row *pointer = pointer_at(r, part, offset, 0);
    return pointer ? r->kernels[pointer->target] : NULL;
}

const struct part_row *part_at(const struct reach *r, const struct part_row *part, int64_t offset)
{
    const struct pointer_row *pointer = pointer_at(r, part, offset, 1);
    return pointer ? &r->section->parts[pointer->target] : NULL;
}

int check_segments(struct reach *r, const int64_t *nest, int64_t dims, int64_t width, int64_t segment, int64_t segments,
                   int64_t group)
{
    EXPECT(dims >= 1 && dims <= MOST_DIMS && segment >= 1 && is_count(segment));
    EXPECT(group >= 1 && is_count(group) && is_count(segments));
    const double others = nest_total(nest + width, dims - 1, width);
    EXPECT(others >= 0 && is_count(nest[0]));
    EXPECT((double)segments <= ceil((double)nest[0] / (double)segment) * others);
    return 0;
}
