/* Dtype codes, and the macros used by element functions and templates. */
#pragma once

#define ALWAYS_INLINE inline __attribute__((always_inline))

/* The codes of facula_storage.DType. Macros, so that templates can compare them. */
#define BOOL 1
#define UINT8 2
#define INT8 3
#define INT16 4
#define INT32 5
#define INT64 6
#define FLOAT16 7
#define BFLOAT16 8
#define FLOAT32 9
#define FLOAT64 10
#define COMPLEX64 11
#define COMPLEX128 12
#define UINT16 13
#define UINT32 14
#define UINT64 15
#define FLOAT8_E4M3FN 16
#define FLOAT8_E5M2 17
#define FLOAT8_E8M0FNU 18
#define FLOAT8_E4M3FNUZ 19
#define FLOAT8_E5M2FNUZ 20

/* A bool is a byte, and true unless it is 0: external memory may contain any bytes, as in NumPy. Kernels that compute
   with bools first compare them with 0, at no measurable cost; their results are 0 or 1. Copies keep the byte. */

/* Templates name their functions after the element type: PASTE(add, float32) is add_float32. */
#define PASTE(a, b) PASTE_(a, b)
#define PASTE_(a, b) a##_##b
