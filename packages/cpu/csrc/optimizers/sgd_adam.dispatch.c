/* The steps of SGD and Adam, for each type. The numbers of a launch, in this order: */
#include "elements/math/functions.h"
#include "optimizers/optimizer.cdef.h"
#include "runtime/kernel.h"

/* d = sign * gradient + decay * p; buffer = keep * buffer + take * d. Then p decreases by rate times the buffer,
   with `ahead` (Nesterov) by rate times (d + ahead * buffer), or without a buffer by rate times d. */
enum { SGD_RATE, SGD_DECAY, SGD_SIGN, SGD_KEEP, SGD_TAKE, SGD_AHEAD };

/* d as above; mean and square are the running means of d and d * d with factors `first` and `second`. p is
   multiplied by `shrink` (AdamW's decay) and decreases by rate * mean / (sqrt(square) + epsilon), with
   bias-corrected means. */
enum { ADAM_RATE, ADAM_FIRST, ADAM_SECOND, ADAM_EPSILON, ADAM_DECAY, ADAM_SHRINK, ADAM_SIGN };

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "optimizers/sgd_adam.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "optimizers/sgd_adam.inc"
