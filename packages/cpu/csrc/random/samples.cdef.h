/* The plan of draws whose parameters are tensors. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Stores elements first .. first + n - 1 of a draw in `o`, for the parameters a and b (b == a if there is only one). */
typedef void (*facula_sampler)(int64_t first, int64_t n, const char *a, const char *b, char *o, uint64_t seed,
                               uint64_t offset);

struct facula_samples {
    facula_sampler sample;
    int64_t itemsize, parameters;
    int64_t serial, grain; /* as for random operators */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_samples(T, K, S, A, E) K(T, sample)
#define FACULA_NUMBERS_samples (0)
