/* Elementwise operators of complex numbers: complex.inc for each type. <complex.h> defines names that we use for other
   purposes. */
#include <complex.h>
#include <math.h>
#undef complex
#undef I

#include "elements/math/exponents.h"
#include "elements/math/functions.h"
#include "runtime/kernel.h"

/* GCC 12 contracts the products of vectorized complex products, whatever -ffp-contract says. Earlier releases neither
   do nor know the barrier. */
#if __GNUC__ >= 12
#define ROUNDED(x) __builtin_assoc_barrier(x)
#endif
/* The C library's are not vectorized. */
#define cabsf(x) hypot_float32(crealf(x), cimagf(x))
#define cabs(x) hypot_float64(creal(x), cimag(x))

#define T float _Complex
#define REAL float
#define MAKE(real, imaginary) CMPLXF(real, imaginary)
#define F(name) name##f
#define SUFFIX complex64
#define CODE COMPLEX64
#define REAL_CODE FLOAT32
#include "elementwise/complex_loops.inc"
#undef REAL
#undef MAKE
#undef F
#undef REAL_CODE

#define T double _Complex
#define REAL double
#define MAKE(real, imaginary) CMPLX(real, imaginary)
#define F(name) name
#define SUFFIX complex128
#define CODE COMPLEX128
#define REAL_CODE FLOAT64
#include "elementwise/complex_loops.inc"
