/* What the files of pooling share, one for each dtype: together they would take long to compile. */
#pragma once
#include "runtime/kernel.h"

#include <math.h>
#include <string.h>

#include "runtime/vector.h"
#include "spatial/pooling.cdef.h"

enum {
    MAX_STRIDE = 4, /* between columns of lines */
    LINE = 2048,    /* elements of a line */
    STRIP = 256,    /* windows of a line */
    TURNED = 1024,  /* elements of planes that are transposed */
    HALVES = 4096   /* intermediate results: maxima of lines, sums of rows, lines of gradients */
};

/* Calls one(stride), a macro, with a constant. */
#define BY_STRIDE(stride, one) (stride) == 1 ? one(1) : (stride) == 2 ? one(2) : (stride) == 3 ? one(3) : one(4)
