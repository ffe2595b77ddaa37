/* Elementwise operators of booleans: bool.inc. */
#include "runtime/kernel.h"

#define T uint8_t
#define SUFFIX bool
#define CODE BOOL
#include "loops/loops.inc"
#include "elements/bool.inc"
#include "loops/loops_end.inc"
