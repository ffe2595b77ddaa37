/* Checks that a plan from a file accesses only the memory of its launch; see Note [Forged plans] in reach.c. */
#pragma once
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "files/files.h"
#include "runtime/kernel.h"

/* The subject of a check: one launch, whose plan is complete. */
struct reach {
    const struct section *section;
    const struct launch_row *launch;
    const struct facula_kernel *const *kernels; /* per row of the section */
    const char *changed;                        /* per argument: whether a run changes that number */
    const struct facula_kernel *kernel;
    const void *plan;
    const struct part_row *part; /* the plan's position in the file; NULL without a plan */
    int64_t workspace;           /* bytes of the workspace for this launch */
    char *error;
};

/* Returns 0, or -1 with a message if the plan is refused. */
int check_reach(struct reach *r);
/* Returns whether there is a check for a kernel, or for a step of an optimizer, with that name. */
int facula_is_checked(const char *kernel);

static inline int is_named(const struct reach *r, const char *kernel)
{
    return !strcmp(r->kernel->name, kernel);
}

/* ---------------------------------------------------------------------------------------------- what checks say */
int reach_refused(struct reach *r, const char *expected);
#define EXPECT(condition)                          \
    do {                                           \
        if (!(condition))                          \
            return reach_refused(r, #condition);   \
    } while (0)
#define CHECK(call)      \
    do {                 \
        if (call)        \
            return -1;   \
    } while (0)

/* ------------------------------------------------------------------------------------------------------ numbers */
#define MOST 0x1p46 /* more bytes than any machine has: sums and products of a few such numbers are exact doubles */

/* Returns whether a number is a possible count of bytes or objects. */
static inline int is_count(int64_t number)
{
    return number >= 0 && (double)number <= MOST;
}

static inline int is_size(int64_t bytes)
{
    return bytes > 0 && bytes <= 16 && !(bytes & (bytes - 1));
}

static inline double rounded_up(double count, double unit)
{
    return __builtin_ceil(count / unit) * unit;
}

/* Returns the product of the extents of a nest whose dimensions have `width` numbers; -1 if it is not a count. */
double nest_total(const int64_t *nest, int64_t dims, int64_t width);
#define TOTAL(...) nest_total((const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), 1)

/* ------------------------------------------------------------------------------------------------------- memory */
/* The bytes around an address that a kernel accesses. */
struct span {
    double low, high;
    int64_t unit; /* all addresses are multiples of it */
    int empty, wrong;
};

/* Returns the span of one element. */
struct span span_of(int64_t itemsize);
/* Returns the span of `count` adjacent elements. */
struct span span_row(double count, int64_t itemsize);
/* Repeats the span `extent` times with a distance of `step` bytes. */
void span_walk(struct span *span, int64_t extent, int64_t step);
/* The same as span_walk, for a step in elements. */
static inline void walk(struct span *span, int64_t extent, int64_t step, int64_t itemsize)
{
    const int fits = fabs((double)step) <= MOST;
    span->wrong |= !fits;
    span_walk(span, extent, fits ? step * itemsize : 0);
}
/* Does this for each dimension of a nest: rows of `width` numbers, the first of which is the extent, and another one
   the step. */
void span_nest(struct span *span, const int64_t *nest, int64_t dims, int64_t width, int64_t step);

/* Checks that the launch has at least this number of arguments. */
int has_arguments(struct reach *r, int64_t count);
/* Checks that the argument is an address with memory for the span; with `may` it may be NULL. */
int has_memory(struct reach *r, int64_t argument, struct span span);
int may_have_memory(struct reach *r, int64_t argument, struct span span);
/* Returns whether the argument is NULL. */
int is_null(const struct reach *r, int64_t argument);
/* Checks that the argument is a workspace of at least this number of bytes. */
int has_workspace(struct reach *r, int64_t argument, double bytes);
/* Checks that the argument is a number that no run changes. */
int has_number(struct reach *r, int64_t argument, int64_t *number);
/* Checks that writes to one argument cannot change the other one, which a kernel reads more than once. */
int is_disjoint(struct reach *r, int64_t read, int64_t written);

/* Returns the row of the kernel table to which a field points, or NULL. */
#define ROW_AT(r, type, field) row_at(r, (r)->part, offsetof(struct type, field))
const struct facula_kernel *row_at(const struct reach *r, const struct part_row *part, int64_t offset);
/* Returns the part of the file to which it points, or NULL. */
const struct part_row *part_at(const struct reach *r, const struct part_row *part, int64_t offset);
/* Returns the bytes of an element according to a row's signature. */
static inline int64_t size_in(const struct facula_kernel *row, int place)
{
    return itemsize_of(row->signature[place]);
}

/* Checks lines, rows or outputs that kernels process in segments: along the first dimension, for all others, in
   groups. */
int check_segments(struct reach *r, const int64_t *nest, int64_t dims, int64_t width, int64_t segment, int64_t segments,
                   int64_t group);

/* ------------------------------------------------------------------------------------------------------- checks */
typedef int (*reach_check)(struct reach *r);
int check_elementwise(struct reach *r), check_elementwise_dense(struct reach *r), check_quotient(struct reach *r);
int check_moves(struct reach *r), check_transposing_copy(struct reach *r), check_random(struct reach *r), check_dropout(struct reach *r);
int check_samples(struct reach *r), check_step(struct reach *r), check_adafactor(struct reach *r);
int has_step(const char *update); /* whether check_step accepts this step of an optimizer */
int check_gather(struct reach *r), check_take(struct reach *r), check_positions(struct reach *r);
int check_merge(struct reach *r);
int check_cat(struct reach *r), check_triangle(struct reach *r);
int check_reduce(struct reach *r), check_rows(struct reach *r), check_lines(struct reach *r);
int check_cross_entropy(struct reach *r), check_ctc(struct reach *r), check_pooling(struct reach *r);
int check_resample(struct reach *r), check_taps(struct reach *r), check_batch_norm(struct reach *r);
int check_response(struct reach *r);
int check_row_norm(struct reach *r), check_product(struct reach *r), check_convolution(struct reach *r);
int check_depthwise(struct reach *r);
int check_shallow(struct reach *r), check_winograd(struct reach *r);
int check_recurrent(struct reach *r), check_attention(struct reach *r), check_triangular_solve(struct reach *r);
int check_elimination(struct reach *r), check_fft(struct reach *r);
int check_decomposition(struct reach *r);
