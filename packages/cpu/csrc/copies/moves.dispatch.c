/* Copies and additions of elements between arrays of any strides, in boxes.

   Note [Moves]
   ~~~~~~~~~~~~
   Flips, rolls, padding, repetition, windows and shuffles are strided copies of boxes of elements, and so are their
   gradients, which add where elements were copied several times. All boxes of a piece are moved before the next piece
   begins: pieces fit in the L1 cache, so a line that several boxes touch is read and written once. Elements that boxes
   add to are first filled, or copied by another box; the order of boxes is that of the sums, for any number of threads.

   Runs of elements are short, often shorter than a vector, and they may be reversed, strided or interleaved. So the
   innermost two dimensions are moved by loops for each of these patterns (moves.inc). */
#include "copies/moves.cdef.h"
#include "copies/run.h"
#include "runtime/kernel.h"

enum { MOST_OUTER = 64, MOST_BOX = 64, BAND = 1 << 15 /* bytes */ };

struct work {
    const struct facula_moves *plan;
    const int64_t *box; /* if the task is a part of a box */
    int64_t source, target, band;
};

#define T uint8_t
#define SIZE 1
#include "copies/moves.inc"

#define T uint16_t
#define SIZE 2
#include "copies/moves.inc"

#define T float
#define SIZE 4
#define LANES floats
#define LOOSE loose_floats
#define LOAD load_floats
#define STORE store_floats
#define INDEX int32_t
#include "copies/moves.inc"

#define T double
#define SIZE 8
#define LANES doubles
#define LOOSE loose_doubles
#define LOAD load_doubles
#define STORE store_doubles
#define INDEX int64_t
#include "copies/moves.inc"

struct sixteen {
    uint64_t low, high;
};
#define T struct sixteen
#define SIZE 16
#include "copies/moves.inc"

FACULA_KERNEL("moves", moves_1, 200, 1)
FACULA_KERNEL("moves", moves_2, 200, 2)
FACULA_KERNEL("moves", moves_4, 200, 4)
FACULA_KERNEL("moves", moves_8, 400, 8)
FACULA_KERNEL("moves", moves_16, 800, 16)
