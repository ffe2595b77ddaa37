/* Sums of complex numbers. */
#include <complex.h>

#include "reductions/reduce.cdef.h"
#include "reductions/reduce_sums.h"
#include "runtime/kernel.h"

struct exact_complex {
    struct exact_sum real, imag;
};

static ALWAYS_INLINE struct exact_complex add_complex(struct exact_complex s, _Complex double x)
{
    return (struct exact_complex){add_exactly(s.real, creal(x)), add_exactly(s.imag, cimag(x))};
}

static ALWAYS_INLINE struct exact_complex join_complex(struct exact_complex s, struct exact_complex later)
{
    return (struct exact_complex){join_exactly(s.real, later.real), join_exactly(s.imag, later.imag)};
}

#define S _Complex float
#define SUFFIX complex64
#define CODE COMPLEX64
#define PART float
#define MAKE CMPLXF
#include "reductions/reduce_complex_sum.inc"

#define S _Complex double
#define SUFFIX complex128
#define CODE COMPLEX128
#define PART double
#define MAKE CMPLX
#include "reductions/reduce_complex_sum.inc"
