/* The distribution function of the gamma distribution, and derivatives of gamma and beta draws: see distributions.h. */
#include "elements/math/distributions.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "loops/loops.inc"
BINARY(gamma_share, 200000, (T)gamma_share(x, y))
BINARY(standard_gamma_grad, 150000, (T)gamma_slope(x, y, 1e-10))
TERNARY(beta_grad, 400000, (T)beta_slope(x, y, z))
#include "loops/loops_end.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "loops/loops.inc"
BINARY(gamma_share, 100000, (T)gamma_share(x, y))
BINARY(standard_gamma_grad, 100000, (T)gamma_slope(x, y, 1e-16))
TERNARY(beta_grad, 200000, (T)beta_slope(x, y, z))
#include "loops/loops_end.inc"
