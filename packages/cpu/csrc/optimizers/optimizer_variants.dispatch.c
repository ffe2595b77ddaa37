/* The steps of RMSprop, Adadelta, Adagrad, Adamax, NAdam, RAdam, ASGD and Rprop: optimizer_variants.inc for each type. */
#include "elements/math/functions.h"
#include "optimizers/optimizer.cdef.h"
#include "optimizers/optimizer_numbers.h"
#include "runtime/kernel.h"

/* Dozat 2016: the weight of the mean in the step with this number. */
static double nadam_factor(const double *numbers, double count)
{
    return numbers[NADAM_FIRST] * (1 - 0.5 * pow(0.96, count * numbers[NADAM_WARMING]));
}

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "optimizers/optimizer_variants.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "optimizers/optimizer_variants.inc"
