/* The functions of device code that kernels call, on the CPU: barriers, exchanges, atomic operations, bits, numbers. */
#pragma once
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
