/* The plans of batch normalisation. Read by the compiler and by cffi: declarations only. */
#pragma once
#include <stdint.h>

/* Addresses of a kernel's operands. The operands with one number per channel, such as weight, may be NULL. */
struct facula_norm_operands {
    const char *x, *g, *weight, *bias;
    char *mean, *variance; /* running statistics, updated in training */
    char *o, *kept_mean, *kept_inverse, *weight_gradient, *bias_gradient;
    double momentum, epsilon;
};

struct facula_batch_norm;

/* Operands in the half precision of the elements; others of channels, and all results, are then float32. */
enum { FACULA_NARROW_WEIGHT = 1, FACULA_NARROW_BIAS = 2, FACULA_NARROW_MEAN = 4, FACULA_NARROW_VARIANCE = 8 };

/* Processes `count` channels, starting with channel `first`. */
typedef void (*facula_norm)(const struct facula_batch_norm *plan, const struct facula_norm_operands *at, int64_t first,
                            int64_t count);

/* x is contiguous: batch, channels, and `inner` elements of each. */
struct facula_batch_norm {
    facula_norm run;
    int64_t batch, channels, inner;
    int64_t group; /* channels in a task */
    int32_t serial, form; /* form: 0 training, 1 with statistics given, 2 gradients, 3 training with a count */
    int64_t narrow;       /* of those bits */
};

/* For files; see portable.h. */
#define FACULA_FIELDS_batch_norm(T, K, S, A, E) K(T, run)
#define FACULA_NUMBERS_batch_norm (0)
