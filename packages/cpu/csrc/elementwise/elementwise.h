/* Limits shared by the kernels of elementwise plans and their planning. */
#pragma once
#include "elementwise/elementwise.cdef.h"
#include "runtime/kernel.h"
#include "runtime/shapes.h"

enum { MOST_OPERANDS = 16, TILE = 512, LARGEST_ITEM = 16, MOST_REPEATS = 3 };
enum { TURNED_ROWS = 16 /* of a piece, which tiles of transposed operands have at least */ };
enum { MOST_CONSTANTS = 16, MOST_TILES = 32, TILES_ROOM = 16384, MOST_READ = 6, MOST_STATE = 32 };

/* The kernel of a plan with operands of any form: scalars, strides, broadcasting. */
int64_t elementwise_any(const void *plan, int64_t *args);
