/* Checks of plans that gather, scatter, concatenate and reduce elements of arrays; see Note [Forged plans] in
   reach.c. */
#include <string.h>

#include "indexing/gather.cdef.h"
#include "indexing/index.cdef.h"
#include "linalg/triangle.cdef.h"
#include "lines/lines.cdef.h"
#include "normalization/softmax.cdef.h"
#include "reach/reach.h"
#include "reductions/reduce.cdef.h"

/* -------------------------------------------------------------------------------------------------------- indices */
int check_gather(struct reach *r)
{
    const struct facula_gather *p = r->plan;
    const int copies = is_named(r, "scatter_copy"), gathers = is_named(r, "gather");
    const int array = gathers ? 1 : copies ? 4 : 3, index = 1 + !is_named(r, "scatter");
    const int values = gathers ? 3 : is_named(r, "gather_back") ? 1 : copies ? 3 : 2;
    EXPECT(p->dims >= 1 && p->dims <= FACULA_GATHER_DIMS && nest_total(p->nest, p->dims, 4) >= 0);
    EXPECT(p->inner >= 0 && p->inner < p->dims && p->split >= -1 && p->split < p->dims);
    EXPECT(is_size(p->itemsize) && itemsize_of(p->dtype) == p->itemsize && is_count(p->size) && is_count(p->clear));
    EXPECT(p->mode >= FACULA_GATHER && p->mode <= FACULA_SCATTER_MIN);
    EXPECT(p->mode < FACULA_SCATTER_ADD || p->dtype <= (p->mode < FACULA_SCATTER_MAX ? COMPLEX128 : FLOAT64));
    struct span of_array = span_of(p->itemsize), of_index = span_of(8), of_values = span_of(p->itemsize);
    span_walk(&of_array, p->size, p->step);
    span_nest(&of_array, p->nest, p->dims, 4, 1);
    span_nest(&of_index, p->nest, p->dims, 4, 2);
    span_nest(&of_values, p->nest, p->dims, 4, 3);
    CHECK(has_memory(r, array, of_array));
    CHECK(has_memory(r, array, span_row((double)p->clear, 1)));
    if (copies)
        CHECK(has_memory(r, 1, span_row((double)p->clear, 1)));
    CHECK(has_memory(r, index, of_index));
    return has_memory(r, values, of_values);
}

int check_take(struct reach *r)
{
    const struct facula_index *p = r->plan;
    const int takes = is_named(r, "take"), array = takes ? 1 : 3, index = is_named(r, "put") ? 1 : 2;
    const int values = 6 - array - index;
    EXPECT(p->outer_dims >= 1 && p->index_dims >= 1 && p->inner_dims >= 1);
    const int64_t *outer = p->nest, *middle = outer + 3 * p->outer_dims, *inner = middle + 3 * p->index_dims;
    EXPECT(nest_total(outer, p->outer_dims, 3) == (double)p->outer && nest_total(inner, p->inner_dims, 3) == (double)p->inner);
    EXPECT(nest_total(middle, p->index_dims, 3) == (double)p->count);
    EXPECT((double)p->outer * (double)p->count <= MOST && p->group >= 1 && is_count(p->group));
    EXPECT(is_size(p->itemsize));
    EXPECT(!p->accumulate || (itemsize_of(p->dtype) == p->itemsize && p->dtype <= COMPLEX128));
    EXPECT(is_count(p->size) && is_count(p->clear));
    struct span of_array = span_of(p->itemsize), of_index = span_of(8), of_values = span_of(p->itemsize);
    span_walk(&of_array, p->size, p->step);
    span_nest(&of_array, outer, p->outer_dims, 3, 1);
    span_nest(&of_array, inner, p->inner_dims, 3, 1);
    span_nest(&of_index, middle, p->index_dims, 3, 1);
    for (int k = 0; k < 3; k++)
        span_nest(&of_values, k == 0 ? outer : k == 1 ? middle : inner,
                  k == 0 ? p->outer_dims : k == 1 ? p->index_dims : p->inner_dims, 3, 2);
    CHECK(has_memory(r, array, of_array));
    CHECK(has_memory(r, array, span_row((double)p->clear, 1)));
    CHECK(has_memory(r, index, of_index));
    return has_memory(r, values, of_values);
}

int check_merge(struct reach *r)
{
    const struct facula_merge *p = r->plan;
    const double total = nest_total(p->nest, p->dims, 3);
    EXPECT(p->dims >= 1 && total >= 0 && p->group >= 1 && is_count(p->group));
    struct span first = span_of(8), second = span_of(8);
    span_nest(&first, p->nest, p->dims, 3, 1);
    span_nest(&second, p->nest, p->dims, 3, 2);
    CHECK(has_memory(r, 1, first));
    CHECK(has_memory(r, 2, second));
    return has_memory(r, 3, span_row(total, 8));
}

int check_positions(struct reach *r)
{
    const struct facula_positions *p = r->plan;
    const int flat = is_named(r, "nonzero_flat");
    const int64_t *extents = p->nest + 2 * p->dims;
    int64_t room;
    EXPECT(p->dims >= 1 && is_count(p->columns) && nest_total(p->nest, p->dims, 2) >= 0);
    CHECK(has_number(r, 0, &room));
    EXPECT(is_count(room) && (flat || p->columns >= 1));
    for (int64_t c = 0; c < p->columns; c++)
        EXPECT(extents[c] >= 1 || !nest_total(p->nest, p->dims, 2));
    struct span mask = span_of(1);
    span_nest(&mask, p->nest, p->dims, 2, 1);
    CHECK(has_memory(r, 1, mask));
    return has_memory(r, 2, span_row((double)room, 8));
}

/* ------------------------------------------------------------------------------------------------- whole parts */
/* This kernel has no plan: the arguments contain everything. */
int check_cat(struct reach *r)
{
    int64_t outer, parts, width;
    double row = 0;
    CHECK(has_number(r, 1, &outer));
    CHECK(has_number(r, 2, &parts));
    EXPECT(is_count(outer) && parts >= 0 && parts < r->launch->arguments);
    for (int64_t part = 0; part < parts; part++) {
        CHECK(has_number(r, 4 + 2 * part, &width));
        EXPECT(is_count(width));
        CHECK(has_memory(r, 3 + 2 * part, span_row((double)outer * (double)width, 1)));
        row += (double)width;
    }
    return has_memory(r, 3 + 2 * parts, span_row((double)outer * row, 1));
}

int check_triangle(struct reach *r)
{
    const struct facula_triangle *p = r->plan;
    const int64_t sizes[] = {p->matrices, p->rows, p->columns};
    const double total = nest_total(sizes, 3, 1);
    EXPECT(total >= 0 && nest_total(sizes, 2, 1) >= 0 && is_size(p->itemsize));
    EXPECT(p->group >= 1 && is_count(p->group) && is_count(p->diagonal < 0 ? -(p->diagonal + 1) : p->diagonal));
    CHECK(has_memory(r, 1, span_row(total, p->itemsize)));
    return has_memory(r, 2, span_row(total, p->itemsize));
}

/* ------------------------------------------------------------------------------------------- rows, lines, outputs */
int check_reduce(struct reach *r)
{
    enum { MOST_SEGMENT = 512, MOST_STATE = 32, MOST_DIMS = 64 }; /* as in reduce.c */
    const struct facula_reduce *p = r->plan;
    const struct facula_reducer *reducer = p->reducer;
    const struct facula_kernel *row = ROW_AT(r, facula_reduce, reducer);
    EXPECT(row && is_count(p->outputs) && is_count(p->reduced) && p->reduced_dims >= 1 && p->reduced_dims <= MOST_DIMS);
    if (!p->outputs)
        return 0;
    CHECK(check_segments(r, p->nest, p->kept_dims, 4, p->segment, p->segments, p->group));
    const int64_t *kept = p->nest, *reduced = p->nest + 4 * p->kept_dims;
    EXPECT(p->segment <= MOST_SEGMENT);
    EXPECT(nest_total(kept, p->kept_dims, 4) == (double)p->outputs);
    EXPECT(nest_total(reduced, p->reduced_dims, 2) == (double)p->reduced);
    EXPECT(p->pieces >= 1 && is_count(p->pieces) && is_count(p->piece) && (double)p->pieces * (double)p->piece <= 2 * MOST);
    EXPECT((double)p->pieces * (double)p->segments <= MOST && reducer->state_bytes <= MOST_STATE);
    EXPECT(p->arg_values >= 0 && p->arg_indices >= 0 && (reducer->finish_with ? p->arg_values : p->arg_values || p->arg_indices));
    EXPECT((!p->arg_values || reducer->finish_with || reducer->finish) && (!p->arg_indices || reducer->finish_index));
    struct span a = span_of(size_in(row, 0)), values = span_of(size_in(row, 1)), indices = span_of(8);
    span_nest(&a, kept, p->kept_dims, 4, 1);
    span_nest(&a, reduced, p->reduced_dims, 2, 1);
    span_nest(&values, kept, p->kept_dims, 4, 2);
    span_nest(&indices, kept, p->kept_dims, 4, 3);
    EXPECT(!values.wrong && !indices.wrong);
    CHECK(has_memory(r, 1, a));
    if (p->arg_values)
        CHECK(has_memory(r, p->arg_values, values));
    if (p->arg_indices)
        CHECK(has_memory(r, p->arg_indices, indices));
    const int last = p->arg_indices > p->arg_values ? p->arg_indices : p->arg_values;
    const double states = (double)p->pieces * (double)p->outputs * (double)reducer->state_bytes;
    return p->pieces > 1 ? has_workspace(r, last + 1, states) : 0;
}

int check_rows(struct reach *r)
{
    enum { FOLDED = 1024 }; /* as in softmax.dispatch.c */
    const struct facula_softmax *p = r->plan;
    const struct facula_kernel *row = ROW_AT(r, facula_softmax, kernel);
    static const char *const names[] = {"softmax_rows", "log_softmax_rows", "softmax_grad_rows", "log_softmax_grad_rows"};
    int operands = 0;
    for (int i = 0; row && i < 4; i++)
        operands += strcmp(row->name, names[i]) ? 0 : 2 + i / 2;
    EXPECT(operands && p->operands == operands && is_count(p->n));
    CHECK(check_segments(r, p->nest, p->dims, 4, p->segment, p->segments, p->group));
    if (!p->n || !p->segments)
        return 0;
    const int64_t size = size_in(row, 0), step[] = {p->x_step, p->y_step, p->o_step};
    EXPECT(p->fold >= 1 && p->fold <= FOLDED && !(p->fold & (p->fold - 1)));
    for (int k = 0; k < 3; k++) {
        struct span span = span_of(size);
        span_walk(&span, p->n, step[k]);
        span_nest(&span, p->nest, p->dims, 4, 1 + k);
        EXPECT(!span.wrong && (p->by_column || step[k] == size));
        /* Rows that occupy several columns must be adjacent and form the only segment. */
        EXPECT(p->fold == 1 || (p->nest[1 + k] == size && step[k] == size * p->nest[0]));
        if (k == 1 && p->operands < 3)
            continue;
        CHECK(has_memory(r, k == 2 ? p->operands : 1 + k, span));
    }
    EXPECT(p->fold == 1 || (p->segment >= p->nest[0] && p->nest[0] <= FOLDED / p->fold));
    return 0;
}

/* The operands of a kernel of lines: elements of each operand in a line, and their sizes; 0 ends the list. */
static int lines_of(const struct facula_lines *p, const struct facula_kernel *row, int64_t *n, int64_t *size)
{
    const int64_t length = p->n[0], item = row->signature[0] ? size_in(row, 0) : p->itemsize;
    const char *name = row->name;
    int count = 3;
    n[0] = n[1] = n[2] = n[3] = length;
    size[0] = size[1] = size[3] = item;
    size[2] = 8;
    if (!strcmp(name, "cumsum_lines") || !strcmp(name, "cumprod_lines") || !strcmp(name, "logcumsumexp_lines"))
        count = 2;
    else if (!strcmp(name, "recur_lines"))
        size[2] = item;
    else if (!strcmp(name, "extreme_grad_lines")) {
        size[1] = 8;
        size[2] = item;
    } else if (!strcmp(name, "cumprod_grad_lines")) { /* lines of products lack the last element */
        count = 4;
        n[2] = length > 0 ? length - 1 : 0;
        size[2] = item;
    } else if (!strcmp(name, "extreme_shares_lines")) {
        count = 4;
        n[1] = n[2] = 1;
        size[2] = item;
    } else if (!strcmp(name, "search_lines"))
        n[1] = n[2] = p->n[1];
    else if (!strcmp(name, "topk_lines"))
        n[1] = n[2] = p->option;
    else if (!strcmp(name, "rank_lines"))
        n[1] = n[2] = 1;
    else if (strcmp(name, "sort_lines") && strcmp(name, "cummax_lines") && strcmp(name, "cummin_lines"))
        return 0;
    return count;
}

int check_lines(struct reach *r)
{
    const struct facula_lines *p = r->plan;
    const struct facula_kernel *row = ROW_AT(r, facula_lines, run);
    int64_t n[4], size[4];
    EXPECT(row && p->operands >= 1 && p->operands <= 4);
    const int count = lines_of(p, row, n, size);
    EXPECT(count && p->operands == count);
    CHECK(check_segments(r, p->nest, p->dims, 5, p->segment, p->segments, p->group));
    const int searches = !strcmp(row->name, "search_lines"), sorts = !row->signature[0] && !searches;
    const int ordered = p->dtype < COMPLEX64 || (!searches && p->dtype >= UINT16 && p->dtype <= UINT64);
    EXPECT(row->signature[0] || (ordered && itemsize_of(p->dtype) == p->itemsize));
    EXPECT(is_count(p->n[0]) && (!sorts || (p->n[0] <= UINT32_MAX && p->option <= p->n[0])));
    for (int k = 0; p->segments && k < 4; k++) {
        struct span span = span_of(k < count ? size[k] : 1);
        span_walk(&span, k < count ? n[k] : 1, k < count ? p->step[k] : 0);
        span_nest(&span, p->nest, p->dims, 5, 1 + k);
        EXPECT(p->next[k] == p->nest[1 + k] && is_count(p->start[k]) && p->start[k] % span.unit == 0);
        if (k >= count) {
            EXPECT(!span.wrong);
            continue;
        }
        span.low += (double)p->start[k];
        span.high += (double)p->start[k];
        CHECK(has_memory(r, 1 + k, span));
    }
    return has_arguments(r, 1 + count);
}
