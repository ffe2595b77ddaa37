/* The plan of Adafactor's step. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* The step of one parameter of `sizes`: how many matrices, their rows and columns. `tensors` are the addresses of the
   parameter, its gradient, what is kept of it and the count of steps; `numbers` are the launch's. */
typedef void (*facula_adafactor_update)(const int64_t *sizes, char *const *tensors, const double *numbers);

struct facula_adafactor {
    facula_adafactor_update update;
    int64_t parameters;
    int32_t serial;  /* one thread does it all */
    int32_t width;   /* addresses of a parameter */
    int64_t sizes[]; /* three for each parameter */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_adafactor(T, K, S, A, E) K(T, update)
#define FACULA_NUMBERS_adafactor (3.0 * plan->parameters)
