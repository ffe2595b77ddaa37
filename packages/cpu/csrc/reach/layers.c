/* Checks of plans of losses, pooling, resampling and normalization; see Note [Forged plans] in reach.c. */
#include <math.h>
#include <string.h>

#include "losses/cross_entropy.cdef.h"
#include "losses/ctc.cdef.h"
#include "normalization/batch_norm.cdef.h"
#include "normalization/layer_norm.cdef.h"
#include "normalization/response.cdef.h"
#include "reach/reach.h"
#include "spatial/pooling.cdef.h"
#include "spatial/resample.cdef.h"
#include "spatial/taps.cdef.h"

/* --------------------------------------------------------------------------------------------------------- losses */
int check_cross_entropy(struct reach *r)
{
    enum { MOST_TASKS = 64 }; /* as in cross_entropy.c */
    const struct facula_cross_entropy *p = r->plan;
    const struct facula_kernel *row = ROW_AT(r, facula_cross_entropy, kernel);
    EXPECT(row && p->itemsize == size_in(row, 0) && (p->gradient | 1) == 1 && (p->each | 1) == 1);
    EXPECT(p->dims >= 1 && nest_total(p->nest, p->dims, 5) == (double)p->rows && is_count(p->classes));
    EXPECT(p->group >= 1 && is_count(p->group) && ceil((double)p->rows / (double)p->group) <= MOST_TASKS);
    const int x = 1 + p->gradient, o = x + 3;
    struct span span[4] = {span_of(p->itemsize), span_of(8), span_of(p->itemsize), span_of(p->itemsize)};
    for (int k = 0; k < 4; k++) {
        span_nest(&span[k], p->nest, p->dims, 5, 1 + k);
        EXPECT(!span[k].wrong);
    }
    span_walk(&span[0], p->classes, p->x_step);
    if (p->gradient)
        span_walk(&span[3], p->classes, p->o_step);
    CHECK(has_memory(r, x, span[0]));
    CHECK(has_memory(r, x + 1, span[1]));
    CHECK(may_have_memory(r, x + 2, span_row((double)p->classes, p->itemsize)));
    if (p->gradient)
        CHECK(has_memory(r, 1, span[2]));
    CHECK(has_memory(r, o, p->gradient ? span[3] : p->each ? span[2] : span_of(p->itemsize)));
    EXPECT(is_count(p->x_step < 0 ? -p->x_step : p->x_step));
    CHECK(is_disjoint(r, x + 1, o));
    return has_arguments(r, o + 3);
}

int check_ctc(struct reach *r)
{
    const struct facula_ctc *p = r->plan;
    const int64_t size = size_in(r->kernel, 0), at = 1 + p->gradient;
    const double states = 2 * (double)p->longest + 1;
    EXPECT((p->gradient | 1) == 1 && is_count(p->longest) && is_count(p->targets) && is_count(p->scratch));
    EXPECT(TOTAL(p->steps, p->batch, p->classes) >= 0 && p->scratch % 8 == 0);
    EXPECT(states * 8 + (4 * states + 10) * (double)size <= (double)p->scratch);
    struct span x = span_of(size);
    span_walk(&x, p->steps, p->step);
    span_walk(&x, p->batch, p->example);
    span_walk(&x, p->classes, p->class_step);
    CHECK(has_memory(r, at, x));
    CHECK(has_memory(r, at + 1, span_row((double)p->targets, 8)));
    CHECK(has_memory(r, at + 2, span_row(3 * (double)p->batch, 8)));
    CHECK(has_memory(r, at + 3, span_row((double)p->batch, size)));
    CHECK(has_memory(r, at + 4, span_row((double)p->batch * (double)p->steps * states, size)));
    if (p->gradient) {
        CHECK(has_memory(r, 1, span_row((double)p->batch, size)));
        CHECK(has_memory(r, at + 5, span_row(TOTAL(p->steps, p->batch, p->classes), size)));
    }
    CHECK(has_workspace(r, at + 5 + p->gradient, (double)p->batch * (double)p->scratch));
    return has_arguments(r, at + 8 + p->gradient);
}

/* -------------------------------------------------------------------------------------------- windows and weights */
/* Returns whether `count` elements from `first` on, at a distance of `step`, are within `length`. */
static int is_inside(int64_t first, int64_t count, int64_t step, int64_t length)
{
    return first >= 0 && count >= 0 && step >= 1 && is_count(count) && is_count(step) &&
           (double)first + fmax((double)count - 1, 0) * (double)step < (double)length;
}

/* Windows of maxima have at least one element. */
static int check_greatest(struct reach *r, const struct facula_pooling *p)
{
    for (int64_t k = 0; k < p->out_height + p->out_width; k++) {
        const int64_t *window = p->windows + 3 * k;
        const int is_row = k < p->out_height;
        EXPECT(window[1] >= 1 && is_inside(window[0], window[1], is_row ? p->row_dilation : p->column_dilation,
                                           is_row ? p->height : p->width));
    }
    return 0;
}

/* Windows of means and of gradients are intervals; the factors of their divisors are multiplied. */
static int check_means(struct reach *r, const struct facula_pooling *p)
{
    for (int64_t k = 0; k < p->out_height + p->out_width; k++) {
        const int64_t *window = p->windows + 3 * k, length = k < p->out_height ? p->height : p->width;
        EXPECT(is_count(window[0]) && is_count(window[1]) && window[0] + window[1] <= length);
        EXPECT(window[2] > -((int64_t)1 << 31) && window[2] < (int64_t)1 << 31);
    }
    return 0;
}

int check_pooling(struct reach *r)
{
    const struct facula_pooling *p = r->plan;
    const int64_t size = size_in(r->kernel, 0);
    const int means = !strncmp(r->kernel->name, "avg", 3), back = strstr(r->kernel->name, "_grad") != NULL;
    const int picks = is_named(r, "max_pool2d_pick"), values = is_named(r, "max_pool2d_values");
    const int selects = is_named(r, "max_pool2d_values_grad"), greatest = values || is_named(r, "max_pool2d");
    const double area = TOTAL(p->height, p->width), whole = TOTAL(p->planes, p->height, p->width);
    const double made = TOTAL(p->planes, p->out_height, p->out_width);
    EXPECT(area >= 0 && area < 0x1p31 && whole >= 0 && made >= 0 && TOTAL(p->out_height, p->out_width) >= 0);
    EXPECT(TOTAL(p->planes, p->out_height) >= 0 && p->group >= 1 && is_count(p->group));
    /* Equal windows may start anywhere: kernels skip elements outside of a plane. */
    EXPECT(is_count(p->kernel_width) && is_count(p->left) && p->column_stride >= 1 && is_count(p->column_stride));
    EXPECT(p->row_dilation >= 1 && is_count(p->row_dilation) && p->column_dilation >= 1 && is_count(p->column_dilation));
    if ((greatest || selects) && made > 0)
        CHECK(check_greatest(r, p));
    if (means || back)
        CHECK(check_means(r, p));
    CHECK(has_memory(r, 1, span_row(back ? made : whole, size)));
    if (means || values)
        return has_memory(r, 2, span_row(back ? whole : made, size));
    CHECK(has_memory(r, greatest ? 3 : 2, selects ? span_row(whole, size) : span_row(made, 8)));
    CHECK(has_memory(r, greatest ? 2 : 3, span_row(picks || greatest ? made : whole, size)));
    return greatest ? 0 : is_disjoint(r, 2, 3);
}

/* Checks a matrix of taps; see facula_resample. */
static int check_matrix(struct reach *r, const struct facula_resample *p, const struct part_row *part)
{
    const struct part_row *starts = part_at(r, part, offsetof(struct facula_resample, starts));
    const struct part_row *places = part_at(r, part, offsetof(struct facula_resample, places));
    const struct part_row *weights = part_at(r, part, offsetof(struct facula_resample, weights));
    EXPECT(is_count(p->length) && starts && is_count(p->count) && p->count < starts->bytes / 8);
    EXPECT(p->taps >= 0 && p->taps <= MOST);
    for (int64_t i = 0; i < p->count; i++)
        EXPECT(p->starts[i] >= 0 && p->starts[i] <= p->starts[i + 1]);
    const int64_t taps = p->starts[p->count];
    EXPECT(taps >= 0 && (!taps || (places && weights && taps <= places->bytes / 8 &&
                                   taps <= weights->bytes / size_in(r->kernel, 0))));
    EXPECT((double)p->count * (double)p->taps <= (double)taps);
    for (int64_t k = 0; k < taps; k++)
        EXPECT(p->places[k] >= 0 && p->places[k] < p->length);
    return 0;
}

int check_resample(struct reach *r)
{
    const struct facula_resample *p = r->plan, *columns = p->columns;
    const int64_t size = size_in(r->kernel, 0);
    EXPECT(p->group >= 1 && is_count(p->group));
    CHECK(check_matrix(r, p, r->part));
    if (columns) {
        CHECK(check_matrix(r, columns, part_at(r, r->part, offsetof(struct facula_resample, columns))));
        EXPECT(columns->length >= 1 && columns->length * size <= FACULA_RESAMPLE_ROOM && columns->count * size <= FACULA_RESAMPLE_ROOM);
        EXPECT(p->inner == (p->columns_first ? columns->count : columns->length));
    }
    const int64_t given = columns ? columns->length : p->inner, made = columns ? columns->count : p->inner;
    EXPECT(TOTAL(p->outer, p->length, given) >= 0 && TOTAL(p->outer, p->count, made) >= 0);
    EXPECT(TOTAL(p->outer, p->count) >= 0 && TOTAL(p->length, p->inner) >= 0 && TOTAL(p->count, p->inner) >= 0);
    CHECK(has_memory(r, 1, span_row(TOTAL(p->outer, p->length, given), size)));
    return has_memory(r, 2, span_row(TOTAL(p->outer, p->count, made), size));
}

int check_taps(struct reach *r)
{
    const struct facula_taps *p = r->plan;
    const int64_t size = size_in(r->kernel, 0);
    const double in = TOTAL(p->images, p->channels, p->length), out = TOTAL(p->images, p->channels, p->count);
    const double taps = TOTAL(p->images, p->taps, p->count);
    EXPECT(in >= 0 && out >= 0 && taps >= 0 && TOTAL(p->images, p->channels) >= 0 && TOTAL(p->images, p->taps) >= 0);
    EXPECT(p->group >= 1 && is_count(p->group) && p->span >= 1 && is_count(p->span));
    EXPECT(TOTAL(p->taps, p->count) >= 0 && TOTAL(p->channels, p->length) >= 0 && TOTAL(p->images, p->count) >= 0);
    EXPECT(TOTAL(p->channels, p->count) >= 0);
    const int weighs = is_named(r, "weigh_taps"), scatters = is_named(r, "scatter_taps");
    CHECK(has_memory(r, 1, span_row(weighs || scatters ? out : in, size)));
    CHECK(has_memory(r, 2, span_row(weighs ? in : taps, size)));
    CHECK(has_memory(r, 3, span_row(taps, 8)));
    return has_memory(r, 4, span_row(weighs ? taps : scatters ? in : out, size));
}

/* --------------------------------------------------------------------------------------------------- normalisation */
/* Checks arguments, starting with the first. Each letter describes one: a whole array, one number per channel (c) or
   row (r), the same or NULL (C), or one int64 (i). */
static int check_operands(struct reach *r, const char *kinds, double whole, double each, int64_t size, int64_t each_size)
{
    for (int64_t k = 0; kinds[k]; k++) {
        const struct span one = span_row(each, each_size);
        CHECK(kinds[k] == 'x'   ? has_memory(r, 1 + k, span_row(whole, size))
              : kinds[k] == 'C' ? may_have_memory(r, 1 + k, one)
                                : has_memory(r, 1 + k, one));
    }
    return 0;
}

int check_batch_norm(struct reach *r)
{
    static const char *const rows[] = {"batch_norm_channels", "batch_norm_eval_channels", "batch_norm_grad_channels",
                                       "batch_norm_channels"};
    /* Capital letters: may be omitted. */
    static const char *const operands[] = {"xWBMVxcc", "xWBmvx", "xxccWxcc", "xWBMVixcc"}, may_be_narrow[] = "wbmv";
    const struct facula_batch_norm *p = r->plan;
    const struct facula_kernel *row = ROW_AT(r, facula_batch_norm, run);
    const double whole = TOTAL(p->batch, p->channels, p->inner);
    EXPECT(p->form >= 0 && p->form < 4 && row && !strcmp(row->name, rows[p->form]));
    EXPECT(whole >= 0 && TOTAL(p->batch, p->inner) >= 0 && TOTAL(p->channels, p->inner) >= 0);
    EXPECT(p->group >= 1 && is_count(p->group));
    for (int64_t k = 0; operands[p->form][k]; k++) {
        const char kind = operands[p->form][k], *bit = strchr(may_be_narrow, kind | 32);
        const int64_t size = size_in(row, 0), narrow = bit && p->narrow >> (bit - may_be_narrow) & 1;
        const struct span numbers = span_row((double)p->channels, size < 4 && !narrow ? 4 : size);
        CHECK(kind == 'x'   ? has_memory(r, 1 + k, span_row(whole, size))
              : kind == 'i' ? has_memory(r, 1 + k, span_of(8))
              : kind < 'a'  ? may_have_memory(r, 1 + k, numbers)
                            : has_memory(r, 1 + k, numbers));
    }
    return has_arguments(r, 1 + (int64_t)(p->form == 2 ? 8 : p->form == 1 ? 7 : 10));
}

int check_response(struct reach *r)
{
    enum { TILE = FACULA_RESPONSE_TILE };
    const struct facula_response *p = r->plan;
    const int64_t size = size_in(r->kernel, 0), gradient = is_named(r, "local_response_norm_grad");
    const double whole = TOTAL(p->batch, p->channels, p->inner);
    EXPECT(whole >= 0 && TOTAL(p->channels, p->inner) >= 0 && p->rows >= 1 && p->columns >= 1 && p->size >= 1);
    EXPECT(p->before >= 0 && p->before <= TILE && p->after >= 0 && p->after <= TILE && p->rows <= TILE);
    EXPECT((double)(p->rows + p->before + p->after) * (double)p->columns <= TILE);
    EXPECT(p->group >= 1 && is_count(p->group));
    CHECK(check_operands(r, gradient ? "xxx" : "xx", whole, 0, size, size));
    return has_arguments(r, 6 + gradient);
}

int check_row_norm(struct reach *r)
{
    const struct facula_row_norm *p = r->plan;
    const struct facula_kernel *run = ROW_AT(r, facula_row_norm, run), *finish = ROW_AT(r, facula_row_norm, finish);
    EXPECT(run && (p->gradient | 1) == 1 && (p->centred | 1) == 1 && p->by_length >= 0 && p->by_length <= 2);
    const char *names[6] = {"row_norm_rows", "row_norm_grad_rows", "row_lengths", "row_lengths_grad", "row_cosines",
                            "row_cosines_grad"};
    EXPECT(!strcmp(run->name, names[2 * p->by_length + p->gradient]));
    EXPECT(!p->by_length || (!finish && !p->centred));
    EXPECT(!finish || (p->gradient && finish->signature[0] == run->signature[0]));
    const int64_t size = size_in(run, 0), number = size < 4 ? 4 : size;
    const double whole = TOTAL(p->rows, p->runs, p->inner), weights = TOTAL(p->groups, p->runs);
    EXPECT(whole >= 0 && weights >= 0 && TOTAL(p->runs, p->inner) >= 0 && p->groups >= 1);
    EXPECT(p->each >= 1 && is_count(p->each) && is_count(p->tasks) && (double)p->tasks * (double)p->each <= 2 * MOST);
    EXPECT((double)(p->tasks - 1) * (double)p->each < (double)p->rows || !p->tasks);
    /* The positions of the input, the weight, the output, the statistics of rows, and the weight's gradient. */
    const int x = 1 + p->gradient, weight = p->gradient ? 4 + p->centred : 2, o = p->gradient ? weight + 1 : 3 + p->centred;
    const int kept = p->gradient ? 3 : o + 1;
    if (p->by_length == 2) {
        CHECK(check_operands(r, p->gradient ? "rxxrrrx" : "xxrrr", whole, (double)p->rows, size, size));
        return has_arguments(r, p->gradient ? 8 : 7);
    }
    CHECK(has_memory(r, x, span_row(whole, size)));
    if (p->by_length) {
        CHECK(has_memory(r, 3, span_row((double)p->rows, number)));
        CHECK(has_memory(r, p->gradient ? 4 : 2, span_row(whole, size)));
        if (p->gradient)
            CHECK(has_memory(r, 1, span_row(whole, size)));
        return has_arguments(r, 5);
    }
    CHECK(has_memory(r, o, span_row(whole, size)));
    CHECK(has_memory(r, kept, span_row((double)p->rows, number)));
    if (p->centred)
        CHECK(has_memory(r, kept + 1, span_row((double)p->rows, number)));
    CHECK(may_have_memory(r, weight, span_row(weights, size)));
    if (!p->gradient) {
        if (p->centred)
            CHECK(may_have_memory(r, 3, span_row(weights, size)));
        return has_arguments(r, 2 + o + p->centred + 1);
    }
    CHECK(has_memory(r, 1, span_row(whole, size)));
    EXPECT((finish == NULL) == is_null(r, weight));
    if (!finish)
        return has_arguments(r, o + 2 + p->centred + 1);
    CHECK(has_memory(r, o + 1, span_row(weights, size)));
    if (p->centred)
        CHECK(may_have_memory(r, o + 2, span_row(weights, size)));
    EXPECT(is_count(p->task_bytes) && p->task_bytes % 8 == 0);
    EXPECT(2 * weights * (8 + (double)number) <= (double)p->task_bytes);
    return has_workspace(r, o + 2 + p->centred, fmax((double)p->tasks, 0) * (double)p->task_bytes);
}
