/* Gathering and scattering, taking and putting: elements of an array by integer indices. */
#include "runtime/kernel.h"

#include <complex.h>
#include <stdatomic.h>
#include <string.h>

#include "elements/half.h"
#include "indexing/gather.cdef.h"
#include "indexing/index.cdef.h"
#include "runtime/library.cdef.h"
#include "runtime/vector.h"

enum { PIECE = 1 << 18 }; /* bytes of an array that a task initializes */

#include "indexing/runs.inc"
#include "indexing/gather.inc"
#include "indexing/index.inc"
