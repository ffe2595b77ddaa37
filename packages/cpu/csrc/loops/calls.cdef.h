/* The types of functions that plans call for elements or tiles. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* A loop over n elements of each operand: inputs, then the output. Addresses and steps are in bytes. */
typedef void (*facula_loop)(int64_t n, const int64_t *address, const int64_t *step);

/* Transposes `rows` rows of a plan, from these addresses on; see transposing_copy.cdef.h. */
struct facula_transpose;
typedef void (*facula_transpose_block)(const struct facula_transpose *plan, int64_t rows, int64_t source,
                                       int64_t target);
