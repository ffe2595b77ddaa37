/* The steps of SGD and Adam: optimizer.inc for each type. The numbers of a launch, in this order: */
#include "elements/math/functions.h"
#include "optimizers/optimizer.cdef.h"
#include "runtime/kernel.h"

/* d = sign * gradient + decay * p; buffer = keep * buffer + take * d; then p loses rate times the buffer, or with
   `ahead` (Nesterov) rate times (d + ahead * buffer), or without a buffer rate times d. */
enum { SGD_RATE, SGD_DECAY, SGD_SIGN, SGD_KEEP, SGD_TAKE, SGD_AHEAD };

/* d as above; mean and square are the running means of d and d * d with factors `first` and `second`; p is multiplied
   by `shrink` (AdamW's decay) and loses rate * mean / (sqrt(square) + epsilon), both means freed of their bias. */
enum { ADAM_RATE, ADAM_FIRST, ADAM_SECOND, ADAM_EPSILON, ADAM_DECAY, ADAM_SHRINK, ADAM_SIGN };

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "optimizers/optimizer.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "optimizers/optimizer.inc"
