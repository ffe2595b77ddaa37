/* Random operators: runs a draw over a contiguous output, in parallel. Launch: n, output, seed, offset, parameters.

   Note [Random numbers]
   ~~~~~~~~~~~~~~~~~~~~~
   Element number i of a draw depends only on the seed, the offset and i (see philox.h), so neither threads nor
   strides nor earlier draws change it. A generator gives each draw a different offset. */
#include "random/random.cdef.h"
#include "runtime/kernel.h"

struct work {
    const struct facula_random *plan;
    const int64_t *args;
    int64_t grain;
};

static void draw_piece(void *context, int64_t index)
{
    const struct work *work = context;
    int64_t n = work->args[0], from = index * work->grain, count = n - from < work->grain ? n - from : work->grain;
    work->plan->draw(from, count, work->args[1] + from * work->plan->itemsize, work->args + 2);
}

static int64_t random_kernel(const void *plan_, int64_t *args)
{
    const struct facula_random *plan = plan_;
    int64_t n = args[0];
    struct work work = {plan, args, n};
    if (n <= plan->serial) {
        if (n > 0)
            draw_piece(&work, 0);
        return FACULA_OK;
    }
    for (work.grain = 64; work.grain < plan->grain;) /* Note [Upper words] */
        work.grain *= 2;
    facula_parallel((n + work.grain - 1) / work.grain, draw_piece, &work);
    return FACULA_OK;
}

FACULA_KERNEL("random", random_kernel, 0, 0)
