/* Note [Fourier transforms]
   ~~~~~~~~~~~~~~~~~~~~~~~~~
   A plan has one pass per dimension; all passes after the first one work in place. A pass transforms lines.

   * Vectors contain the same element of several lines: a block. Real and imaginary parts are in vectors of their own, so
     that butterflies are sums and products of whole vectors. Factors of the length follow one another as in Stockham's
     algorithm, from one buffer to another, which leaves the results in order (fft_butterflies.inc).
   * A long line is a matrix of rows * columns: vectors contain adjacent columns. The columns are transformed,
     multiplied by twiddles, transposed, and transformed again (D. H. Bailey, 1990), each part in the first cache. Threads
     divide the columns, then the rows, where there is only one line.
   * Lines of real numbers are pairs of even and odd elements: complex lines of half the length.
   * Lengths with a prime factor above FFT_LARGEST are convolutions with a chirp (L. Bluestein, 1970).
   * Inverse transforms exchange the real and the imaginary parts of the source and of the results.

   The method depends only on the length, and lanes do not affect one another. So the bits of a line depend neither on
   the other lines, nor on strides and threads. Tables contain double precision, rounded once; the planner computes
   them. */
#include <stdlib.h>
#include <string.h>

#include "runtime/kernel.h"
#include "runtime/vector.h"
#include "spectral/fft.cdef.h"
#include "spectral/fft_tables.h"

enum source_kind { BUFFER, PLANES, PAIRED }; /* see fft_butterflies.inc */
enum {
    STACK = 1 << 16, /* bytes of scratch on the stack */
    SPLIT = 1 << 15, /* the shortest line that threads divide, */
    LINE_TASKS = 16, /* into so many tasks, twice */
};

#define PAIR(i) (i), LANES + (i)
#define PAIRS_2(i) PAIR(i), PAIR((i) + 1)
#define PAIRS_4(i) PAIRS_2(i), PAIRS_2((i) + 2)
#define PAIRS_8(i) PAIRS_4(i), PAIRS_4((i) + 4)
#define TWICE_2(i) TWICE_OF(i), TWICE_OF((i) + 4)
#define TWICE_OF(i) (i), (i) + 2
#define TWICE_4(i) TWICE_2(i), TWICE_2((i) + 8)
#define TWICE_8(i) TWICE_4(i), TWICE_4((i) + 16)

#define EACH_1(i, a, b) (i) + (a), (i) + (b)
#define EACH_2(i, a, b) EACH_1(i, a, b), EACH_1((i) + 2, a, b)
#define EACH_4(i, a, b) EACH_2(i, a, b), EACH_2((i) + 4, a, b)
#define EACH_8(i, a, b) EACH_4(i, a, b), EACH_4((i) + 8, a, b)
#define UNITS_OF(i) (i), (i) + 1, LANES + (i), LANES + (i) + 1
#define UNITS_2(i) UNITS_OF(i), UNITS_OF((i) + 2)
#define UNITS_4(i) UNITS_2(i), UNITS_2((i) + 4)

#define S float
#define V floats
#define LOOSE loose_floats
#define LANES (VECTOR_BYTES / 4)
#define INDEX int32_t
#define SUFFIX float32
#define REAL FLOAT32
#define COMPLEX COMPLEX64
#define COST 100
#define LOAD_PART load_floats
#define STORE_PART store_floats
#if VECTOR_BYTES == 64
#define LOWER PAIRS_8(0)
#define UPPER PAIRS_8(8)
#define EVEN TWICE_8(0)
#define ODD TWICE_8(1)
#define EACH_PAIR EACH_8
#define UNITS_LOWER UNITS_4(0)
#define UNITS_UPPER UNITS_4(8)
#elif VECTOR_BYTES == 32
#define LOWER PAIRS_4(0)
#define UPPER PAIRS_4(4)
#define EVEN TWICE_4(0)
#define ODD TWICE_4(1)
#define EACH_PAIR EACH_4
#define UNITS_LOWER UNITS_OF(0), UNITS_OF(4)
#define UNITS_UPPER UNITS_OF(2), UNITS_OF(6)
#define LOWER_APART PAIRS_2(0), PAIRS_2(4)
#define UPPER_APART PAIRS_2(2), PAIRS_2(6)
#define FIRST_HALVES 0, 1, 2, 3, 8, 9, 10, 11
#define SECOND_HALVES 4, 5, 6, 7, 12, 13, 14, 15
#else
#define LOWER PAIRS_2(0)
#define UPPER PAIRS_2(2)
#define EVEN TWICE_2(0)
#define ODD TWICE_2(1)
#define EACH_PAIR EACH_2
#define UNITS_LOWER UNITS_OF(0)
#define UNITS_UPPER UNITS_OF(2)
#endif
#include "spectral/fft.inc"

#define S double
#define V doubles
#define LOOSE loose_doubles
#define LANES (VECTOR_BYTES / 8)
#define INDEX int64_t
#define SUFFIX float64
#define REAL FLOAT64
#define COMPLEX COMPLEX128
#define COST 200
#define LOAD_PART load_doubles
#define STORE_PART store_doubles
#if VECTOR_BYTES == 64
#define LOWER PAIRS_4(0)
#define UPPER PAIRS_4(4)
#define EVEN TWICE_4(0)
#define ODD TWICE_4(1)
#define EACH_PAIR EACH_4
#define UNITS_LOWER UNITS_2(0)
#define UNITS_UPPER UNITS_2(4)
#elif VECTOR_BYTES == 32
#define LOWER PAIRS_2(0)
#define UPPER PAIRS_2(2)
#define EVEN TWICE_2(0)
#define ODD TWICE_2(1)
#define EACH_PAIR EACH_2
#define LOWER_APART PAIR(0), PAIR(2)
#define UPPER_APART PAIR(1), PAIR(3)
#define FIRST_HALVES 0, 1, 4, 5
#define SECOND_HALVES 2, 3, 6, 7
#else
#define LOWER PAIR(0)
#define UPPER PAIR(1)
#define EVEN TWICE_OF(0)
#define ODD TWICE_OF(1)
#define EACH_PAIR EACH_1
#endif
#include "spectral/fft.inc"
