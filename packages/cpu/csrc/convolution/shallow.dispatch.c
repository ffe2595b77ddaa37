/* Convolutions of few channels; see Note [Shallow] in shallow.inc. Requires contraction to fused multiply-adds. */
#include "runtime/kernel.h"

#include <stdatomic.h>
#include <string.h>

#include "products/gemm_rows.h"
#include "runtime/vector.h"
#include "convolution/even_odd.h"
#include "convolution/shallow.cdef.h"

#define LANES ((int)(VECTOR_BYTES / sizeof(T)))

/* SUM_BLOCK terms are added one by one: longer sums round more. */
enum { SUM_BLOCK = 320, MOST_VECTORS = 4, FEW_ROWS = MOST_ROWS == 14 ? 3 : 2 };

/* Filters and taps of the weights' gradient whose sums are in registers, next to the operands. */
#if VECTOR_BYTES == 64
#define SUM_FILTERS 4
#define EACH_SUM_FILTERS(X) X(1) X(2) X(3) X(4)
#else
#define SUM_FILTERS 2
#define EACH_SUM_FILTERS(X) X(1) X(2)
#endif
#define SUM_TAPS 6

#define T float
#define SUFFIX float
#define VECTOR floats
#define LOOSE loose_floats
#define INTEGER int32_t
#define LOAD_PART load_floats
#define STORE_PART store_floats
#if VECTOR_BYTES == 64
#define LIST LIST_16
#elif VECTOR_BYTES == 32
#define LIST LIST_8
#else
#define LIST LIST_4
#endif
#include "convolution/shallow.inc"
#undef T
#undef SUFFIX
#undef VECTOR
#undef LOOSE
#undef INTEGER
#undef LOAD_PART
#undef STORE_PART
#undef LIST

#define T double
#define SUFFIX double
#define VECTOR doubles
#define LOOSE loose_doubles
#define INTEGER int64_t
#define LOAD_PART load_doubles
#define STORE_PART store_doubles
#if VECTOR_BYTES == 64
#define LIST LIST_8
#elif VECTOR_BYTES == 32
#define LIST LIST_4
#else
#define LIST LIST_2
#endif
#include "convolution/shallow.inc"

FACULA_KERNEL("conv2d_shallow", conv2d_shallow_float, 0, FLOAT32)
FACULA_KERNEL("conv2d_shallow", conv2d_shallow_double, 0, FLOAT64)
FACULA_KERNEL("conv2d_input_shallow", conv2d_input_shallow_float, 0, FLOAT32)
FACULA_KERNEL("conv2d_input_shallow", conv2d_input_shallow_double, 0, FLOAT64)
FACULA_KERNEL("conv2d_weight_shallow", conv2d_weight_shallow_float, 0, FLOAT32)
FACULA_KERNEL("conv2d_weight_shallow", conv2d_weight_shallow_double, 0, FLOAT64)
