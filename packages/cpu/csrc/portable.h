/* Every struct of csrc/plans, for files that keep plans.

   Each header says beside its struct NAME what pointers it has, FACULA_FIELDS_NAME(T, K, S, A, E): K(T, field) points to a
   row of the kernel table, S(T, field, struct) to another plan, A(T, field) to an array of numbers; E(T, array, field)
   stands for the field of each element of the array at its end. FACULA_NUMBERS_NAME counts the 8-byte numbers at its end,
   as a double: what a file says may be anything. */
#pragma once
#include "plans/adafactor.h"
#include "plans/attention.h"
#include "plans/batch_norm.h"
#include "plans/convolution.h"
#include "plans/cross_entropy.h"
#include "plans/ctc.h"
#include "plans/dropout.h"
#include "plans/elementwise.h"
#include "plans/gather.h"
#include "plans/index.h"
#include "plans/layer_norm.h"
#include "plans/lines.h"
#include "plans/matmul.h"
#include "plans/optimizer.h"
#include "plans/pooling.h"
#include "plans/portable.h"
#include "plans/random.h"
#include "plans/recurrent.h"
#include "plans/reduce.h"
#include "plans/resample.h"
#include "plans/samples.h"
#include "plans/softmax.h"
#include "plans/taps.h"
#include "plans/transposing_copy.h"
#include "plans/triangle.h"
#include "plans/triangular_solve.h"

#define FACULA_EACH_PLAN(X)                                                                                      \
    X(adafactor) X(attention) X(batch_norm) X(convolution) X(cross_entropy) X(ctc) X(dropout) X(elementwise)     \
    X(gather) X(index) X(lines) X(matmul) X(pooling) X(positions) X(program) X(random) X(recurrent) X(reduce)    \
    X(resample) X(row_norm) X(samples) X(softmax) X(step) X(taps) X(transpose) X(triangle) X(triangular_solve)
