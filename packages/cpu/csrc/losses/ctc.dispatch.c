/* Connectionist temporal classification: the loss, and its gradient.

   A. Graves and others: Connectionist temporal classification, 2006.

   Note [States]
   ~~~~~~~~~~~~~
   The states of an example with targets a b b are  _ a _ b _ b _ , where _ is blank. From a step to the next one a path
   stays, goes on by one state, or by two where that skips a blank between different targets. `alpha` of a state is the
   logarithm of the probability of all paths from the start that are there now; `beta` that of the paths from there to
   the end, without the probability of now. Their sum, less the logarithm of all paths, is the share of the paths that
   pass there.

   All states of a step are computed from those of the step before, so they are computed side by side: rows have two
   states that nothing reaches before or after them. Targets are copied and checked anew for each example: whatever
   changes meanwhile, a class is one of the classes. */
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
