/* The plan of Fourier transforms. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

enum { FACULA_FFT_COMPLEX, FACULA_FFT_HALF, FACULA_FFT_WHOLE, FACULA_FFT_REAL };
enum { FACULA_FFT_FACTORS = 24 };

/* A transform along one dimension. Steps are in real numbers. See Note [Fourier transforms] in fft.dispatch.c. */
struct facula_fft_pass {
    int64_t numbers;       /* 8-byte numbers of the pass: this struct, its nest and its tables */
    int64_t kind;          /* complex to complex; real to half of the frequencies, or to all; half to real */
    int64_t n, length;     /* numbers in a line, and in the complex transform: half as many for even real lines */
    int64_t padded;        /* the length of its convolutions if `length` has a large prime factor, otherwise 0 */
    int64_t rows, columns; /* factors of `padded` or `length`; a short one has one column */
    int64_t inverse;
    double scale;          /* factor of the results */
    int64_t source, target; /* arguments */
    int64_t source_step, target_step;
    int64_t lines, group, serial; /* lines in a task */
    int64_t factors[24], column_factors[24]; /* of rows and of columns, then 0 */
    int64_t batch_dims;    /* dimensions of the nest: extent, step of the source, step of the target; innermost first */
};

struct facula_fft {
    int64_t passes, numbers;
    int64_t data[]; /* the passes */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_fft(T, K, S, A, E)
#define FACULA_NUMBERS_fft ((double)plan->numbers)
