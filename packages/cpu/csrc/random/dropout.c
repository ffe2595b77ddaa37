/* Runs dropout over contiguous elements, in parallel. Launch: n, x, o, share (double), seed, offset. Whether an
   element is dropped depends only on seed, offset and the element's index; see Note [Random numbers] in random.c. */
#include "runtime/kernel.h"

#include <string.h>

#include "random/dropout.cdef.h"

struct work {
    const struct facula_dropout *plan;
    const int64_t *args;
    int64_t grain;
};

static void drop_piece(void *context, int64_t index)
{
    const struct work *work = context;
    const int64_t n = work->args[0], from = index * work->grain;
    const int64_t count = n - from < work->grain ? n - from : work->grain, bytes = from * work->plan->itemsize;
    double share;
    memcpy(&share, &work->args[3], sizeof share);
    work->plan->drop(from, count, (const char *)work->args[1] + bytes, (char *)work->args[2] + bytes, share,
                     (uint64_t)work->args[4], (uint64_t)work->args[5]);
}

static int64_t dropout(const void *plan_, int64_t *args)
{
    const struct facula_dropout *plan = plan_;
    const int64_t n = args[0];
    struct work work = {plan, args, n};
    if (n <= plan->serial) {
        if (n > 0)
            drop_piece(&work, 0);
        return FACULA_OK;
    }
    for (work.grain = 64; work.grain < plan->grain;) /* Note [Upper words] */
        work.grain *= 2;
    facula_parallel((n + work.grain - 1) / work.grain, drop_piece, &work);
    return FACULA_OK;
}

FACULA_KERNEL("dropout", dropout, 0, 0)
