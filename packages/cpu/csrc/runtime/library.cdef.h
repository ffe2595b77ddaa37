/* The functions that Python calls. Read by the compiler and by cffi (which skips preprocessor lines): declarations
   only. */
#pragma once
#include <stdint.h>

/* The kinds of rows in the kernel table: a complete kernel, a part of one (by the type of its function), or a
   planner. */
enum facula_row_kind {
    FACULA_WHOLE, FACULA_LOOP, FACULA_TRANSPOSE_BLOCK, FACULA_REDUCER, FACULA_LINES, FACULA_ROWS, FACULA_CLASS_ROWS,
    FACULA_DRAW, FACULA_SAMPLER, FACULA_DROPPER, FACULA_UPDATE, FACULA_FINISH, FACULA_ADAFACTOR_UPDATE, FACULA_NORM,
    FACULA_ROW_NORM, FACULA_ROW_NORM_FINISH, FACULA_PACK, FACULA_MULTIPLY_PACKED, FACULA_PLANNER, FACULA_SHAPE
};

/* One entry of the kernel table. `function` is a complete kernel `int64_t (const void *plan, int64_t *args)`, or a
   loop that another kernel calls (see elementwise.h). `cost` is in picoseconds per element: one thread, contiguous,
   in cache. `signature` lists dtype codes, inputs then outputs, and ends with 0. */
struct facula_kernel {
    const char *name;
    const void *function;
    int32_t cost;
    uint8_t level;
    char signature[11];
    uint8_t kind; /* an enum facula_row_kind */
};

/* Returns the entry with this name and signature and the highest level up to `level`, or NULL. */
const struct facula_kernel *facula_find_kernel(const char *name, const char *signature, int level);

/* Returns the entry with this index, or NULL beyond the end, to list all entries. */
const struct facula_kernel *facula_kernel_at(int64_t index);

/* Returns the highest level that this processor supports: 0 baseline, 1 AVX2 and FMA, 2 AVX-512. */
int facula_best_level(void);

/* Returns the number in the environment variable FACULA_NUM_THREADS, and -1 if it is no number from 1 to 256; 0 if it is
   unset or empty, or if the number of threads is already fixed. */
int facula_threads_setting(void);

/* Returns the number of threads that work on one kernel, including the caller. */
int facula_threads(void);
void facula_set_threads(int count);
