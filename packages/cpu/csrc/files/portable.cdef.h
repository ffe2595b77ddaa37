/* The structs of plans, for files that contain them. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* A pointer in a plan. `kind` is "" for a row of the kernel table (of the kind `row`), "array" for numbers, or the
   name of the struct that it points to. `step` is 0, or the bytes from one such pointer to the next, up to the
   plan's end. */
struct facula_plan_field {
    const char *name, *kind;
    int64_t offset, step, row;
};

/* A struct of a plan: its size without the trailing numbers, and the count of those 8-byte numbers. */
struct facula_plan_type {
    const char *name;
    int64_t bytes;
    double (*numbers)(const void *plan);
    const struct facula_plan_field *fields; /* terminated by one without a name */
};

/* The type of that name, or NULL. */
const struct facula_plan_type *facula_find_plan_type(const char *name);

/* A digest of the declarations in *.cdef.h: a file's plans are those of the release that wrote it. */
int64_t facula_plans_digest(void);

/* Completes a plan whose sizes depend on the threads and the instruction set: recomputes the blocking of products (also
   those inside other plans) and workspaces. `kernel` and `code` are the kernel's name and its first dtype, `workspace`
   the bytes that the plan needed where it was created. Returns the bytes that it needs now, or -1 without a planner. */
int64_t facula_complete_plan(const struct facula_plan_type *type, void *plan, const char *kernel, int code, int level,
                             int threads, int64_t workspace);

/* The part that Python also uses to plan convolutions: a block's share of the workspace, how many may run concurrently,
   and the total bytes. */
int64_t facula_complete_convolution(void *plan, int threads);
