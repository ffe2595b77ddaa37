/* Random kernels of stream captures; see Note [Random kernels of captures] in draws.h. */

#include "drawing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "launch.h"

struct facula_cuda_draw {
    struct facula_cuda_draw *next;
    struct kernel_node kernel;
    int64_t node;
    size_t nbytes;
    int64_t block[];
};

enum { NUMBERS = 1 << 12, COUNT_BITS = 38, CAPTURING = 1 };

_Static_assert(MAX_WORDS + MAX_CONSTANTS + 2 <= TABLE_WORDS, "no parameter block is longer than that of a table");

/* Bits of signaling NaN. */
static const int64_t SEEDS = 0x7ff1fac01a000000, OFFSETS = 0x7ff4000000000000;

int may_draw;
static struct facula_cuda_draws *collecting;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int64_t seed, offset;
    char owned, drawn, stored;
} states[NUMBERS];
static uint32_t next;

int64_t facula_cuda_new_draw(void)
{
    int64_t found = -1;
    pthread_mutex_lock(&changing);
    __atomic_store_n(&may_draw, 1, __ATOMIC_RELEASE);
    for (int i = 0; found < 0 && i < NUMBERS; i++, next++)
        if (!states[next % NUMBERS].owned)
            found = next % NUMBERS;
    if (found >= 0) {
        memset(&states[found], 0, sizeof states[found]);
        states[found].owned = 1;
    }
    pthread_mutex_unlock(&changing);
    return found;
}

void facula_cuda_release_draw(int64_t number)
{
    pthread_mutex_lock(&changing);
    states[number].owned = 0;
    pthread_mutex_unlock(&changing);
}

int64_t facula_cuda_seed_placeholder(int64_t number)
{
    return SEEDS + number;
}

int64_t facula_cuda_offset_placeholder(int64_t number)
{
    return OFFSETS + (number << COUNT_BITS);
}

int facula_cuda_is_drawn(int64_t number)
{
    return states[number].drawn;
}

void facula_cuda_store_draw(int64_t number, int64_t seed, int64_t offset)
{
    states[number].seed = seed;
    states[number].offset = offset;
    states[number].stored = 1;
}

/* The number whose seed or offset a word stands for, or -1. */
static int64_t number_of(int64_t word)
{
    if (word >= OFFSETS)
        return word - OFFSETS < (int64_t)NUMBERS << COUNT_BITS ? (word - OFFSETS) >> COUNT_BITS : -1;
    return word >= SEEDS && word < SEEDS + NUMBERS ? word - SEEDS : -1;
}

/* Replace the placeholders of a block; the driver's code. */
static int replace(int64_t *block, size_t nbytes)
{
    for (size_t i = 0; i < nbytes / 8; i++) {
        const int64_t number = number_of(block[i]);
        if (number < 0)
            continue;
        if (!states[number].stored)
            return DRIVER_NOT_REPLAYED;
        const uint64_t more = (uint64_t)(block[i] - facula_cuda_offset_placeholder(number));
        block[i] = block[i] < OFFSETS ? states[number].seed
                                      : (int64_t)(((uint64_t)states[number].offset + more) & INT64_MAX);
    }
    return 0;
}

/* A kernel with a copy of its block, which has no placeholders. */
struct replaced {
    struct kernel_node kernel;
    void *extra[5];
    size_t nbytes;
    int64_t block[TABLE_WORDS];
};

static int replace_in_copy(const struct kernel_node *kernel, const int64_t *block, size_t nbytes,
                           struct replaced *into)
{
    into->kernel = *kernel;
    into->kernel.extra = into->extra;
    into->extra[0] = (void *)BUFFER_POINTER;
    into->extra[1] = into->block;
    into->extra[2] = (void *)BUFFER_SIZE;
    into->extra[3] = &into->nbytes;
    into->extra[4] = NULL;
    into->nbytes = nbytes;
    memcpy(into->block, block, nbytes);
    return replace(into->block, nbytes);
}

int facula_cuda_replace_draw(int64_t *word)
{
    return replace(word, sizeof *word);
}

int has_draws(const int64_t *block, size_t nbytes)
{
    for (size_t i = 0; i < nbytes / 8; i++)
        if (number_of(block[i]) >= 0)
            return 1;
    return 0;
}

int facula_cuda_collect_draws(struct facula_cuda_draws *draws)
{
    pthread_mutex_lock(&changing);
    const int is_free = !draws || !collecting;
    if (is_free)
        collecting = draws;
    pthread_mutex_unlock(&changing);
    return is_free;
}

static int launch(const struct kernel_node *kernel, int64_t stream)
{
    return driver.cuLaunchKernel(kernel->function, kernel->grid_x, 1, 1, kernel->block_x, 1, 1, kernel->shared_bytes,
                                 stream, NULL, kernel->extra);
}

/* Keep the kernel that was queued last on a captured stream. */
static int keep(const struct kernel_node *kernel, int64_t stream, const int64_t *block, size_t nbytes)
{
    int status = 0;
    uint64_t number;
    int64_t graph;
    const int64_t *last = NULL;
    size_t count = 0;
    int code = driver.cuStreamGetCaptureInfo_v2(stream, &status, &number, &graph, &last, &count);
    if (code || status != CAPTURING || count != 1)
        return code ? code : DRIVER_INVALID_VALUE;
    struct facula_cuda_draw *made = malloc(sizeof *made + nbytes);
    if (!made)
        return DRIVER_OUT_OF_MEMORY;
    made->kernel = *kernel;
    made->node = last[0];
    made->nbytes = nbytes;
    memcpy(made->block, block, nbytes);
    pthread_mutex_lock(&changing);
    if (collecting) {
        for (size_t i = 0; i < nbytes / 8; i++)
            if (number_of(block[i]) >= 0)
                states[number_of(block[i])].drawn = 1;
        made->next = collecting->first;
        collecting->first = made;
    } else {
        free(made);
        code = DRIVER_NOT_REPLAYED;
    }
    pthread_mutex_unlock(&changing);
    return code;
}

int queue_draw(const struct kernel_node *kernel, int64_t stream, const int64_t *block, size_t nbytes)
{
    struct replaced made;
    int status = 0, code = stream ? driver.cuStreamIsCapturing(stream, &status) : 0;
    if (code)
        return code;
    if (status) {
        code = launch(kernel, stream);
        return code ? code : keep(kernel, stream, block, nbytes);
    }
    code = replace_in_copy(kernel, block, nbytes, &made);
    return code ? code : launch(&made.kernel, stream);
}

int facula_cuda_set_draws(const struct facula_cuda_draws *draws, int64_t executable)
{
    int code = 0;
    for (const struct facula_cuda_draw *draw = draws->first; draw && !code; draw = draw->next) {
        struct replaced made;
        code = replace_in_copy(&draw->kernel, draw->block, draw->nbytes, &made);
        if (!code)
            code = driver.cuGraphExecKernelNodeSetParams_v2(executable, draw->node, &made.kernel);
    }
    return code;
}

void facula_cuda_drop_draws(struct facula_cuda_draws *draws)
{
    while (draws->first) {
        struct facula_cuda_draw *after = draws->first->next;
        free(draws->first);
        draws->first = after;
    }
}
