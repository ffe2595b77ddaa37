/* Pooling of float32 and half precisions, and its gradients; see Note [Pooling] in pooling.inc. */
#include "spatial/pooling.h"

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define VECTOR floats
#define LOOSE loose_floats
#define INDEX int32_t
#define LOWEST -INFINITY
#include "spatial/pooling.inc"
#include "spatial/pooling_halves.inc"
