/* The plan of a random operator. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Elements first .. first + n - 1 of a draw, to `address`. `first` is a multiple of 64. `scalars` are the launch's: seed,
   offset, and the distribution's parameters. */
typedef void (*facula_draw)(int64_t first, int64_t n, int64_t address, const int64_t *scalars);

struct facula_random {
    facula_draw draw;
    int64_t itemsize;
    int64_t serial; /* up to so many elements one thread does it all */
    int64_t grain;  /* elements in a piece of work, at least */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_random(T, K, S, A, E) K(T, draw)
#define FACULA_NUMBERS_random (0)
