/* The plan of an optimizer's step. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* The step on n elements of each of a parameter's tensors. `numbers` are the launch's. A tensor that counts steps comes last. */
typedef void (*facula_update)(int64_t n, char *const *tensors, const double *numbers);

/* What changes a parameter's single numbers, at these addresses, after the step. */
typedef void (*facula_finish)(const int64_t *kept, const double *numbers);

struct facula_step {
    facula_update update;
    facula_finish finish; /* or NULL */
    int64_t parameters, itemsize;
    int64_t grain;    /* elements in a piece of work, counted through all parameters */
    int32_t serial;   /* one thread does it all */
    int32_t numbers;  /* doubles that come first in a launch */
    int32_t operands; /* tensors of a parameter, which have as many elements as one another */
    int32_t kept;     /* and single float32 numbers after those, the last of which counts the steps */
    int64_t ends[];   /* elements of all parameters up to the end of each */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_step(T, K, S, A, E) K(T, update) K(T, finish)
#define FACULA_NUMBERS_step ((double)plan->parameters)
