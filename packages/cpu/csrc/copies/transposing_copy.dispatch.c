/* Copies whose input and output are contiguous along different dimensions, within a dtype or between two. They proceed
   by tiles, because row by row one of the two would touch a new cache line, and soon a new page, with every element. */
#include "copies/transposing_copy.cdef.h"
#include "runtime/kernel.h"
#include "runtime/vector.h"

#if defined(__AVX2__) && !defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Bytes from the first line to the last one of a block that stays in a cache; and distances for which caches have few
   places are multiples of the second number. */
enum { NEAR = 256 << 10, SAME_SET = 1024 };

static ALWAYS_INLINE void copy_run(int64_t from, char *to, int64_t bytes)
{
    int64_t done = 0;
    if (bytes > 16 * VECTOR_BYTES) {
        memcpy(to, (const char *)from, (size_t)bytes);
        return;
    }
    for (; done + VECTOR_BYTES <= bytes; done += VECTOR_BYTES)
        *(loose_floats *)(to + done) = *(const loose_floats *)(from + done);
    if (done == bytes)
        return;
#ifdef __AVX512F__
    const __mmask64 rest = (1ull << (bytes - done)) - 1;
    _mm512_mask_storeu_epi8(to + done, rest, _mm512_maskz_loadu_epi8(rest, (const char *)from + done));
#else
    if (bytes >= VECTOR_BYTES) /* the last vector overlaps with the one before it */
        *(loose_floats *)(to + bytes - VECTOR_BYTES) = *(const loose_floats *)(from + bytes - VECTOR_BYTES);
    else
        memcpy(to, (const char *)from, (size_t)bytes);
#endif
}

/* Convert `n` elements of the input into a tile. */
static ALWAYS_INLINE void load_run(const struct facula_transpose *plan, int64_t n, int64_t from, char *to, int64_t size)
{
    enum { PART = 512 };
    if (!plan->cast) {
        memcpy(to, (const char *)from, (size_t)(n * size));
    } else if (!plan->round) {
        plan->cast(n, (int64_t[]){from, (int64_t)to}, (int64_t[]){plan->source_row, size});
    } else {
        float part[PART] __attribute__((aligned(64)));
        for (int64_t done = 0; done < n; done += PART) {
            const int64_t count = n - done < PART ? n - done : PART;
            plan->cast(count, (int64_t[]){from + done * plan->source_row, (int64_t)part},
                       (int64_t[]){plan->source_row, sizeof(float)});
            plan->round(count, (int64_t[]){(int64_t)part, (int64_t)to + done * size},
                        (int64_t[]){sizeof(float), size});
        }
    }
}

/* Processors do not prefetch lines this far apart, and would wait for each of them. So this prefetches each line a
   constant number of lines ahead. The address may be beyond the input: prefetching does not fault. */
enum { AHEAD = 24 };
static ALWAYS_INLINE void fetch_ahead(int64_t from, int64_t bytes)
{
    for (int64_t done = 0; done < bytes; done += 64)
        __builtin_prefetch((const char *)(from + done));
}

#define SIZE 1
#define LANE uint8_t
#define PIECE 16
#define ELEMENT uint8_t
#include "copies/transposing_copy.inc"

#define SIZE 2
#define LANE uint16_t
#define PIECE 8
#define ELEMENT uint16_t
#include "copies/transposing_copy.inc"

#define SIZE 4
#define LANE uint32_t
#define PIECE 4
#define ELEMENT uint32_t
#include "copies/transposing_copy.inc"

#define SIZE 8
#define LANE uint64_t
#define PIECE 2
#define ELEMENT uint64_t
#include "copies/transposing_copy.inc"

typedef uint64_t sixteen __attribute__((vector_size(16), aligned(8), may_alias));
#define SIZE 16
#define LANE uint64_t
#define PIECE 1
#define ELEMENT sixteen
#include "copies/transposing_copy.inc"

struct work {
    const struct facula_transpose *plan;
    int64_t source, target;
};

static void copy_band(void *context, int64_t index)
{
    const struct work *work = context;
    const struct facula_transpose *plan = work->plan;
    int64_t source = work->source, target = work->target, row = 0, rest = index;
    if (plan->bands > 1) { /* a division takes as long as a small matrix */
        rest = index / plan->bands;
        row = (index - rest * plan->bands) * plan->band;
    }
    for (int d = 0; d < plan->dims; d++) {
        const int64_t *dim = plan->nest + 3 * d;
        const int64_t outer = d == plan->dims - 1 ? 0 : rest / dim[0], at = rest - outer * dim[0];
        source += at * dim[1];
        target += at * dim[2];
        rest = outer;
    }
    int64_t rows = plan->rows - row < plan->band ? plan->rows - row : plan->band;
    plan->block(plan, rows, source + row * plan->source_row, target + row * plan->target_step);
}

static int64_t transposing_copy(const void *plan_, int64_t *args)
{
    const struct facula_transpose *plan = plan_;
    struct work work = {plan, args[1] + plan->source_start, args[2] + plan->target_start};
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
FACULA_KERNEL("transpose_block", copy_block_1, 100, 1)
FACULA_KERNEL("transpose_block", copy_block_2, 200, 2)
FACULA_KERNEL("transpose_block", copy_block_4, 400, 4)
FACULA_KERNEL("transpose_block", copy_block_8, 800, 8)
FACULA_KERNEL("transpose_block", copy_block_16, 1500, 16)
