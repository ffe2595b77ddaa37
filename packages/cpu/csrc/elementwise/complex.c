/* Elementwise operators of complex numbers: complex.inc for each type. <complex.h> defines names that we use for other
   purposes. */
#include <complex.h>
#include <math.h>
#undef complex
#undef I

#include "runtime/kernel.h"

#define T float _Complex
#define REAL float
#define MAKE(real, imaginary) CMPLXF(real, imaginary)
#define F(name) name##f
#define SUFFIX complex64
#define CODE COMPLEX64
#define REAL_CODE FLOAT32
#include "loops/loops.inc"
#include "loops/part_loop.inc"
#include "elements/complex.inc"
#include "loops/loops_end.inc"
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
#include "loops/loops.inc"
#include "loops/part_loop.inc"
#include "elements/complex.inc"
#include "loops/loops_end.inc"
