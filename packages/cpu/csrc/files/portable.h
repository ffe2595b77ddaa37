/* Every struct of a plan, for files that contain plans.

   Each header declares the pointers of its struct NAME in FACULA_FIELDS_NAME(T, K, S, A, E): K(T, field) points to a
   row of the kernel table, S(T, field, struct) to another plan, A(T, field) to an array of numbers; E(T, array, field)
   is the field of each element of the array at its end. FACULA_NUMBERS_NAME counts the 8-byte numbers at its end,
   as a double: a file may contain any number. */
#pragma once
#include "copies/moves.cdef.h"
#include "copies/transposing_copy.cdef.h"
#include "elementwise/elementwise.cdef.h"
#include "files/portable.cdef.h"
#include "indexing/gather.cdef.h"
#include "indexing/index.cdef.h"
#include "linalg/elimination.cdef.h"
#include "products/matmul.cdef.h"
#include "linalg/triangle.cdef.h"
#include "linalg/triangular_solve.cdef.h"
#include "lines/lines.cdef.h"
#include "losses/cross_entropy.cdef.h"
#include "losses/ctc.cdef.h"
#include "normalization/batch_norm.cdef.h"
#include "normalization/layer_norm.cdef.h"
#include "normalization/response.cdef.h"
#include "normalization/softmax.cdef.h"
#include "optimizers/adafactor.cdef.h"
#include "optimizers/optimizer.cdef.h"
#include "random/dropout.cdef.h"
#include "random/random.cdef.h"
#include "random/samples.cdef.h"
#include "reductions/reduce.cdef.h"
#include "sequences/attention.cdef.h"
#include "sequences/recurrent.cdef.h"
#include "convolution/convolution.cdef.h"
#include "convolution/depthwise.cdef.h"
#include "spatial/pooling.cdef.h"
#include "spatial/resample.cdef.h"
#include "convolution/shallow.cdef.h"
#include "spatial/taps.cdef.h"
#include "convolution/winograd.cdef.h"
#include "spectral/fft.cdef.h"

#define FACULA_EACH_PLAN(X)                                                                                      \
    X(adafactor) X(attention) X(batch_norm) X(convolution) X(cross_entropy) X(ctc) X(depthwise) X(dropout)       \
    X(elementwise) X(elimination) X(fft) X(gather) X(index) X(lines) X(matmul) X(merge) X(moves) X(pooling)       \
    X(positions) X(program) X(random) X(recurrent) X(reduce) X(resample) X(response) X(row_norm) X(samples) X(shallow)  \
    X(softmax) X(step) X(taps) X(transpose) X(triangle) X(triangular_solve) X(winograd)
