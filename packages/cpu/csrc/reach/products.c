/* Checks of plans that consist of matrix products; see Note [Forged plans] in reach.c. */
#include <math.h>
#include <string.h>

#include "products/matmul.cdef.h"
#include "reach/reach.h"
#include "sequences/attention.cdef.h"
#include "sequences/recurrent.cdef.h"
#include "convolution/convolution.cdef.h"
#include "convolution/depthwise.cdef.h"
#include "convolution/shallow.cdef.h"
#include "convolution/winograd.cdef.h"

static int is_row_of(const struct facula_kernel *row, const char *name, int code)
{
    return row && !strcmp(row->name, name) && row->signature[0] == code;
}

/* ------------------------------------------------------------------------------------------------------- products */
int check_product(struct reach *r)
{
    const struct facula_matmul *p = r->plan;
    const int code = r->kernel->signature[0], pair = code >= COMPLEX64; /* then n and k count real numbers */
    const int64_t size = itemsize_of(code), n = p->n >> pair, k = p->k >> pair, number = pair ? size / 2 : size;
    EXPECT(p->batch_dims >= 0 && nest_total(p->nest, p->batch_dims, 4) == (double)p->batches);
    struct span span[3] = {span_of(size), span_of(size), span_of(size)};
    walk(&span[0], p->m, p->a_row, size);
    walk(&span[0], k, p->a_col, size);
    walk(&span[1], k, p->b_row, size);
    walk(&span[1], n, p->b_col, size);
    walk(&span[2], p->m, p->o_row, size);
    walk(&span[2], n, p->o_col, size);
    for (int d = 0; d < p->batch_dims; d++)
        for (int i = 0; i < 3; i++)
            walk(&span[i], p->nest[4 * d], p->nest[4 * d + 1 + i], size);
    CHECK(has_memory(r, p->arg_a, span[0]));
    CHECK(has_memory(r, p->arg_b, span[1]));
    CHECK(has_memory(r, p->arg_o, span[2]));
    if (p->arg_bias)
        CHECK(has_memory(r, p->arg_bias, span_row((double)(p->swapped ? p->m : p->n), number)));
    return p->workspace ? has_workspace(r, p->arg_o + 1, (double)p->workspace) : 0;
}

/* m, n, k and the strides of rows and columns of a, b and o. */
struct product {
    int64_t m, n, k, a_row, a_col, b_row, b_col, o_row, o_col;
};

/* Returns whether a part of a plan is this product, with consecutive addresses. */
static int is_product(const struct facula_matmul *p, struct product wanted, int biased)
{
    struct product found = {p->m, p->n, p->k, p->a_row, p->a_col, p->b_row, p->b_col, p->o_row, p->o_col};
    if (p->swapped)
        found = (struct product){p->n, p->m, p->k, p->b_col, p->b_row, p->a_col, p->a_row, p->o_col, p->o_row};
    return !memcmp(&found, &wanted, sizeof found) && !p->batch_dims && p->batches == 1 && p->arg_a == 1 + p->swapped &&
           p->arg_b == 2 - p->swapped && p->arg_bias == 3 * biased && p->arg_o == 3 + biased;
}

/* --------------------------------------------------------------------------------------------------- convolutions */
/* Checks that the block fits into a slot, and that all blocks are full or have the same size. */
static int check_block(struct reach *r, double size)
{
    const struct facula_convolution *p = r->plan;
    const double images = (double)p->block_images, lines = (double)p->block_lines, width = (double)p->out_width;
    const double part = (double)p->part_rows, taps = part * (double)p->kernel_width, filters = (double)p->filters;
    const double channels = p->part_rows % p->kernel_height ? ceil((part - 1) / (double)p->kernel_height) + 1
                                                            : part / (double)p->kernel_height;
    const double rows = (lines - 1) * (double)p->band_row_stride + ((double)p->kernel_height - 1) * (double)p->band_row_dilation + 1;
    const double columns =
        (width - 1) * (double)p->band_column_stride + ((double)p->kernel_width - 1) * (double)p->band_column_dilation + 1;
    const double pixels = images * lines * width;
    EXPECT(is_count(p->band_row_stride) && is_count(p->band_row_dilation));
    EXPECT(is_count(p->band_column_stride) && is_count(p->band_column_dilation));
    EXPECT(rows * columns <= MOST && rows * (double)p->row_stride < 0x1p60 && columns * (double)p->column_stride < 0x1p60);
    EXPECT(pixels <= MOST && channels * images * rows * columns * size <= (double)p->band_bytes);
    EXPECT(taps * pixels * size <= (double)p->patches_bytes);
    EXPECT(p->band_bytes % 64 == 0 && p->patches_bytes % 64 == 0 && p->product_bytes % 64 == 0);
    EXPECT(p->left_bytes % 64 == 0 && p->packed_bytes % 64 == 0);
    EXPECT(p->block_images == 1 || p->block_lines == p->out_height);
    /* The product: left (m x k) times packed (k x n). */
    const int weighs = is_named(r, "conv2d_weight"), back = is_named(r, "conv2d_input");
    const double m = back ? taps : filters, n = weighs ? taps : pixels, k = weighs ? pixels : back ? filters : taps;
    EXPECT(weighs || images == 1 || filters * pixels * size <= (double)p->product_bytes);
    EXPECT((back ? m : fmin(m, FACULA_CONVOLUTION_ROWS)) * (k * size + 64) <= (double)p->left_bytes);
    EXPECT(k * (n + 64) * size <= (double)p->packed_bytes);
    return 0;
}

int check_convolution(struct reach *r)
{
    const struct facula_convolution *p = r->plan;
    const int code = r->kernel->signature[0], forward = is_named(r, "conv2d"), weighs = is_named(r, "conv2d_weight");
    const int64_t size = itemsize_of(code);
    const double taps = TOTAL(p->channels, p->kernel_height, p->kernel_width);
    const double results = TOTAL(p->images, p->groups, p->filters, p->out_height, p->out_width);
    const double weights = TOTAL(p->groups, p->filters, p->channels, p->kernel_height, p->kernel_width);
    EXPECT(is_row_of(ROW_AT(r, facula_convolution, pack), "pack_b", code));
    EXPECT(is_row_of(ROW_AT(r, facula_convolution, multiply_packed), "multiply_packed", code));
    EXPECT(p->kernel_height >= 1 && p->kernel_width >= 1 && p->out_height >= 1 && p->out_width >= 1);
    EXPECT(taps >= 0 && results >= 0 && weights >= 0 && p->block_images >= 1 && p->block_lines >= 1);
    EXPECT(p->block_lines <= p->out_height && is_count(p->block_images));
    EXPECT(p->out_depth >= 1 && p->kernel_depth >= 1 && p->channels % p->kernel_depth == 0 && p->images % p->out_depth == 0);
    EXPECT(TOTAL(p->out_depth, p->out_height, p->out_width) >= 0);
    EXPECT(p->in_volumes || (p->out_depth == 1 && p->kernel_depth == 1));
    EXPECT(TOTAL(p->out_depth, p->depth_stride) >= 0 && TOTAL(p->kernel_depth, p->depth_dilation) >= 0 && is_count(p->front));
    EXPECT(TOTAL(p->out_height, p->row_stride) >= 0 && TOTAL(p->kernel_height, p->row_dilation) >= 0 && is_count(p->top));
    EXPECT(TOTAL(p->out_width, p->column_stride) >= 0 && TOTAL(p->kernel_width, p->column_dilation) >= 0 && is_count(p->left));
    const double volumes = (double)(p->images / p->out_depth);
    const double planes = TOTAL(p->images / p->out_depth, p->groups, p->channels / p->kernel_depth, p->in_volumes ? p->depth : 1);
    const double area = TOTAL(p->height, p->width), whole = ceil((double)p->images / (double)p->block_images);
    const double blocks = whole * ceil((double)p->out_height / (double)p->block_lines);
    EXPECT(planes >= 0 && area >= 0 && TOTAL(p->tasks, p->groups) >= 0);
    EXPECT(p->part_rows >= 1 && is_count(p->part_rows));
    const double kernel_rows = TOTAL(p->channels, p->kernel_height), parts = ceil(kernel_rows / (double)p->part_rows);
    EXPECT((double)p->tasks <= (forward ? blocks : weighs ? parts : parts * (p->in_volumes ? volumes : whole)));
    if (!forward && !weighs) { /* channels of a volume's planes are not divided */
        EXPECT(TOTAL(p->kernel_height, p->kernel_depth) >= 1 && p->part_rows % (p->kernel_height * p->kernel_depth) == 0);
        EXPECT(!p->in_volumes || p->out_depth % p->block_images == 0);
    }
    CHECK(check_block(r, (double)size));
    const struct span of_images = span_row(planes * area, size), of_results = span_row(results, size);
    CHECK(has_memory(r, weighs ? 2 : forward ? 1 : 3, of_images));
    CHECK(has_memory(r, forward ? 4 : 1, of_results));
    CHECK(has_memory(r, weighs ? 3 : 2, span_row(weights, size)));
    if (forward)
        CHECK(may_have_memory(r, 3, span_row((double)p->groups * (double)p->filters, size)));
    return has_workspace(r, 4 + forward, (double)r->workspace);
}

/* Checks that the bands of a block fit into their buffer, as depthwise.inc determines their sizes. */
static int check_band(struct reach *r, double size)
{
    enum { VECTOR = 64 }; /* the bytes of the longest one */
    const struct facula_depthwise *p = r->plan;
    const int back = is_named(r, "depthwise_input");
    const double sy = (double)p->row_stride, sx = (double)p->column_stride, phases = back ? 1 : sx;
    const double reach_y = ((double)p->kernel_height - 1) * (double)p->row_dilation;
    const double reach_x = ((double)p->kernel_width - 1) * (double)p->column_dilation;
    const double lines = (double)p->block_rows - 1, places = (double)p->block_columns - 1;
    const double top = (double)p->top, left = (double)p->left;
    const double rows = back ? floor((lines + top) / sy) - floor((top - reach_y) / sy) + 1 : lines * sy + reach_y + 1;
    const double columns =
        back ? floor((places + left) / sx) - floor((left - reach_x) / sx) + 1 : places * sx + reach_x + 1;
    EXPECT(rows >= 1 && columns >= 1);
    EXPECT((back ? (double)p->filters : 1) * rows * phases * (ceil(columns / phases) * size + VECTOR) <= FACULA_DEPTHWISE_BAND);
    return 0;
}

/* The numbers of results: of a quarter, if they are pooled. */
static double finished(int64_t images, int64_t groups, int64_t filters, int64_t height, int64_t width, int64_t pooled)
{
    return TOTAL(images, groups, filters, pooled ? height / 2 : height, pooled ? width / 2 : width);
}

/* Checks the bias of filters, and the operands of their batch normalization, if any. */
static int check_factors(struct reach *r, int normalized, double filters, int64_t size)
{
    for (int i = 3; i <= 3 + normalized; i++)
        CHECK(i < 6 ? may_have_memory(r, i, span_row(filters, size)) : has_memory(r, i, span_row(filters, size)));
    return 0;
}

int check_depthwise(struct reach *r)
{
    const struct facula_depthwise *p = r->plan;
    const int64_t size = size_in(r->kernel, 0);
    const int forward = is_named(r, "depthwise"), weighs = is_named(r, "depthwise_weight");
    const double images = TOTAL(p->images, p->groups, p->height, p->width);
    const double results = finished(p->images, p->groups, p->filters, p->out_height, p->out_width, p->pooled);
    const double weights = TOTAL(p->groups, p->filters, p->kernel_height, p->kernel_width);
    const double taps = TOTAL(p->kernel_height, p->kernel_width) * (forward ? 1 : (double)p->filters);
    EXPECT(images >= 0 && results >= 0 && weights >= 0 && TOTAL(p->images, p->groups) >= 0);
    EXPECT(TOTAL(p->height, p->width) >= 0 && TOTAL(p->out_height, p->out_width) >= 0 && is_count(p->filters));
    EXPECT(p->kernel_height >= 1 && p->kernel_width >= 1 && is_count(p->kernel_height) && is_count(p->kernel_width));
    EXPECT(taps >= 0 && taps <= FACULA_DEPTHWISE_TAPS);
    EXPECT((p->row_stride == 1 || p->row_stride == 2) && (p->column_stride == 1 || p->column_stride == 2));
    EXPECT(is_count(p->row_dilation) && is_count(p->column_dilation) && is_count(p->top) && is_count(p->left));
    EXPECT(p->block_rows >= 1 && p->block_columns >= 1 && is_count(p->block_rows) && is_count(p->block_columns));
    EXPECT(forward || weighs || (p->block_rows % p->row_stride == 0 && p->block_columns % p->column_stride == 0));
    EXPECT(p->group >= 1 && is_count(p->group) && (!weighs || (double)p->group * taps <= FACULA_DEPTHWISE_SUMS));
    const int norm = forward && p->normalized ? 4 : 0;
    if (p->pooled || p->rectified || p->normalized) { /* by lines, of which two of four filters fit into the buffer */
        EXPECT(forward && p->block_columns >= p->out_width && 8 * (double)p->out_width * (double)size <= FACULA_DEPTHWISE_LINES);
        EXPECT(!p->pooled || p->block_rows % 2 == 0 || p->block_rows >= p->out_height);
    }
    CHECK(check_band(r, (double)size));
    CHECK(has_memory(r, weighs ? 2 : forward ? 1 : 3, span_row(images, size)));
    CHECK(has_memory(r, forward ? 4 + norm : 1, span_row(results, size)));
    CHECK(has_memory(r, weighs ? 3 : 2, span_row(weights, size)));
    return forward ? check_factors(r, norm, (double)p->groups * (double)p->filters, size) : 0;
}

/* The plan is complete, so all sizes are plausible. */
int check_winograd(struct reach *r)
{
    const struct facula_winograd *p = r->plan;
    const int forward = is_named(r, "conv2d_winograd"), weighs = is_named(r, "conv2d_weight_winograd");
    const double input = (double)p->images * (double)p->groups * (double)p->channels * (double)p->height * (double)p->width;
    const double results = finished(p->images, p->groups, p->filters, p->out_height, p->out_width, p->pooled);
    const double weights = TOTAL(p->groups, p->filters, p->channels, p->taps, p->taps);
    const int norm = forward && p->normalized ? 4 : 0;
    EXPECT(norm || !p->normalized);
    CHECK(has_memory(r, weighs ? 2 : 1, span_row(input, 4)));
    CHECK(has_memory(r, weighs ? 1 : forward ? 4 + norm : 3, span_row(results, 4)));
    CHECK(has_memory(r, weighs ? 3 : 2, span_row(weights, 4)));
    if (forward)
        CHECK(check_factors(r, norm, (double)p->groups * (double)p->filters, 4));
    return has_workspace(r, 4 + forward + norm, (double)r->workspace);
}

/* The same. */
int check_shallow(struct reach *r)
{
    const struct facula_shallow *p = r->plan;
    const int64_t size = size_in(r->kernel, 0);
    const int forward = is_named(r, "conv2d_shallow"), weighs = is_named(r, "conv2d_weight_shallow");
    const int norm = forward && p->normalized ? 4 : 0;
    EXPECT(norm || !p->normalized);
    CHECK(has_memory(r, weighs ? 2 : 1, span_row(TOTAL(p->images, p->groups, p->channels, p->height, p->width), size)));
    CHECK(has_memory(r, weighs ? 1 : forward ? 4 + norm : 3,
                     span_row(finished(p->images, p->groups, p->filters, p->out_height, p->out_width, p->pooled), size)));
    CHECK(has_memory(r, weighs ? 3 : 2,
                     span_row(TOTAL(p->groups, p->filters, p->channels, p->kernel_height, p->kernel_width), size)));
    if (forward)
        CHECK(check_factors(r, norm, TOTAL(p->groups, p->filters), size));
    return has_workspace(r, 4 + forward + norm, (double)r->workspace);
}

/* ------------------------------------------------------------------------------------------------ recurrent layers */
/* The parts of the workspace follow one another without overlap. */
static int check_parts(struct reach *r, int64_t size, int backward)
{
    const struct facula_recurrent *p = r->plan;
    const double n = (double)p->hidden, saved = (double)p->saved, rows = (double)p->rows, batch = (double)p->batch;
    const int gru = p->kind == FACULA_GRU;
    const double tasks = fmax(ceil(batch / (double)p->group), 1), units = (double)p->units + 64;
    const double slices = fmax(ceil(n / (double)p->units), 1), gates = n > 0 ? (double)p->projected / n : 0;
    const double columns = slices > 1 ? gates * slices * units : (double)p->projected + (1 + gru) * 64;
    const int64_t starts[] = {p->at_steps, p->at_bias, p->at_packed, p->at_projection, p->at_product,
                              p->at_gates, p->at_former, p->at_state, p->at_sums};
    const double bytes[] = {
        (2 * (double)p->steps + 1) * 8,
        (saved + n) * (double)size,
        (backward ? (double)p->projected * slices * units : n * columns) * (double)size,
        (p->stepwise ? (double)p->inputs * columns : 0) * (double)size,
        0, /* the planner of products has reserved their workspace */
        rows * saved * (double)size,
        (p->wants_weights ? rows * n : 0) * (double)size,
        2 * batch * n * (double)size,
        tasks * saved * (double)size,
    };
    const int count = backward ? 9 : 5;
    for (int i = 0; i < count; i++) {
        const double end = i + 1 < count ? (double)starts[i + 1] : (double)r->workspace;
        EXPECT(is_count(starts[i]) && starts[i] % 8 == 0 && (double)starts[i] + bytes[i] <= end);
    }
    return 0;
}

static int check_gradients(struct reach *r, int64_t size)
{
    const struct facula_recurrent *p = r->plan;
    const int lstm = p->kind == FACULA_LSTM, gru = p->kind == FACULA_GRU;
    const int64_t n = p->hidden, saved = p->saved, x = p->inputs, wide = gru ? 2 * n : saved;
    const double rows = (double)p->rows, state = (double)p->batch * (double)n;
    EXPECT(p->input_gradient && p->weight_ih_gradient && p->weight_hh_gradient && (!gru || p->candidate_gradient));
    EXPECT(!p->from_input);
    EXPECT(is_product(p->input_gradient, (struct product){p->rows, x, p->projected, saved, 1, x, 1, x, 1}, 0));
    EXPECT(is_product(p->weight_ih_gradient, (struct product){p->projected, x, p->rows, 1, saved, x, 1, x, 1}, 0));
    EXPECT(is_product(p->weight_hh_gradient, (struct product){wide, n, p->rows, 1, saved, n, 1, n, 1}, 0));
    EXPECT(!gru || is_product(p->candidate_gradient, (struct product){n, n, p->rows, 1, saved, n, 1, n, 1}, 0));
    CHECK(has_memory(r, 6, span_row(rows * (double)n, size)));
    CHECK(has_memory(r, 7, span_row(rows * (double)saved, size)));
    if (lstm)
        CHECK(has_memory(r, 8, span_row(rows * (double)n, size)));
    CHECK(may_have_memory(r, 10, span_row(rows * (double)n, size)));
    CHECK(may_have_memory(r, 11, span_row(state, size)));
    if (lstm)
        CHECK(may_have_memory(r, 12, span_row(state, size)));
    for (int k = 13; p->wants_weights && k < 15; k++)
        CHECK(has_memory(r, k, span_row((double)p->projected * (double)(k == 13 ? x : n), size)));
    for (int k = 15; p->wants_bias && k < 17; k++)
        CHECK(has_memory(r, k, span_row((double)p->projected, size)));
    if (p->wants_input)
        CHECK(has_memory(r, 17, span_row(rows * (double)x, size)));
    for (int k = 18; p->wants_state && k < 19 + lstm; k++)
        CHECK(may_have_memory(r, k, span_row(state, size)));
    return 0;
}

int check_recurrent(struct reach *r)
{
    const struct facula_recurrent *p = r->plan;
    const int code = r->kernel->signature[0], backward = is_named(r, "recurrent_grad");
    const int lstm = p->kind == FACULA_LSTM, gru = p->kind == FACULA_GRU;
    const int64_t size = itemsize_of(code), n = p->hidden, x = p->inputs;
    EXPECT(p->kind >= FACULA_LSTM && p->kind <= FACULA_RNN_RELU && is_count(n) && p->group >= 1 && is_count(p->group));
    EXPECT(p->units >= 1 && is_count(p->units));
    EXPECT(p->saved == (lstm || gru ? 4 * n : n) && p->projected == (gru ? 3 * n : p->saved));
    EXPECT(is_count(p->steps) && is_count(p->batch) && TOTAL(p->rows, p->saved) >= 0 && TOTAL(p->rows, x) >= 0);
    EXPECT(TOTAL(p->batch, p->saved) >= 0 && TOTAL(p->saved, x) >= 0 && TOTAL(p->saved, n) >= 0);
    EXPECT(TOTAL(p->steps, p->batch) >= 0);
    EXPECT(is_row_of(ROW_AT(r, facula_recurrent, multiply), "matmul", code));
    EXPECT(is_row_of(ROW_AT(r, facula_recurrent, pack), "pack_b", code));
    EXPECT(is_row_of(ROW_AT(r, facula_recurrent, multiply_packed), "multiply_packed", code));
    const double rows = (double)p->rows, state = (double)p->batch * (double)n;
    CHECK(check_parts(r, size, backward));
    CHECK(has_memory(r, 1, span_row(rows * (double)x, size)));
    CHECK(may_have_memory(r, 2, span_row(state, size)));
    if (lstm)
        CHECK(may_have_memory(r, 3, span_row(state, size)));
    CHECK(has_memory(r, 4, span_row((double)p->projected * (double)x, size)));
    CHECK(has_memory(r, 5, span_row((double)p->projected * (double)n, size)));
    CHECK(may_have_memory(r, 8 + backward, span_row((double)p->steps, 8)));
    if (backward) {
        CHECK(check_gradients(r, size));
        return has_workspace(r, 20, (double)r->workspace);
    }
    EXPECT(p->from_input && is_product(p->from_input, (struct product){p->rows, p->projected, x, x, 1, 1, x, p->saved, 1}, 1));
    for (int k = 6; k < 8; k++)
        CHECK(may_have_memory(r, k, span_row((double)p->projected, size)));
    CHECK(has_memory(r, 9, span_row(rows * (double)n, size)));
    CHECK(has_memory(r, 10, span_row(state, size)));
    CHECK(has_memory(r, 12, span_row(rows * (double)p->saved, size)));
    if (lstm) {
        CHECK(has_memory(r, 11, span_row(state, size)));
        CHECK(has_memory(r, 13, span_row(rows * (double)n, size)));
    }
    return has_workspace(r, 14, (double)r->workspace);
}

/* ------------------------------------------------------------------------------------------------------ attention */
enum { PANEL = 32, STRIP = 16, MOST_KEYS = 512 }; /* as in attention.dispatch.c */

/* Returns the bytes of its slot that a task uses: see `slot_bytes` of _layers/attention.py. */
static double slot_of(const struct facula_attention *p, int gradient, double size)
{
    const double length = (double)p->length, keys = (double)p->keys, width = (double)p->width, values = (double)p->value_width;
    const double wide = rounded_up(width, PANEL), wide_values = rounded_up(values, PANEL);
    const double rows = (double)p->query_block, block = (double)p->key_block, tile = rows * (block + STRIP);
    const double forward[] = {rounded_up(keys, PANEL) * width, keys * wide_values, rows * width, tile, rows * wide_values,
                              rows, rows, block};
    const double backward[] = {length * width, length * values, length * wide, length * wide_values, length * width, length,
                               block * width, block * wide, block * values, block * width, block * values, tile, tile, block};
    double bytes = 0;
    for (int i = 0; i < (gradient ? 14 : 8); i++)
        bytes += rounded_up((gradient ? backward : forward)[i] * size, 64);
    return bytes;
}

int check_attention(struct reach *r)
{
    enum { HALF = 1, BRAIN = 2, BOOLS = 3 }; /* as in attention.dispatch.c */
    const struct facula_attention *p = r->plan;
    const int code = r->kernel->signature[0], gradient = is_named(r, "attention_grad");
    /* One kernel serves all formats that are computed in float32; the plan contains the format in memory. */
    const int64_t number = code == FLOAT64 ? 8 : 4, size = p->format ? 2 : number;
    const double scores = TOTAL(p->batches, p->length, p->keys);
    const int64_t width = 1 + FACULA_ATTENTION_ARRAYS; /* of a dimension of the nest */
    EXPECT(p->format == 0 || (number == 4 && (p->format == HALF || p->format == BRAIN)));
    EXPECT(p->mask_format == 0 || p->mask_format == BOOLS || p->mask_format == p->format);
    EXPECT(scores >= 0 && TOTAL(p->length, p->keys) >= 0 && is_count(p->width) && is_count(p->value_width));
    EXPECT(p->dims >= 0 && nest_total(p->nest, p->dims, width) == (double)p->batches);
    EXPECT(p->query_block >= 1 && p->query_block <= MOST_KEYS && p->task_rows >= 1 && is_count(p->task_rows));
    EXPECT(p->key_block >= PANEL && p->key_block <= MOST_KEYS && p->key_block % PANEL == 0);
    EXPECT((double)p->tasks <= (double)p->batches * (gradient ? 1 : ceil((double)p->length / (double)p->task_rows)));
    EXPECT(p->slot_bytes % 64 == 0 && slot_of(p, gradient, (double)number) <= (double)p->slot_bytes);
    const int64_t mask_size = p->mask_format == BOOLS ? 1 : p->mask_format ? 2 : number;
    const int64_t queries = p->length, keys = p->keys, values = p->value_width;
    const int64_t rows[] = {queries, keys, keys, queries, queries, queries, queries, keys, keys};
    const int64_t columns[] = {p->width, p->width, values, keys, values, values, p->width, p->width, values};
    const int64_t forward[FACULA_ATTENTION_ARRAYS] = {1, 2, 3, 4, [FACULA_OUT] = 5}, back[] = {2, 3, 4, 5, 1, 6, 8, 9, 10};
    for (int i = 0; i < FACULA_ATTENTION_ARRAYS; i++) {
        const int64_t argument = (gradient ? back : forward)[i], item = i == FACULA_MASK ? mask_size : size;
        struct span span = span_of(item);
        walk(&span, rows[i], p->rows[i], item);
        walk(&span, columns[i], i == FACULA_MASK ? p->mask_col : 1, item);
        for (int d = 0; d < p->dims; d++)
            walk(&span, p->nest[width * d], p->nest[width * d + 1 + i], item);
        EXPECT(!span.wrong);
        if (i == FACULA_MASK)
            CHECK(may_have_memory(r, argument, span));
        else if (argument)
            CHECK(has_memory(r, argument, span));
    }
    CHECK(has_memory(r, 6 + gradient, span_row((double)p->batches * (double)p->length, number)));
    CHECK(has_workspace(r, gradient ? 11 : 7, (double)r->workspace));
    return has_arguments(r, gradient ? 16 : 12);
}
