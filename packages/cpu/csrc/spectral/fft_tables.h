/* The tables at the end of a pass, in the order of their declaration: pairs of cosines and sines, in the precision of
   the transform. */
#pragma once
#include <stdint.h>

#include "spectral/fft.cdef.h"

enum {
    FFT_LANES = 16,   /* the most numbers in a vector: tables and scratch have room for one after their end */
    FFT_LARGEST = 37, /* the largest prime factor that is computed by its definition */
};

/* Places of tables, in real numbers after the nest. */
struct fft_tables {
    int64_t rows, columns; /* of each factor: its roots of unity if it is odd, then its twiddles */
    int64_t middle;        /* between rows and columns: all cosines, then all sines */
    int64_t halves;        /* of real lines, likewise */
    int64_t chirp, spectrum;
    int64_t end;
};

/* Returns the real numbers of the tables of the factors of `length`. */
static inline int64_t fft_factor_table(const int64_t *factors, int64_t length)
{
    int64_t total = 0;
    for (int i = 0; i < FACULA_FFT_FACTORS && factors[i] > 1; i++) {
        length /= factors[i];
        total += (factors[i] % 2 ? 2 * factors[i] : 0) + 2 * length * (factors[i] - 1);
    }
    return total;
}

static inline struct fft_tables fft_tables_of(const struct facula_fft_pass *p)
{
    struct fft_tables t = {0};
    t.columns = t.rows + fft_factor_table(p->factors, p->rows);
    t.middle = t.columns + fft_factor_table(p->column_factors, p->columns);
    t.halves = t.middle + (p->columns > 1 ? 2 * p->rows * p->columns : 0);
    t.chirp = t.halves + (p->length < p->n ? 2 * p->length : 0);
    t.spectrum = t.chirp + (p->padded ? 2 * p->length : 0);
    t.end = t.spectrum + 2 * p->padded + FFT_LANES;
    return t;
}
