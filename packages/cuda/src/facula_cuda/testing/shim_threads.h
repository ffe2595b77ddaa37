/* The threads of a kernel on the CPU: a loop, or fibers that wait for one another. See Note [Kernels on the CPU]. */
#pragma once
extern "C" {
/* The linker's: where variables of the section begin and end in this library. */
extern char __start_facula_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_facula_shared[] __attribute__((weak, visibility("hidden")));
void facula_shim_switch(void **from, void *to) __attribute__((visibility("hidden")));
}
asm(R"(
.text
.globl facula_shim_switch
.hidden facula_shim_switch
.type facula_shim_switch,@function
facula_shim_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size facula_shim_switch,.-facula_shim_switch
)");

namespace shim {
enum { MAX_THREADS = 1024, STACK_BYTES = 64 << 10, MAX_SHARED = 227 << 10 };

static char message[512];
static const char *kernel = "";
static bool failed, synchronous;
static jmp_buf home; /* where a KERNEL ends at its first error */
static void *scheduler;
static void *abandoned;

/* End the kernel with a sentence. */
[[noreturn]] static void fail(const char *format, long a = 0, long b = 0);

alignas(16) static char dynamic_shared[MAX_SHARED];
static bool dynamic_ready;
static void *dynamic_memory()
{
    if (!dynamic_ready)
        memset(dynamic_shared, 0xff, sizeof dynamic_shared);
    dynamic_ready = true;
    return dynamic_shared;
}
static void poison_shared()
{
    dynamic_ready = false;
    if (__start_facula_shared)
        memset(__start_facula_shared, 0xff, (size_t)(__stop_facula_shared - __start_facula_shared));
}

/* A fiber waits in one of two ways: for all living threads of the block, or for the living lanes of a mask. */
struct fiber {
    void *stack;
    bool done, in_block;
    unsigned mask; /* lanes of its warp that it waits for */
};
static fiber fibers[MAX_THREADS];
static unsigned living[MAX_THREADS / 32]; /* lanes of each warp */
static char *stacks;
static int current, threads, alive, waiting;
static bool progress;
static uint64_t slot[MAX_THREADS][2]; /* values that lanes exchange */
static int votes;                     /* of the threads of a block */
static void (*body)(const void *);
static const void *parameters;

static void refuse(const char *format, long a = 0, long b = 0)
{
    const int used = snprintf(message, sizeof message, format, a, b);
    snprintf(message + used, sizeof message - (size_t)used, " (kernel %s)", kernel);
    failed = true;
}

static void fail(const char *format, long a, long b)
{
    refuse(format, a, b);
    if (synchronous)
        facula_shim_switch(&abandoned, scheduler); /* for good: the scheduler ends at an error */
    longjmp(home, 1);
}

static void yield()
{
    const int me = current;
    facula_shim_switch(&fibers[me].stack, scheduler);
    threadIdx.x = (unsigned)me;
}

static void release_block()
{
    if (!alive || waiting < alive)
        return;
    for (int t = 0; t < threads; t++)
        fibers[t].in_block = false;
    waiting = 0;
    progress = true;
}

static void wait_block()
{
    if (!synchronous)
        fail("a KERNEL has a barrier: write SYNC_KERNEL in its place");
    fibers[current].in_block = true;
    waiting++;
    release_block();
    while (fibers[current].in_block)
        yield();
}

static void release_lanes(int warp)
{
    for (unsigned lane = 0; lane < 32; lane++) {
        const unsigned wanted = living[warp] >> lane & 1 ? fibers[32 * warp + lane].mask & living[warp] : 0;
        bool ready = wanted != 0;
        for (unsigned other = 0; other < 32 && ready; other++)
            ready = !(wanted >> other & 1) ||
                    fibers[32 * warp + other].mask == fibers[32 * warp + lane].mask;
        if (!ready)
            continue;
        for (unsigned other = 0; other < 32; other++)
            if (wanted >> other & 1)
                fibers[32 * warp + other].mask = 0;
        progress = true;
    }
}

static void wait_lanes(unsigned mask)
{
    if (!synchronous)
        fail("a KERNEL exchanges values between threads: write SYNC_KERNEL in its place");
    const int me = current;
    if (!(mask >> (me % 32) & 1))
        fail("lane %ld of a warp is not in the mask %ld that it waits with", me % 32, (long)mask);
    fibers[me].mask = mask;
    release_lanes(me / 32);
    while (fibers[me].mask)
        yield();
}

static void entry()
{
    body(parameters);
    const int me = current;
    fibers[me].done = true;
    alive--;
    living[me / 32] &= ~(1u << me % 32);
    progress = true;
    release_block(); /* threads that wait for one that ended continue, as on a device */
    release_lanes(me / 32);
    yield();
    abort(); /* nobody switches to a fiber that is done */
}

/* The thread that runs k-th: all orders are permutations, for any number of threads. */
static int ordered(int order, int k)
{
    if (order == 1)
        return threads - 1 - k;
    if (order == 2) { /* pairs swapped within a rotation by a third */
        const int turned = (int)((k + (long)threads / 3) % threads), swapped = turned ^ 1;
        return swapped < threads ? swapped : turned;
    }
    return k;
}

enum { WARPS = 3 };
static int order_wanted()
{
    const char *wish = getenv("FACULA_SHIM_ORDER");
    if (!wish)
        return 0;
    return !strcmp(wish, "backward") ? 1 : !strcmp(wish, "shuffled") ? 2 : !strcmp(wish, "warps") ? WARPS : 0;
}

/* Let a thread run until it waits. False if it waits already, or is done. */
static bool run_fiber(int t)
{
    if (fibers[t].done || fibers[t].in_block || fibers[t].mask)
        return false;
    progress = true;
    current = t;
    threadIdx.x = (unsigned)t;
    facula_shim_switch(&scheduler, fibers[t].stack);
    return true;
}

/* The same for the threads of a warp. */
static bool run_lanes(int first)
{
    bool ran = false;
    for (int t = first; t < first + 32 && t < threads && !failed; t++)
        ran |= run_fiber(t);
    return ran;
}

static void begin(const char *name, unsigned blocks, unsigned count)
{
    kernel = name;
    gridDim.x = blocks;
    blockDim.x = count;
    threads = (int)count;
}

static void run_fibers(const char *name, void (*function)(const void *), const void *block, unsigned blocks,
                       unsigned count, unsigned most)
{
    begin(name, blocks, count);
    if (count < 1 || count > most) {
        refuse("a launch has %ld threads in a block: expected 1 to %ld", count, most);
        return;
    }
    if (!stacks) {
        void *made = mmap(NULL, (size_t)STACK_BYTES * MAX_THREADS, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (made == MAP_FAILED) {
            refuse("there is no memory for the stacks of 1024 threads");
            return;
        }
        stacks = (char *)made;
    }
    const int order = order_wanted();
    body = function;
    parameters = block;
    synchronous = true;
    for (unsigned b = 0; b < blocks && !failed; b++) {
        blockIdx.x = b;
        alive = threads;
        waiting = votes = 0;
        poison_shared();
        for (int t = 0; t < threads; t++) {
            void **top = (void **)(stacks + (size_t)STACK_BYTES * (size_t)(t + 1)) - 8;
            memset(top, 0, 64);
            top[6] = (void *)entry;
            fibers[t] = {top, false, false, 0};
        }
        for (int w = 0; w < (threads + 31) / 32; w++)
            living[w] = threads - 32 * w < 32 ? (1u << (threads - 32 * w)) - 1 : ~0u;
        while (alive && !failed) {
            progress = false;
            if (order == WARPS)
                for (int t = 0; t < threads && !failed; t += 32)
                    while (run_lanes(t)) {}
            else
                for (int k = 0; k < threads && !failed; k++)
                    run_fiber(ordered(order, k));
            if (!progress && alive)
                refuse("a barrier waits for threads that wait elsewhere: %ld of %ld threads of a block are at "
                     "__syncthreads(), the others in a warp's exchange", waiting, alive);
        }
    }
    synchronous = false;
}

/* The value of lane `from(lane)` of this warp, or this thread's own where that lane is outside of the warp. */
template <class T, class F> static T exchange(unsigned mask, T value, F from)
{
    const int me = current, lane = me % 32;
    static_assert(sizeof(T) <= 16, "an exchanged value has at most 16 bytes");
    T found = value;
    memcpy(slot[me], &value, sizeof value);
    wait_lanes(mask);
    const int source = from(lane);
    if (source >= 0 && source < 32 && me - lane + source < threads)
        memcpy(&found, slot[me - lane + source], sizeof found);
    wait_lanes(mask);
    return found;
}

static unsigned ballot(unsigned mask, int predicate)
{
    const int me = current, first = me - me % 32;
    slot[me][0] = predicate != 0;
    wait_lanes(mask);
    unsigned found = 0;
    for (int lane = 0; lane < 32; lane++)
        if (mask >> lane & 1 && living[me / 32] >> lane & 1 && slot[first + lane][0])
            found |= 1u << lane;
    wait_lanes(mask);
    return found;
}

static int count_block(int predicate)
{
    votes += predicate != 0;
    wait_block();
    const int found = votes;
    wait_block();
    votes = 0;
    wait_block();
    return found;
}

static int width_end(int lane, int width) { return lane / width * width + width; }

/* What g++ calls for a misaligned access: the layout of its first argument is libubsan's. */
struct type_mismatch {
    const char *file;
    uint32_t line, column;
};
} // namespace shim

extern "C" {
__attribute__((visibility("hidden"))) void __ubsan_handle_type_mismatch_v1(void *data, void *address)
{
    (void)address;
    shim::fail("misaligned access of device memory, in line %ld, column %ld of the kernel's source",
               ((const shim::type_mismatch *)data)->line, ((const shim::type_mismatch *)data)->column);
}
/* What went wrong since the last call, or NULL. The simulated driver calls it after each kernel. */
__attribute__((visibility("default"))) const char *facula_shim_failure(void)
{
    const bool failed = shim::failed;
    shim::failed = false;
    return failed ? shim::message : NULL;
}
}

template <class F, class A>
static void run_plain(const char *name, F function, const A &arguments, unsigned blocks, unsigned count)
{
    shim::begin(name, blocks, count);
    if (count < 1 || count > 256) {
        shim::refuse("a launch has %ld threads in a block: expected 1 to 256", count);
        return;
    }
    shim::synchronous = false; /* a fiber may have ended by a fault, which the driver caught */
    const int order = shim::order_wanted();
    if (_setjmp(shim::home))
        return;
    for (unsigned b = 0; b < blocks; b++)
        for (unsigned t = 0; t < count; t++) {
            blockIdx.x = b;
            shim::current = order ? shim::ordered(order, (int)t) : (int)t;
            threadIdx.x = (unsigned)shim::current;
            function(arguments);
        }
}
