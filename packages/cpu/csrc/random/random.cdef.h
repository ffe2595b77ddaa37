/* The plan of a random operator. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Stores elements first .. first + n - 1 of a draw at `address`. `first` is a multiple of 64. `scalars` are those of
   the launch: seed, offset, and the distribution's parameters. */
typedef void (*facula_draw)(int64_t first, int64_t n, int64_t address, const int64_t *scalars);

struct facula_random {
    facula_draw draw;
    int64_t itemsize;
    int64_t serial; /* up to this number of elements, run on one thread */
    int64_t grain;  /* minimum number of elements in a piece of work */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_random(T, K, S, A, E) K(T, draw)
#define FACULA_NUMBERS_random (0)
