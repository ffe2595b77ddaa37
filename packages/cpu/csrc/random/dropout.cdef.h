/* The plan of dropout. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Processes elements first .. first + n - 1, and drops that share of them. `first` is a multiple of 64. */
typedef void (*facula_dropper)(int64_t first, int64_t n, const char *x, char *o, double share, uint64_t seed,
                               uint64_t offset);

struct facula_dropout {
    facula_dropper drop;
    int64_t itemsize, serial, grain; /* as for random operators */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_dropout(T, K, S, A, E) K(T, drop)
#define FACULA_NUMBERS_dropout (0)
