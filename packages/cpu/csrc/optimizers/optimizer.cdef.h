/* The plan of an optimizer's step. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Runs the step on n elements of each tensor of a parameter. `numbers`: those of the launch. A step count comes
   last. */
typedef void (*facula_update)(int64_t n, char *const *tensors, const double *numbers);

/* Updates a parameter's single numbers, at these addresses, after the step. */
typedef void (*facula_finish)(const int64_t *kept, const double *numbers);

struct facula_step {
    facula_update update;
    facula_finish finish; /* or NULL */
    int64_t parameters, itemsize;
    int64_t grain;    /* elements in a piece of work, counted over all parameters */
    int32_t serial;   /* run on one thread */
    int32_t numbers;  /* number of doubles at the start of a launch */
    int32_t operands; /* number of tensors of a parameter, all of the same size */
    int32_t kept;     /* number of single float32 values after those tensors; the last one counts the steps */
    int64_t ends[];   /* per parameter: the number of elements up to its end */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_step(T, K, S, A, E) K(T, update) K(T, finish)
#define FACULA_NUMBERS_step ((double)plan->parameters)
