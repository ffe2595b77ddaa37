/* Common declarations of all kernel files: dtype codes, the kernel table, status codes, the pool. */
#pragma once
#include <stdint.h>

#include "elements/dtypes.h"
#include "runtime/library.cdef.h"
#include "runtime/pool.h"
#include "runtime/status.h"

/* The representation of a Python scalar in args: an int64, a double, or two doubles. The last two are doubles that
   are rounded to the half type before they are used in float32. */
enum scalar_kind { SCALAR_INTEGER = 1, SCALAR_REAL, SCALAR_COMPLEX, SCALAR_FLOAT16, SCALAR_BFLOAT16 };

struct facula_reducer;
struct facula_row_kernel;
struct facula_class_kernel;
struct facula_lines;
struct facula_transpose;
struct facula_batch_norm;
struct facula_norm_operands;
struct facula_row_norm;
struct facula_row_norm_operands;
struct facula_matmul;

/* The kind of a row, from the type of its function. Each kind accesses memory differently, and a plan in a file may
   refer only to rows of the expected kind (plans.c). */
#define FACULA_ROW_KIND(callable)                                                                                          \
    _Generic((callable),                                                                                                   \
        int64_t (*)(const void *, int64_t *): FACULA_WHOLE,                                                                \
        void (*)(int64_t, const int64_t *, const int64_t *): FACULA_LOOP,                                                  \
        void (*)(const struct facula_transpose *, int64_t, int64_t, int64_t): FACULA_TRANSPOSE_BLOCK,                      \
        const struct facula_reducer *: FACULA_REDUCER,                                                                     \
        int64_t (*)(const struct facula_lines *, char *const *, int64_t): FACULA_LINES,                                    \
        const struct facula_row_kernel *: FACULA_ROWS,                                                                     \
        const struct facula_class_kernel *: FACULA_CLASS_ROWS,                                                             \
        void (*)(int64_t, int64_t, int64_t, const int64_t *): FACULA_DRAW,                                                 \
        void (*)(int64_t, int64_t, const char *, const char *, char *, uint64_t, uint64_t): FACULA_SAMPLER,                \
        void (*)(int64_t, int64_t, const char *, char *, double, uint64_t, uint64_t): FACULA_DROPPER,                      \
        void (*)(int64_t, char *const *, const double *): FACULA_UPDATE,                                                   \
        void (*)(const int64_t *, const double *): FACULA_FINISH,                                                          \
        void (*)(const int64_t *, char *const *, const double *): FACULA_ADAFACTOR_UPDATE,                                 \
        void (*)(const struct facula_batch_norm *, const struct facula_norm_operands *, int64_t, int64_t): FACULA_NORM,    \
        void (*)(const struct facula_row_norm *, const struct facula_row_norm_operands *, int64_t, int64_t, double *):     \
            FACULA_ROW_NORM,                                                                                               \
        void (*)(const struct facula_row_norm *, const struct facula_row_norm_operands *, const char *):                   \
            FACULA_ROW_NORM_FINISH,                                                                                        \
        void (*)(int64_t, int64_t, const void *, int64_t, int64_t, void *): FACULA_PACK,                                   \
        void (*)(int64_t, int64_t, int64_t, const void *, int64_t, const void *, void *, int64_t, const void *, int):      \
            FACULA_MULTIPLY_PACKED,                                                                                        \
        void (*)(struct facula_matmul *, int): FACULA_PLANNER,                                                             \
        int64_t (*)(void *, const void *, int64_t, const int64_t *, int64_t *): FACULA_SHAPE)

/* Adds an entry to the kernel table, from any file: name, function, cost, then the dtype codes of its signature. The
   linker places the entries of all files next to one another, so no list of kernels is necessary. The alignment is
   written out because the compiler would otherwise round it up and leave gaps. */
#define FACULA_KERNEL(operator, callable, picoseconds, ...) FACULA_KERNEL_(operator, callable, picoseconds, __COUNTER__, __VA_ARGS__)
#define FACULA_KERNEL_(operator, callable, picoseconds, unique, ...) \
    FACULA_KERNEL__(operator, callable, picoseconds, unique, __VA_ARGS__)
#define FACULA_KERNEL__(operator, callable, picoseconds, unique, ...)                              \
    static const struct facula_kernel kernel_entry_##unique                                          \
        __attribute__((section("facula_kernels"), used, aligned(8))) = {                           \
            operator, (const void *)(callable), picoseconds, FACULA_LEVEL, {__VA_ARGS__}, FACULA_ROW_KIND(callable)};
