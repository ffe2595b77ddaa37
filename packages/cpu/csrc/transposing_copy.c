/* Copies whose input and output run along different dimensions: walked in square blocks, because walked in rows one of the
   two would touch a new cache line, and soon a new page, with every element. */
#include "kernel.h"

#include <string.h>

#define T uint8_t
#define SUFFIX 1
#include "transposing_copy.inc"

#define T uint16_t
#define SUFFIX 2
#include "transposing_copy.inc"

#define T uint32_t
#define SUFFIX 4
#define SQUARE 4
#include "transposing_copy.inc"

#define T uint64_t
#define SUFFIX 8
#define SQUARE 2
#include "transposing_copy.inc"

struct sixteen {
    uint64_t low, high;
};
#define T struct sixteen
#define SUFFIX 16
#include "transposing_copy.inc"

struct work {
    const struct facula_transpose *plan;
    int64_t source, target;
};

static void copy_band(void *context, int64_t index)
{
    const struct work *work = context;
    const struct facula_transpose *plan = work->plan;
    int64_t source = work->source, target = work->target, row = index % plan->bands * plan->band;
    int64_t rest = index / plan->bands;
    for (int d = 0; d < plan->dims; d++) {
        const int64_t *dim = plan->nest + 3 * d;
        source += rest % dim[0] * dim[1];
        target += rest % dim[0] * dim[2];
        rest /= dim[0];
    }
    int64_t rows = plan->rows - row < plan->band ? plan->rows - row : plan->band;
    plan->block(rows, plan->columns, source + row * plan->itemsize, plan->source_step, target + row * plan->target_step,
                plan->target_step);
}

static int64_t transposing_copy(const void *plan_, int64_t *args)
{
    const struct facula_transpose *plan = plan_;
    struct work work = {plan, args[1], args[2]};
    int64_t pieces = plan->bands;
    for (int d = 0; d < plan->dims; d++)
        pieces *= plan->nest[3 * d];
    if (args[0] > plan->serial)
        facula_parallel(pieces, copy_band, &work);
    else
        for (int64_t index = 0; index < pieces; index++)
            copy_band(&work, index);
    return FACULA_OK;
}

/* The signature is the size of the element. */
FACULA_KERNEL("transposing_copy", transposing_copy, 0, 0)
FACULA_KERNEL("transpose_block", copy_block_1, 500, 1)
FACULA_KERNEL("transpose_block", copy_block_2, 500, 2)
FACULA_KERNEL("transpose_block", copy_block_4, 600, 4)
FACULA_KERNEL("transpose_block", copy_block_8, 900, 8)
FACULA_KERNEL("transpose_block", copy_block_16, 1500, 16)
