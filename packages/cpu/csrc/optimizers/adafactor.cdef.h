/* The plan of Adafactor's step. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Runs the step of one parameter. `sizes`: number of matrices, rows and columns. `tensors`: the addresses of the
   parameter, its gradient, its state and the step count. `numbers`: those of the launch. */
typedef void (*facula_adafactor_update)(const int64_t *sizes, char *const *tensors, const double *numbers);

struct facula_adafactor {
    facula_adafactor_update update;
    int64_t parameters;
    int32_t serial;  /* run on one thread */
    int32_t width;   /* addresses per parameter */
    int64_t sizes[]; /* three per parameter */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_adafactor(T, K, S, A, E) K(T, update)
#define FACULA_NUMBERS_adafactor (3.0 * plan->parameters)
