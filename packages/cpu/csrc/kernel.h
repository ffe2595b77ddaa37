/* What every kernel file includes: dtype codes, the kernel table, status codes, the pool. */
#pragma once
#include <stdint.h>

#include "plans/elementwise.h"
#include "plans/library.h"
#include "pool.h"
#include "status.h"

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The codes of facula_storage.DType. */
enum {
    BOOL = 1, UINT8, INT8, INT16, INT32, INT64, FLOAT16, BFLOAT16, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128
};

/* How a Python scalar lies in args: an int64, a double, or two doubles. */
enum scalar_kind { SCALAR_INTEGER = 1, SCALAR_REAL, SCALAR_COMPLEX };

/* Puts a row into the kernel table, from any file: name, function, cost, then the dtype codes of its signature.
   The linker lays the rows of all files side by side, so there is no list of kernels to keep. The alignment is written
   out because the compiler would otherwise round it up and leave gaps. */
#define FACULA_KERNEL(operator, callable, picoseconds, ...) FACULA_KERNEL_(operator, callable, picoseconds, __COUNTER__, __VA_ARGS__)
#define FACULA_KERNEL_(operator, callable, picoseconds, unique, ...) \
    FACULA_KERNEL__(operator, callable, picoseconds, unique, __VA_ARGS__)
#define FACULA_KERNEL__(operator, callable, picoseconds, unique, ...)                              \
    static const struct facula_kernel kernel_row_##unique                                          \
        __attribute__((section("facula_kernels"), used, aligned(8))) = {                           \
            operator, (const void *)(callable), picoseconds, FACULA_LEVEL, {__VA_ARGS__}};

/* Templates name their functions after the element type: PASTE(add, float32) is add_float32. */
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##_##b
