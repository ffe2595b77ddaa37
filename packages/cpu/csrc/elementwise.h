/* Limits that the kernels of elementwise plans and their planning share. */
#pragma once
#include "kernel.h"

enum { MOST_OPERANDS = 6, MOST_DIMS = 64, TILE = 512, LARGEST_ITEM = 16, MOST_REPEATS = 2 };
