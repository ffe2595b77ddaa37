/* The plan of local response normalization and its gradient. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

enum { FACULA_RESPONSE_TILE = 4096 }; /* numbers of a tile and the rows around it */

/* x is contiguous: batch, channels, and `inner` elements of each. A window has `size` channels, of which up to `before`
   and `after` exist on either side of its own. */
struct facula_response {
    int64_t batch, channels, inner, size, before, after;
    int64_t rows, columns; /* of a tile: (rows + before + after) * columns numbers fit into the kernel's arrays */
    int64_t group;         /* tiles in a task */
    int64_t serial;
};

/* For files; see portable.h. */
#define FACULA_FIELDS_response(T, K, S, A, E)
#define FACULA_NUMBERS_response (0)
