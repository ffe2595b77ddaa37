/* CUDA C++ on the CPU: the words of device code that kernels use, for g++ on x86-64.

   Note [Kernels on the CPU]
   ~~~~~~~~~~~~~~~~~~~~~~~~~
   A kernel is written once, with KERNEL(name, arguments) or SYNC_KERNEL(name, arguments) in place of its signature.
   NVRTC sees `extern "C" __global__`, g++ a function `void name(const void *block, unsigned blocks, unsigned threads)`
   that runs all threads of all blocks. Blocks and threads are one-dimensional.

   A KERNEL has no barrier, so that its threads are a loop. The threads of a SYNC_KERNEL are fibers: each runs until it
   waits for others. They run in one of four orders (FACULA_SHIM_ORDER: forward, backward, shuffled, or warps: each warp
   runs as far as it can), so that a missing __syncthreads() changes the result in one of them at least. Shared memory
   has NaN bytes at the beginning of each block.

   What would be an error on a device ends the kernel with a sentence, which the simulated driver takes by
   facula_shim_failure() after each kernel: a misaligned access (found by g++ -fsanitize=alignment, whose handler is
   below), a barrier that some threads never reach, a barrier in a KERNEL, too many threads.

   State is static and without locks: the simulated driver runs one kernel at a time. It is not thread-local because
   hundreds of libraries would use up the space that the loader has for thread-local variables. */
#pragma once
#if !defined(__x86_64__) || !defined(__GNUC__)
#error "facula_cuda.testing: kernels run on the CPU of x86-64 machines with g++ only"
#endif
#define FACULA_SHIM 1

#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

#define __global__
#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __shared__ static __attribute__((section("facula_shared")))

/* Shared memory whose size the launch states. One array for all: use it once in a kernel. */
#define DYNAMIC_SHARED(type, name) type *const name = (type *)shim::dynamic_memory()

#define KERNEL(name, arguments)                                                                                       \
    static void name##_body(const arguments &p);                                                                      \
    extern "C" __attribute__((visibility("default"))) void name(const void *block, unsigned blocks, unsigned threads) \
    {                                                                                                                 \
        run_plain(#name, name##_body, *(const arguments *)block, blocks, threads);                                    \
    }                                                                                                                 \
    static void name##_body(const arguments &p)
#define SYNC_KERNEL(name, arguments) SYNC_KERNEL_OF(256, name, arguments)
#define SYNC_KERNEL_OF(most, name, arguments)                                                                         \
    static void name##_body(const arguments &p);                                                                      \
    static void name##_raw(const void *block) { name##_body(*(const arguments *)block); }                             \
    extern "C" __attribute__((visibility("default"))) void name(const void *block, unsigned blocks, unsigned threads) \
    {                                                                                                                 \
        shim::run_fibers(#name, name##_raw, block, blocks, threads, most);                                            \
    }                                                                                                                 \
    static void name##_body(const arguments &p)

struct dim3 {
    unsigned x = 1, y = 1, z = 1;
};
static dim3 threadIdx, blockIdx, blockDim, gridDim;
enum { warpSize = 32 };

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

/* Barriers and votes of a block */
static inline void __syncthreads() { shim::wait_block(); }
static inline int __syncthreads_count(int predicate) { return shim::count_block(predicate); }
static inline int __syncthreads_or(int predicate) { return shim::count_block(predicate) != 0; }
static inline int __syncthreads_and(int predicate) { return shim::count_block(!predicate) == 0; }
static inline void __threadfence() {}
static inline void __threadfence_block() {}
static inline void __threadfence_system() {}

/* Exchanges and votes of a warp */
static inline void __syncwarp(unsigned mask = ~0u) { shim::wait_lanes(mask); }
template <class T> static inline T __shfl_sync(unsigned mask, T value, int lane, int width = 32)
{
    return shim::exchange(mask, value, [=](int me) { return me / width * width + (lane & (width - 1)); });
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    return shim::exchange(mask, value, [=](int me) {
        return me + (int)by < shim::width_end(me, width) ? me + (int)by : -1;
    });
}
template <class T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32)
{
    return shim::exchange(mask, value, [=](int me) { return me - (int)by >= me / width * width ? me - (int)by : -1; });
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32)
{
    return shim::exchange(mask, value, [=](int me) {
        return (me ^ with) < shim::width_end(me, width) ? me ^ with : -1;
    });
}
static inline unsigned __ballot_sync(unsigned mask, int predicate) { return shim::ballot(mask, predicate); }
static inline int __any_sync(unsigned mask, int predicate) { return shim::ballot(mask, predicate) != 0; }
static inline int __all_sync(unsigned mask, int predicate) { return shim::ballot(mask, !predicate) == 0; }

/* Atomic operations: threads run one at a time */
#define FACULA_SHIM_ATOMIC(name, value)                                                                               \
    template <class T> static inline T name(T *at, typename shim_same<T>::type by)                                    \
    {                                                                                                                 \
        const T old = *at;                                                                                            \
        *at = (value);                                                                                                \
        return old;                                                                                                   \
    }
template <class T> struct shim_same {
    typedef T type;
};
FACULA_SHIM_ATOMIC(atomicAdd, old + by)
FACULA_SHIM_ATOMIC(atomicSub, old - by)
FACULA_SHIM_ATOMIC(atomicExch, by)
FACULA_SHIM_ATOMIC(atomicMin, by < old ? by : old)
FACULA_SHIM_ATOMIC(atomicMax, by > old ? by : old)
FACULA_SHIM_ATOMIC(atomicAnd, old & by)
FACULA_SHIM_ATOMIC(atomicOr, old | by)
FACULA_SHIM_ATOMIC(atomicXor, old ^ by)
FACULA_SHIM_ATOMIC(atomicInc, old >= by ? 0 : old + 1)
FACULA_SHIM_ATOMIC(atomicDec, old == 0 || old > by ? by : old - 1)
#undef FACULA_SHIM_ATOMIC
template <class T>
static inline T atomicCAS(T *at, typename shim_same<T>::type expected, typename shim_same<T>::type by)
{
    const T old = *at;
    if (old == expected)
        *at = by;
    return old;
}

/* Bits and numbers */
template <class To, class From> static inline To shim_bits(From value)
{
    static_assert(sizeof(To) == sizeof(From), "reinterpretation keeps the size");
    To found;
    memcpy(&found, &value, sizeof found);
    return found;
}
static inline int __float_as_int(float x) { return shim_bits<int>(x); }
static inline unsigned __float_as_uint(float x) { return shim_bits<unsigned>(x); }
static inline float __int_as_float(int x) { return shim_bits<float>(x); }
static inline float __uint_as_float(unsigned x) { return shim_bits<float>(x); }
static inline long long __double_as_longlong(double x) { return shim_bits<long long>(x); }
static inline double __longlong_as_double(long long x) { return shim_bits<double>(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned __brev(unsigned x)
{
    unsigned turned = 0;
    for (int bit = 0; bit < 32; bit++)
        turned |= (x >> bit & 1) << (31 - bit);
    return turned;
}
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
template <class T> static inline T __ldg(const T *at) { return *at; }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }
