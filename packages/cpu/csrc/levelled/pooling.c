/* Pooling and its gradients; see Note [Pooling] in pooling.inc. */
#include "../kernel.h"

#include <string.h>

#include "../plans/pooling.h"

#define S float
#define SUFFIX float32
#define CODE FLOAT32
#define INDEX int32_t
#include "../pooling.inc"

#define S double
#define SUFFIX float64
#define CODE FLOAT64
#define INDEX int64_t
#include "../pooling.inc"
