/* Random kernels of stream captures; see Note [Random kernels of captures] in draws.h. */

#include "drawing.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct facula_cuda_draw {
    struct facula_cuda_draw *next;
    struct kernel_node kernel;
    int64_t node;
    size_t words;
    int64_t block[];
};

enum { CAPTURING = 1, BUFFER_POINTER = 1, BUFFER_SIZE = 2 };

static const int64_t SEEDS = 0x7e4fac01a0000000, OFFSETS = 0x7e50000000000000;

struct facula_cuda_draws *drawing;
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

int64_t facula_cuda_seed_placeholder(int64_t generator)
{
    return SEEDS + generator;
}

int64_t facula_cuda_offset_placeholder(int64_t generator)
{
    return OFFSETS + (generator << DRAW_BITS);
}

/* The generator whose seed or offset a word stands for, or -1. */
static int64_t generator_of(int64_t word)
{
    if (word >= SEEDS && word < SEEDS + MAX_DRAWING)
        return word - SEEDS;
    return word >= OFFSETS && word >> DRAW_BITS < (OFFSETS >> DRAW_BITS) + MAX_DRAWING ? (word - OFFSETS) >> DRAW_BITS : -1;
}

static int64_t replaced(int64_t word, const int64_t *states)
{
    const int64_t generator = generator_of(word);
    if (generator < 0)
        return word;
    if (word < OFFSETS)
        return states[2 * generator];
    const uint64_t offset = (uint64_t)states[2 * generator + 1] + (uint64_t)(word - facula_cuda_offset_placeholder(generator));
    return (int64_t)(offset & INT64_MAX);
}

int has_draws(const int64_t *block, size_t nbytes)
{
    for (size_t i = 0; i < nbytes / 8; i++)
        if (generator_of(block[i]) >= 0)
            return 1;
    return 0;
}

int facula_cuda_collect_draws(struct facula_cuda_draws *draws)
{
    pthread_mutex_lock(&changing);
    const int is_free = !draws || !drawing;
    if (is_free)
        __atomic_store_n(&drawing, draws, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&changing);
    return is_free;
}

int check_drawing_stream(int64_t stream)
{
    int status = 0;
    const int code = stream ? driver.cuStreamIsCapturing(stream, &status) : 0;
    return code ? code : status == CAPTURING ? 0 : DRIVER_NOT_CAPTURED;
}

int keep_draw(const struct kernel_node *node, int64_t stream, const int64_t *block, size_t nbytes)
{
    int status = 0;
    uint64_t number;
    int64_t graph;
    const int64_t *last = NULL;
    size_t count = 0;
    const int code = driver.cuStreamGetCaptureInfo_v2(stream, &status, &number, &graph, &last, &count);
    if (code || status != CAPTURING || count != 1)
        return code ? code : DRIVER_INVALID_VALUE;
    struct facula_cuda_draw *made = malloc(sizeof *made + nbytes);
    if (!made)
        return DRIVER_OUT_OF_MEMORY;
    made->kernel = *node;
    made->node = last[0];
    made->words = nbytes / 8;
    memcpy(made->block, block, nbytes);
    pthread_mutex_lock(&changing);
    struct facula_cuda_draws *draws = drawing;
    if (draws) {
        for (size_t i = 0; i < made->words; i++)
            if (generator_of(block[i]) >= 0)
                draws->used[generator_of(block[i])] = 1;
        made->next = draws->first;
        draws->first = made;
    } else {
        free(made);
    }
    pthread_mutex_unlock(&changing);
    return 0;
}

int facula_cuda_set_draws(const struct facula_cuda_draws *draws, int64_t executable, const int64_t *states)
{
    for (const struct facula_cuda_draw *one = draws->first; one; one = one->next) {
        size_t nbytes = 8 * one->words;
        int64_t *block = malloc(nbytes);
        if (!block)
            return DRIVER_OUT_OF_MEMORY;
        for (size_t i = 0; i < one->words; i++)
            block[i] = replaced(one->block[i], states);
        void *extra[] = {(void *)BUFFER_POINTER, block, (void *)BUFFER_SIZE, &nbytes, NULL};
        struct kernel_node kernel = one->kernel;
        kernel.extra = extra;
        const int code = driver.cuGraphExecKernelNodeSetParams_v2(executable, one->node, &kernel);
        free(block);
        if (code)
            return code;
    }
    return 0;
}

void facula_cuda_drop_draws(struct facula_cuda_draws *draws)
{
    while (draws->first) {
        struct facula_cuda_draw *next = draws->first->next;
        free(draws->first);
        draws->first = next;
    }
}
