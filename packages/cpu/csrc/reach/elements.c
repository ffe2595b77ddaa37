/* Checks of plans that process elements independently; see Note [Forged plans] in reach.c. */
#include <string.h>

#include "copies/moves.cdef.h"
#include "copies/transposing_copy.cdef.h"
#include "elementwise/elementwise.h"
#include "optimizers/adafactor.cdef.h"
#include "optimizers/optimizer.cdef.h"
#include "random/dropout.cdef.h"
#include "random/random.cdef.h"
#include "random/samples.cdef.h"
#include "reach/reach.h"
#include "reductions/reduce.cdef.h"

/* --------------------------------------------------------------------------------------------------- elementwise */
/* The loop of one instruction, for `count` values with these sizes; 0 stands for a value with room for any element. */
static int check_loop(struct reach *r, const struct facula_kernel *loop, int count, const int64_t *sizes)
{
    EXPECT(loop && strlen(loop->signature) == (size_t)count);
    for (int i = 0; i < count; i++)
        EXPECT(!sizes[i] || sizes[i] == size_in(loop, i));
    return 0;
}

/* A program must read existing values in their sizes, and write tiles and operands that are arrays. */
static int check_program(struct reach *r, const struct facula_elementwise *plan)
{
    const struct facula_program *p = plan->program;
    const struct part_row *part = part_at(r, r->part, offsetof(struct facula_elementwise, program));
    const int operands = plan->operands, first_tile = operands + p->constants;
    int64_t size[MOST_OPERANDS + MOST_CONSTANTS + MOST_TILES] = {0}, written = 0;
    EXPECT(p->constants >= 0 && p->constants <= MOST_CONSTANTS && p->tiles >= 0 && p->tiles <= MOST_TILES);
    EXPECT(p->length >= 1 && p->length <= TILES_ROOM && p->instructions >= 0);
    EXPECT(p->room >= 0 && p->room % 16 == 0 && (int64_t)p->room * p->tiles <= TILES_ROOM);
    for (int i = 0; i < operands; i++)
        size[i] = plan->itemsize[i]; /* 0 for a scalar */
    for (int i = 0; i < p->tiles; i++) {
        EXPECT(is_size(p->itemsize[i]) && (int64_t)p->length * p->itemsize[i] <= p->room);
        size[first_tile + i] = p->itemsize[i];
    }
    for (int64_t k = 0; k < p->instructions; k++) {
        const struct facula_instruction *one = &p->instruction[k];
        int64_t sizes[MOST_READ];
        EXPECT(one->values >= 2 && one->values <= MOST_READ);
        const int last = one->values - 1;
        for (int i = 0; i < (one->loop ? one->values : last); i++) {
            const int value = one->value[i], tile = value - first_tile;
            EXPECT(tile < p->tiles && (i == last || tile < 0 || written >> tile & 1));
            sizes[i] = size[value];
        }
        if (!one->loop)
            continue;
        const int64_t offset = (const char *)&one->loop - (const char *)p;
        CHECK(check_loop(r, row_at(r, part, offset), one->values, sizes));
        const int value = one->value[last];
        EXPECT(one->tile ? value >= first_tile : value < operands && plan->itemsize[value]);
        if (one->tile)
            written |= (int64_t)1 << (value - first_tile);
    }
    return 0;
}

/* Checks the work on operands, which are checked already. */
static int check_work(struct reach *r, const struct facula_elementwise *p)
{
    int64_t sizes[MOST_OPERANDS];
    EXPECT(p->operands >= 1 && p->operands <= MOST_OPERANDS && p->results >= 1 && p->results <= p->operands);
    EXPECT(p->dims >= 0 && p->dims <= MOST_DIMS && is_count(p->serial) && is_count(p->grain));
    for (int i = 0; i < p->operands; i++) {
        EXPECT(p->scalar[i] ? !p->itemsize[i] && i < p->operands - p->results : is_size(p->itemsize[i]));
        for (int d = 0; p->scalar[i] && d < (p->dims ? p->dims : 1); d++)
            EXPECT(!p->nest[d * (1 + p->operands) + 1 + i]);
        sizes[i] = p->itemsize[i];
    }
    if (p->program)
        return check_program(r, p);
    return check_loop(r, ROW_AT(r, facula_elementwise, loop), p->operands, sizes);
}

/* Checks the tiles for repeated runs and for strided operands. */
static int check_tiles(struct reach *r, const struct facula_elementwise *p)
{
    const int64_t extent = p->nest[0], *inner = p->nest + 1, *outer = inner + 1 + p->operands;
    int64_t repeated = 0, bytes = 0;
    for (int i = 0; i < p->operands; i++) {
        if (p->block && p->repeats >> i & 1) {
            EXPECT(p->itemsize[i] && (inner[i] == p->itemsize[i] || (!inner[i] && p->itemsize[i] <= 8)));
            repeated++;
        } else if (p->block) {
            EXPECT(p->dims >= 2 && (double)outer[i] == (double)inner[i] * (double)extent);
        }
        if (p->apart >> i & 1) {
            EXPECT(p->itemsize[i] && p->chunk >= 1 && p->chunk <= TILES_ROOM && p->chunk % 16 == 0);
            bytes += (int64_t)p->chunk * p->itemsize[i];
        }
    }
    EXPECT(bytes <= TILES_ROOM && repeated <= MOST_REPEATS && p->apart >> p->operands == 0);
    EXPECT(!p->block || (p->dims >= 2 && p->block >= 1 && extent >= 1 && extent <= TILE && extent * p->block <= TILE));
    return 0;
}

/* Checks the tiles for transposed operands. */
static int check_turned(struct reach *r, const struct facula_elementwise *p)
{
    const struct facula_kernel *turn = ROW_AT(r, facula_elementwise, turn);
    int64_t bytes = 0;
    if (!p->turned)
        return 0;
    EXPECT(turn && p->dims >= 2 && !p->reducer && p->turned >> (p->operands - p->results) == 0);
    EXPECT(p->width >= 1 && p->width <= TILES_ROOM && p->height >= 1 && p->height <= TILES_ROOM);
    for (int i = 0; i < p->operands; i++)
        if (p->turned >> i & 1) {
            EXPECT(p->itemsize[i] == turn->signature[0] && p->nest[2 + p->operands + i] == p->itemsize[i]);
            EXPECT(!(p->apart >> i & 1));
            bytes += (int64_t)p->width * p->height * p->itemsize[i];
        }
    EXPECT(bytes <= TILES_ROOM);
    return 0;
}

/* Checks a result that is reduced to one element. */
static int check_folding(struct reach *r, const struct facula_elementwise *p)
{
    const struct facula_kernel *reducer = ROW_AT(r, facula_elementwise, reducer);
    const int last = p->operands - 1, dtype = p->dtype[last];
    EXPECT(reducer && p->results == 1 && p->apart >> last & 1 && !p->reducer->finish_with && p->reducer->finish);
    EXPECT(p->reducer->state_bytes <= MOST_STATE);
    EXPECT(p->itemsize[last] == size_in(reducer, 0) && p->itemsize[last] == size_in(reducer, 1));
    EXPECT(!p->mean || dtype == FLOAT32 || dtype == FLOAT64);
    EXPECT(!p->mean || itemsize_of(dtype) == p->itemsize[last]);
    return 0;
}

int check_elementwise(struct reach *r)
{
    const struct facula_elementwise *p = r->plan;
    const int64_t width = 1 + p->operands;
    int64_t n;
    CHECK(check_work(r, p));
    CHECK(check_tiles(r, p));
    CHECK(check_turned(r, p));
    if (p->reducer) {
        CHECK(check_folding(r, p));
        EXPECT(is_count(n = p->nest[0]));
    } else {
        CHECK(has_number(r, 0, &n));
        EXPECT(is_count(n));
    }
    const double total = nest_total(p->nest, p->dims, width);
    EXPECT(total >= 0 && (!p->dims || p->reducer || total == (double)n));
    for (int i = 0; i < p->operands; i++) {
        if (p->scalar[i]) {
            EXPECT(p->argument[i] >= 0);
            CHECK(has_arguments(r, p->argument[i] + (p->scalar[i] == SCALAR_COMPLEX) + 1));
            continue;
        }
        struct span span = span_of(p->itemsize[i]), steps = span;
        if (p->dims)
            span_nest(&steps, p->nest, p->dims, width, 1 + i);
        else
            span_walk(&steps, n, p->nest[1 + i]);
        if (p->reducer && i == p->operands - 1)
            span.wrong = steps.wrong; /* one element, whatever its steps are */
        else
            span = steps;
        CHECK(has_memory(r, p->argument[i], span));
    }
    return 0;
}

/* The addresses are passed unchanged, one after another. */
int check_elementwise_dense(struct reach *r)
{
    const struct facula_elementwise *p = r->plan;
    int64_t n;
    CHECK(has_number(r, 0, &n));
    CHECK(check_work(r, p));
    EXPECT(is_count(n) && !p->dims && !p->reducer);
    EXPECT(is_named(r, "program_dense") ? p->program != NULL : p->loop && !p->program);
    CHECK(check_tiles(r, p));
    for (int i = 0; i < p->operands; i++) {
        struct span span = span_of(p->itemsize[i]);
        EXPECT(!p->scalar[i]);
        span_walk(&span, n, p->nest[1 + i]);
        CHECK(has_memory(r, 1 + i, span));
    }
    return 0;
}

int check_quotient(struct reach *r)
{
    const struct facula_elementwise *p = r->plan;
    EXPECT(p->operands >= 2 && !p->reducer);
    EXPECT(p->scalar[1] || itemsize_of(p->dtype[1]) == p->itemsize[1]);
    return check_elementwise(r);
}

/* --------------------------------------------------------------------------------------------- transposing copies */
int check_transposing_copy(struct reach *r)
{
    const struct facula_transpose *p = r->plan;
    const struct facula_kernel *block = ROW_AT(r, facula_transpose, block), *cast = ROW_AT(r, facula_transpose, cast);
    const struct facula_kernel *round = ROW_AT(r, facula_transpose, round);
    EXPECT(block && is_size(block->signature[0]));
    const int64_t size = block->signature[0], given = cast ? size_in(cast, 0) : size;
    EXPECT(!cast || (strlen(cast->signature) == 2 && (round ? cast->signature[1] == FLOAT32 : size_in(cast, 1) == size)));
    EXPECT(!round || (cast && strlen(round->signature) == 2 && round->signature[0] == FLOAT32 && size_in(round, 1) == size));
    EXPECT(cast ? !p->gather || (p->source_row == given && given <= size) : !p->gather && p->source_row == size);
    EXPECT(p->rows >= 1 && is_count(p->rows) && p->columns >= 1 && is_count(p->columns) && p->dims >= 0);
    EXPECT(p->band >= 1 && is_count(p->band) && p->bands == (p->rows - 1) / p->band + 1);
    EXPECT(nest_total(p->nest, p->dims, 3) >= 0 && p->source_step % given == 0 && p->target_step % size == 0);
    struct span source = span_of(given), target = span_row((double)p->columns, size);
    span_walk(&source, p->rows, p->source_row);
    span_walk(&source, p->columns, p->source_step);
    span_walk(&target, p->rows, p->target_step);
    span_nest(&source, p->nest, p->dims, 3, 1);
    span_nest(&target, p->nest, p->dims, 3, 2);
    EXPECT(is_count(p->source_start) && p->source_start % given == 0);
    EXPECT(is_count(p->target_start) && p->target_start % size == 0);
    source.low += (double)p->source_start;
    source.high += (double)p->source_start;
    target.low += (double)p->target_start;
    target.high += (double)p->target_start;
    CHECK(has_memory(r, 1, source));
    return has_memory(r, 2, target);
}

/* --------------------------------------------------------------------------------------------------------- moves */
int check_moves(struct reach *r)
{
    enum { MOST_DIMS = 64 }; /* as in moves.dispatch.c */
    const struct facula_moves *p = r->plan;
    const int64_t size = r->kernel->signature[0], *outer = p->nest, *box = outer + 3 * p->outer;
    EXPECT(p->outer >= 0 && p->outer <= MOST_DIMS && (!p->pieces || nest_total(outer, p->outer, 3) == (double)p->pieces));
    EXPECT(p->group >= 1 && is_count(p->group) && is_count(p->clear) && p->clear % size == 0);
    EXPECT(p->boxes >= 0 && p->dims >= 2 && p->dims <= MOST_DIMS);
    struct span cleared = span_row((double)p->clear / (double)size, size);
    span_nest(&cleared, outer, p->outer, 3, 2);
    CHECK(has_memory(r, 2, cleared));
    for (int64_t b = 0; p->pieces && b < p->boxes; b++, box += 3 + 3 * p->dims) {
        EXPECT(!box[0] || size == 4 || size == 8);
        EXPECT(is_count(box[1]) && box[1] % size == 0 && is_count(box[2]) && box[2] % size == 0);
        EXPECT(nest_total(box + 3, p->dims, 3) >= 1);
        for (int k = 1; k <= 2; k++) {
            struct span span = span_of(size);
            span_nest(&span, outer, p->outer, 3, k);
            span_nest(&span, box + 3, p->dims, 3, k);
            span.low += (double)box[k];
            span.high += (double)box[k];
            CHECK(has_memory(r, k, span));
        }
    }
    return has_arguments(r, 3);
}

/* ------------------------------------------------------------------------------------------------------- draws */
/* Pieces of n elements, in `count` arrays, starting with argument 1. */
static int check_draw(struct reach *r, const struct facula_kernel *row, int64_t itemsize, int64_t serial, int64_t grain,
                      int64_t count, int64_t arguments)
{
    int64_t n;
    CHECK(has_number(r, 0, &n));
    EXPECT(row && itemsize == size_in(row, 0) && is_count(n) && is_count(serial) && grain >= 1 && is_count(grain));
    for (int64_t i = 0; i < count; i++)
        CHECK(has_memory(r, 1 + i, span_row((double)n, itemsize)));
    return has_arguments(r, arguments);
}

int check_random(struct reach *r)
{
    const struct facula_random *p = r->plan;
    const struct facula_kernel *row = ROW_AT(r, facula_random, draw);
    static const char *const two[] = {"uniform", "normal", "randint"}, *const one[] = {"bernoulli", "philox"};
    int scalars = 0;
    for (size_t i = 0; row && i < sizeof two / sizeof *two; i++)
        scalars += 2 * !strcmp(row->name, two[i]);
    for (size_t i = 0; row && i < sizeof one / sizeof *one; i++)
        scalars += !strcmp(row->name, one[i]);
    EXPECT(scalars);
    return check_draw(r, row, p->itemsize, p->serial, p->grain, 1, 4 + scalars);
}

int check_dropout(struct reach *r)
{
    const struct facula_dropout *p = r->plan;
    return check_draw(r, ROW_AT(r, facula_dropout, drop), p->itemsize, p->serial, p->grain, 2, 6);
}

int check_samples(struct reach *r)
{
    const struct facula_samples *p = r->plan;
    EXPECT(p->parameters == 1 || p->parameters == 2);
    return check_draw(r, ROW_AT(r, facula_samples, sample), p->itemsize, p->serial, p->grain, p->parameters + 1,
                      p->parameters + 4);
}

/* ------------------------------------------------------------------------------------------------------ optimizers */
/* The number of numbers in a launch, and of single numbers in the state of a parameter: as in _optimizer.py. */
static const struct {
    const char *update;
    int numbers, kept;
} steps[] = {{"sgd_step", 6, 0}, {"adam_step", 7, 1}, {"rmsprop_step", 6, 1}, {"rmsprop_centered_step", 6, 1},
             {"adadelta_step", 5, 1}, {"adagrad_step", 5, 1}, {"adamax_step", 6, 1}, {"nadam_step", 8, 2},
             {"radam_step", 7, 1}, {"asgd_step", 6, 3}, {"rprop_step", 5, 1}};

/* Returns the row of a step; -1 without one. */
static int step_at(const char *update)
{
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!strcmp(steps[i].update, update))
            return (int)i;
    return -1;
}

int has_step(const char *update)
{
    return step_at(update) >= 0;
}

static int is_step(const struct facula_step *p, const char *update)
{
    const int at = step_at(update);
    return at >= 0 && p->numbers == steps[at].numbers && p->kept == steps[at].kept;
}

int check_step(struct reach *r)
{
    enum { MOST_TENSORS = 8 }; /* as in optimizer.c */
    const struct facula_step *p = r->plan;
    const struct facula_kernel *update = ROW_AT(r, facula_step, update), *finish = ROW_AT(r, facula_step, finish);
    EXPECT(update && is_step(p, update->name) && p->operands >= 1 && p->operands <= MOST_TENSORS);
    const int width = p->operands + p->kept;
    EXPECT(width <= MOST_TENSORS && strlen(update->signature) == (size_t)width && p->itemsize == size_in(update, 0));
    EXPECT(!finish || !strncmp(finish->name, update->name, strlen(update->name)));
    EXPECT(p->parameters >= 1 && p->grain >= 1 && is_count(p->grain));
    for (int64_t i = 0, start = 0, at = 1 + p->numbers; i < p->parameters; start = p->ends[i++]) {
        EXPECT(p->ends[i] >= start && is_count(p->ends[i]));
        for (int k = 0; k < width; k++, at++) {
            const int64_t size = size_in(update, k);
            EXPECT(size == (k < p->operands ? p->itemsize : 4));
            CHECK(has_memory(r, at, span_row(k < p->operands ? (double)(p->ends[i] - start) : 1, size)));
        }
    }
    return 0;
}

int check_adafactor(struct reach *r)
{
    enum { NUMBERS = 7 };
    const struct facula_adafactor *p = r->plan;
    const struct facula_kernel *update = ROW_AT(r, facula_adafactor, update);
    EXPECT(update && (p->width == 4 || p->width == 5) && strlen(update->signature) == (size_t)p->width);
    EXPECT(is_count(p->parameters));
    for (int64_t i = 0; i < p->parameters; i++) {
        const int64_t *sizes = p->sizes + 3 * i, at = 1 + NUMBERS + i * p->width, size = size_in(update, 0);
        const double n = p->width == 5 ? nest_total(sizes, 3, 1) : (double)sizes[2], matrices = (double)sizes[0];
        EXPECT(n >= 0);
        CHECK(has_memory(r, at, span_row(n, size)));
        CHECK(has_memory(r, at + 1, span_row(n, size)));
        CHECK(has_memory(r, at + 2, span_row(p->width == 5 && n > 0 ? matrices * (double)sizes[1] : n, size)));
        if (p->width == 5)
            CHECK(has_memory(r, at + 3, span_row(n > 0 ? matrices * (double)sizes[2] : 0, size)));
        CHECK(has_memory(r, at + p->width - 1, span_of(4)));
    }
    return 0;
}
