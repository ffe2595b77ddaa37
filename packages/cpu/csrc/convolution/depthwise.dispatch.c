/* Depthwise convolutions; see Note [Depthwise] in depthwise.inc. Requires contraction to fused multiply-adds. */
#include "runtime/kernel.h"

#include <string.h>

#include "runtime/vector.h"
#include "convolution/depthwise.cdef.h"
#include "convolution/even_odd.h"

enum { FILTERS = 4 }; /* of a channel, that are computed at once */

#define LOWER(lane) (lane) / 2 + (lane) % 2 * LANES
#define UPPER(lane) LANES / 2 + (lane) / 2 + (lane) % 2 * LANES

#define T float
#define SUFFIX float
#define VECTOR floats
#define LOOSE loose_floats
#define INTEGER int32_t
#define LOAD_PART load_floats
#define STORE_PART store_floats
#if VECTOR_BYTES == 64
#define LANES 16
#define LIST LIST_16
#elif VECTOR_BYTES == 32
#define LANES 8
#define LIST LIST_8
#else
#define LANES 4
#define LIST LIST_4
#endif
#include "convolution/depthwise.inc"
#undef T
#undef SUFFIX
#undef VECTOR
#undef LOOSE
#undef INTEGER
#undef LOAD_PART
#undef STORE_PART
#undef LANES
#undef LIST

#define T double
#define SUFFIX double
#define VECTOR doubles
#define LOOSE loose_doubles
#define INTEGER int64_t
#define LOAD_PART load_doubles
#define STORE_PART store_doubles
#if VECTOR_BYTES == 64
#define LANES 8
#define LIST LIST_8
#elif VECTOR_BYTES == 32
#define LANES 4
#define LIST LIST_4
#else
#define LANES 2
#define LIST LIST_2
#endif
#include "convolution/depthwise.inc"

FACULA_KERNEL("depthwise", depthwise_float, 0, FLOAT32)
FACULA_KERNEL("depthwise", depthwise_double, 0, FLOAT64)
FACULA_KERNEL("depthwise_input", depthwise_input_float, 0, FLOAT32)
FACULA_KERNEL("depthwise_input", depthwise_input_double, 0, FLOAT64)
FACULA_KERNEL("depthwise_weight", depthwise_weight_float, 0, FLOAT32)
FACULA_KERNEL("depthwise_weight", depthwise_weight_double, 0, FLOAT64)
