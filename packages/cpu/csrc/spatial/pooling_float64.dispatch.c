/* Pooling of float64 and its gradients; see Note [Pooling] in pooling.inc. */
#include "spatial/pooling.h"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define VECTOR doubles
#define LOOSE loose_doubles
#define INDEX int64_t
#define LOWEST -INFINITY
#include "spatial/pooling.inc"
