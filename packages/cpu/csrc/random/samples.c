/* Draws whose parameters are tensors: gamma, Poisson, binomial. Launch: n, parameters (one address or two), output, seed,
   offset; all contiguous, of one type. See Note [Draws by rejection] in rejection.h. */
#include <float.h>

#include "elements/rejection.h"
#include "random/samples.cdef.h"
#include "runtime/kernel.h"

#define SAMPLER(name, cost, T, suffix, code, least)                                                                 \
    static void name##_##suffix(int64_t first, int64_t n, const char *a_, const char *b_, char *o_, uint64_t seed, \
                                uint64_t offset)                                                                    \
    {                                                                                                               \
        const T *a = (const T *)a_, *b = (const T *)b_;                                                             \
        T *o = (T *)o_;                                                                                             \
        for (int64_t i = 0; i < n; i++) {                                                                           \
            struct stream stream = {.seed = seed, .offset = offset, .element = (uint64_t)(first + i)};              \
            o[i] = (T)name##_of((double)a[i], (double)b[i], &stream, least);                                        \
        }                                                                                                           \
    }                                                                                                               \
    FACULA_KERNEL(#name, name##_##suffix, cost, code)
#define SAMPLERS(name, cost)                             \
    SAMPLER(name, cost, float, float32, FLOAT32, FLT_MIN) \
    SAMPLER(name, cost, double, float64, FLOAT64, DBL_MIN)

SAMPLERS(gamma, 60000)
SAMPLERS(log_gamma, 60000)
SAMPLERS(poisson, 60000)
SAMPLERS(binomial, 80000)

/* -------------------------------------------------------------------------------------------------- launch */
struct work {
    const struct facula_samples *plan;
    const int64_t *args;
    int64_t grain;
};

static void sample_piece(void *context, int64_t index)
{
    const struct work *work = context;
    const struct facula_samples *plan = work->plan;
    const int64_t *args = work->args, n = args[0], from = index * work->grain, last = plan->parameters;
    const int64_t count = n - from < work->grain ? n - from : work->grain, bytes = from * plan->itemsize;
    plan->sample(from, count, (const char *)args[1] + bytes, (const char *)args[last] + bytes,
                 (char *)args[last + 1] + bytes, (uint64_t)args[last + 2], (uint64_t)args[last + 3]);
}

static int64_t samples(const void *plan_, int64_t *args)
{
    const struct facula_samples *plan = plan_;
    const int64_t n = args[0];
    struct work work = {plan, args, n};
    if (n <= plan->serial) {
        if (n > 0)
            sample_piece(&work, 0);
        return FACULA_OK;
    }
    work.grain = (plan->grain + 63) / 64 * 64;
    facula_parallel((n + work.grain - 1) / work.grain, sample_piece, &work);
    return FACULA_OK;
}

FACULA_KERNEL("samples", samples, 0, 0)
