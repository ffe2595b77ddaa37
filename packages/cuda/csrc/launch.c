/* Launches that queue; see Note [Parameter blocks] in launch.h. */

#include "launch.h"

#include <string.h>

#include "divert.h"
#include "drawing.h"
#include "driver.h"
#include "queue.h"

static const uint64_t MAX_BLOCKS = 0x7fffffff; /* of a grid, in its first dimension */

/* Refuse a launch after some of its kernels were queued, so that it cannot be repeated. */
static int64_t refuse_after(int queued, int64_t *arguments, int32_t device, int code)
{
    if (queued && !diversion)
        facula_cuda_lose(device, code);
    return refuse(arguments, device, code);
}

static int queue_kernel(int64_t function, uint64_t blocks, int32_t threads, int32_t shared_bytes, int64_t stream,
                        void *block, size_t nbytes)
{
    void *extra[] = {(void *)BUFFER_POINTER, block, (void *)BUFFER_SIZE, &nbytes, NULL};
    const int draws = __atomic_load_n(&may_draw, __ATOMIC_RELAXED) && has_draws(block, nbytes);
    if (draws || diversion) {
        const struct kernel_node node = {.function = function, .grid_x = (unsigned)blocks, .grid_y = 1, .grid_z = 1,
                                         .block_x = (unsigned)threads, .block_y = 1, .block_z = 1,
                                         .shared_bytes = (unsigned)shared_bytes, .extra = extra};
        if (!draws)
            return divert_kernel(&node);
        if (diversion) /* the sequence must launch one by one: placeholders stay the same, their values change */
            return DRIVER_NOT_REPLAYED;
        note_kernel(function);
        return queue_draw(&node, stream, block, nbytes);
    }
    note_kernel(function);
    return driver.cuLaunchKernel(function, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, (unsigned)shared_bytes,
                                 stream, NULL, extra);
}

/* Where this launch of a plan that reports errors does so: the thread's record, or the plan's. */
static inline int64_t record_for(int64_t record)
{
    const int64_t own = facula_cuda_record();
    return own ? own : record;
}

static inline uint64_t divided(uint64_t n, uint64_t by)
{
    return n / by + (n % by != 0);
}

static int64_t queue_nested(const struct facula_cuda_elementwise *plan, int64_t *arguments, const int64_t *nest)
{
    int64_t block[MAX_WORDS + NEST_WORDS + 1], stream;
    int32_t words = plan->words;
    int code = enter(plan->device, &stream);
    if (code)
        return refuse(arguments, plan->device, code);
    const int32_t nest_words = 1 + MAX_NEST + MAX_NEST * plan->arrays;
    memcpy(block, arguments, 8 * (size_t)words);
    memcpy(block + words, nest, 8 * (size_t)nest_words);
    words += nest_words;
    if (plan->record)
        block[words++] = record_for(plan->record);
    uint64_t blocks = divided((uint64_t)arguments[0], ELEMENT_THREADS);
    if (blocks > (uint64_t)plan->max_blocks)
        blocks = (uint64_t)plan->max_blocks;
    code = queue_kernel(plan->nested, blocks, ELEMENT_THREADS, 0, stream, block, 8 * (size_t)words);
    if (code)
        return refuse(arguments, plan->device, code);
    mark_queue(queue_of(plan->device, stream));
    return 0;
}

/* Contiguous arrays as one dimension of a nest. */
static __attribute__((noinline)) int64_t queue_line(const struct facula_cuda_elementwise *plan, int64_t *arguments)
{
    int64_t nest[NEST_WORDS] = {1, arguments[0]};
    for (int32_t i = 0; i < plan->arrays; i++)
        nest[1 + MAX_NEST + i] = plan->itemsize[i];
    return queue_nested(plan, arguments, nest);
}

int64_t facula_cuda_dense(const void *plan_, int64_t *arguments)
{
    const struct facula_cuda_elementwise *plan = plan_;
    int64_t block[MAX_WORDS + 1], *parameters = arguments, stream;
    uint64_t odd = 0;
    if (arguments[0] <= 0)
        return 0;
    for (int32_t i = 0; i < plan->arrays; i++)
        odd |= (uint64_t)arguments[1 + i] & (uint64_t)(plan->itemsize[i] * plan->vector - 1);
    const uint64_t blocks = divided((uint64_t)arguments[0], (uint64_t)ELEMENT_THREADS * (uint64_t)plan->vector);
    if (odd || blocks > MAX_BLOCKS)
        return queue_line(plan, arguments);
    int code = enter(plan->device, &stream);
    if (code)
        return refuse(arguments, plan->device, code);
    size_t words = (size_t)plan->words;
    if (plan->record) {
        memcpy(block, arguments, 8 * words);
        block[words++] = record_for(plan->record);
        parameters = block;
    }
    code = queue_kernel(plan->dense, blocks, ELEMENT_THREADS, 0, stream, parameters, 8 * words);
    if (code)
        return refuse(arguments, plan->device, code);
    mark_queue(queue_of(plan->device, stream));
    return 0;
}

int64_t facula_cuda_nested(const void *plan_, int64_t *arguments)
{
    const struct facula_cuda_elementwise *plan = plan_;
    return arguments[0] <= 0 ? 0 : queue_nested(plan, arguments, plan->nest);
}

static uint64_t blocks_of(const struct facula_cuda_step *step, int64_t n)
{
    if (step->blocks)
        return (uint64_t)step->blocks;
    const uint64_t wanted = n > 0 ? divided((uint64_t)n, (uint64_t)step->per_block) : 1;
    return wanted < (uint64_t)step->max_blocks ? wanted : (uint64_t)step->max_blocks;
}

int64_t facula_cuda_fixed(const void *plan_, int64_t *arguments)
{
    const struct facula_cuda_fixed *plan = plan_;
    int64_t block[MAX_WORDS + MAX_CONSTANTS + 2], stream;
    const int64_t n = arguments[0];
    size_t words = (size_t)plan->words;
    int code = enter(plan->device, &stream);
    if (code)
        return refuse(arguments, plan->device, code);
    for (int32_t i = 0; i < plan->steps; i++)
        if (blocks_of(&plan->step[i], n) > MAX_BLOCKS)
            return STATUS_UNSUPPORTED;
    struct queue *queue = queue_of(plan->device, stream);
    memcpy(block, arguments, 8 * words);
    if (plan->scratch) {
        block[words] = queue ? scratch_of(queue, &code) : 0;
        if (code)
            return refuse(arguments, plan->device, code);
        if (!block[words++]) {
            arguments[0] = SCRATCH_BYTES;
            return STATUS_MEMORY;
        }
    }
    int64_t *const turn = block + words;
    memcpy(block + words, plan->constant, 8 * (size_t)plan->constants);
    words += (size_t)plan->constants;
    if (plan->record)
        block[words++] = record_for(plan->record);
    for (int32_t i = 0; i < plan->steps; i++) {
        const struct facula_cuda_step *step = &plan->step[i];
        for (int64_t repeat = 0; repeat <= step->repeats; repeat++) {
            if (step->repeats)
                *turn = repeat;
            code = queue_kernel(step->function, blocks_of(step, n), step->threads, step->shared_bytes, stream, block,
                                8 * words);
            if (code)
                return refuse_after(i + repeat > 0, arguments, plan->device, code);
            if (repeat < step->repeats)
                mark_queue(queue);
        }
    }
    mark_queue(queue);
    return 0;
}

int64_t facula_cuda_table(const void *plan_, int64_t *arguments)
{
    const struct facula_cuda_table *plan = plan_;
    const int32_t head = plan->words, width = plan->columns + 2;
    const int64_t fitting = (TABLE_WORDS - head - 1) / width, *address = arguments + head;
    int64_t stream, done = 0;
    int queued = 0, code = enter(plan->device, &stream);
    if (code)
        return refuse(arguments, plan->device, code);
    if (fitting < 1)
        return STATUS_UNSUPPORTED;
    for (int64_t row = 0; row < plan->rows; row++)
        if (divided((uint64_t)plan->lengths[row], (uint64_t)plan->per_block) > MAX_BLOCKS)
            return STATUS_UNSUPPORTED;
    while (done < plan->rows) {
        int64_t block[TABLE_WORDS] = {0}, rows = 0, *at = block + head + 1;
        uint64_t blocks = 0;
        memcpy(block, arguments, 8 * (size_t)head);
        for (; rows < fitting && done < plan->rows; done++) {
            const uint64_t more = divided((uint64_t)plan->lengths[done], (uint64_t)plan->per_block);
            if (blocks + more > MAX_BLOCKS)
                break;
            if (more || plan->finish) {
                memcpy(at, address, 8 * (size_t)plan->columns);
                at[plan->columns] = plan->lengths[done];
                at[plan->columns + 1] = (int64_t)blocks;
                at += width;
                blocks += more;
                rows++;
            }
            address += plan->columns;
        }
        if (!rows)
            continue;
        block[head] = rows;
        for (int part = 0; part < 2; part++) {
            const int64_t function = part ? plan->finish : plan->function, wanted = part ? 1 : (int64_t)blocks;
            if (!function || !wanted)
                continue;
            code = queue_kernel(function, (uint64_t)wanted, plan->threads, 0, stream, block, sizeof block);
            if (code)
                return refuse_after(queued, arguments, plan->device, code);
            queued = 1;
        }
    }
    if (queued)
        mark_queue(queue_of(plan->device, stream));
    return 0;
}

int64_t facula_cuda_join(const void *plan_, int64_t *arguments)
{
    const struct facula_cuda_join *plan = plan_;
    const int64_t outer = arguments[1], count = arguments[2], *array = arguments + 3, result = array[2 * count];
    enum { HEAD = 7, ARRAYS = (TABLE_WORDS - HEAD) / 2 };
    int64_t stream, row = 0, start = 0, done = 0;
    int queued = 0, code = enter(plan->device, &stream);
    if (code)
        return refuse(arguments, plan->device, code);
    for (int64_t i = 0; i < count; i++)
        row += array[2 * i + 1];
    while (done < count && outer > 0) {
        int64_t block[TABLE_WORDS] = {result, outer, row, start}, arrays = 0, width = 0;
        uint64_t bits = (uint64_t)(result | row | start) | 16;
        for (; arrays < ARRAYS && done < count; done++) {
            if (!array[2 * done + 1])
                continue;
            width += array[2 * done + 1];
            bits |= (uint64_t)(array[2 * done] | array[2 * done + 1]);
            block[HEAD + 2 * arrays] = array[2 * done];
            block[HEAD + 2 * arrays++ + 1] = width;
        }
        if (!arrays)
            break;
        const uint64_t unit = bits & (~bits + 1);
        block[4] = width;
        block[5] = (int64_t)unit;
        block[6] = arrays;
        uint64_t blocks = divided((uint64_t)outer * (uint64_t)width / unit, (uint64_t)plan->threads);
        if (blocks > (uint64_t)plan->max_blocks)
            blocks = (uint64_t)plan->max_blocks;
        code = queue_kernel(plan->function, blocks, plan->threads, 0, stream, block, sizeof block);
        if (code)
            return refuse_after(queued, arguments, plan->device, code);
        queued = 1;
        start += width;
    }
    if (queued)
        mark_queue(queue_of(plan->device, stream));
    return 0;
}
