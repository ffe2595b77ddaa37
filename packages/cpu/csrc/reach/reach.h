/* Whether a plan from a file keeps to the memory of its launch; see Note [Forged plans] in reach.c. */
#pragma once
#include <stddef.h>
#include <string.h>

#include "files/files.h"
#include "runtime/kernel.h"

/* The subject of a check: one launch, whose plan is complete. */
struct reach {
    const struct section *section;
    const struct launch_row *launch;
    const struct facula_kernel *const *kernels; /* of each row of the section */
    const char *changed;                        /* of each argument, whether a run changes that number */
    const struct facula_kernel *kernel;
    const void *plan;
    const struct part_row *part; /* the plan's position in the file; NULL if there is none */
    int64_t workspace;           /* bytes that the launch has of it */
    char *error;
};

/* 0 where it does; else -1 with a message. */
int check_reach(struct reach *r);
/* Whether there is a check for a kernel of that name. */
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
#define MOST 0x1p46 /* no machine has more bytes: sums and products of a few such numbers are doubles without rounding */

/* Whether it counts bytes, or things, that a machine could have. */
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

/* The product of the extents of a nest, whose dimensions have `width` numbers; -1 where that is no count. */
double nest_total(const int64_t *nest, int64_t dims, int64_t width);
#define TOTAL(...) nest_total((const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), 1)

/* ------------------------------------------------------------------------------------------------------- memory */
/* The bytes around an address that a kernel touches. */
struct span {
    double low, high;
    int64_t unit; /* all addresses are multiples of it */
    int empty, wrong;
};

/* One element of so many bytes. */
struct span span_of(int64_t itemsize);
/* So many side by side. */
struct span span_row(double count, int64_t itemsize);
/* The same again `extent` times, `step` bytes apart. */
void span_walk(struct span *span, int64_t extent, int64_t step);
/* The same for each dimension of a nest: rows of `width` numbers, of which the first is the extent, and one the
   step. */
void span_nest(struct span *span, const int64_t *nest, int64_t dims, int64_t width, int64_t step);

/* The launch has at least so many arguments. */
int has_arguments(struct reach *r, int64_t count);
/* The argument is an address, with memory for the span; with `may` it may be NULL. */
int has_memory(struct reach *r, int64_t argument, struct span span);
int may_have_memory(struct reach *r, int64_t argument, struct span span);
/* Whether it is NULL. */
int is_null(const struct reach *r, int64_t argument);
/* The argument is the workspace, of so many bytes at least. */
int has_workspace(struct reach *r, int64_t argument, double bytes);
/* The argument is a number that no run changes. */
int has_number(struct reach *r, int64_t argument, int64_t *number);
/* Writes to one argument must not change the other, which a kernel reads more than once. */
int lies_apart(struct reach *r, int64_t read, int64_t written);

/* The row of the kernel table that a field points to, or NULL. */
#define ROW_AT(r, type, field) row_at(r, (r)->part, offsetof(struct type, field))
const struct facula_kernel *row_at(const struct reach *r, const struct part_row *part, int64_t offset);
/* The part of the file that it points to, or NULL. */
const struct part_row *part_at(const struct reach *r, const struct part_row *part, int64_t offset);
/* The bytes of an element, by a row's signature. */
static inline int64_t size_in(const struct facula_kernel *row, int place)
{
    return itemsize_of(row->signature[place]);
}

/* Lines, rows and outputs that kernels take in segments: along the first dimension, of all others, in groups. */
int check_segments(struct reach *r, const int64_t *nest, int64_t dims, int64_t width, int64_t segment, int64_t segments,
                   int64_t group);

/* ------------------------------------------------------------------------------------------------------- checks */
typedef int (*reach_check)(struct reach *r);
int check_elementwise(struct reach *r), check_elementwise_dense(struct reach *r), check_quotient(struct reach *r);
int check_transposing_copy(struct reach *r), check_random(struct reach *r), check_dropout(struct reach *r);
int check_samples(struct reach *r), check_step(struct reach *r), check_adafactor(struct reach *r);
int check_gather(struct reach *r), check_take(struct reach *r), check_positions(struct reach *r);
int check_cat(struct reach *r), check_triangle(struct reach *r);
int check_reduce(struct reach *r), check_rows(struct reach *r), check_lines(struct reach *r);
int check_cross_entropy(struct reach *r), check_ctc(struct reach *r), check_pooling(struct reach *r);
int check_resample(struct reach *r), check_taps(struct reach *r), check_batch_norm(struct reach *r);
int check_row_norm(struct reach *r), check_product(struct reach *r), check_convolution(struct reach *r);
int check_recurrent(struct reach *r), check_attention(struct reach *r), check_triangular_solve(struct reach *r);
