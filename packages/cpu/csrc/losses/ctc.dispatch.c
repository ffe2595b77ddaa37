/* Connectionist temporal classification: the loss, and its gradient.

   A. Graves and others: Connectionist temporal classification, 2006.

   Note [States]
   ~~~~~~~~~~~~~
   The states of an example with targets a b b are  _ a _ b _ b _ , where _ is blank. From one step to the next a
   path stays, advances by one state, or by two if that skips a blank between different targets. `alpha` of a state
   is the logarithm of the probability of all paths from the start to it; `beta` that of all paths from it to the
   end, without the probability of the present step. Their sum, minus the logarithm of all paths, is the fraction of
   paths that pass through the state.

   All states of a step depend only on the previous step, so they are computed as vectors: rows are padded by two
   unreachable states on each side. Each example copies its targets and checks the copies again, so concurrent
   changes cannot produce a class out of range. */
#include <string.h>

#include "elements/math/functions.h"
#include "losses/ctc.cdef.h"
#include "runtime/kernel.h"

#define T float
#define SUFFIX float32
#define CODE FLOAT32
#include "losses/ctc.inc"

#define T double
#define SUFFIX float64
#define CODE FLOAT64
#include "losses/ctc.inc"
