"""CUDA C++ on the CPU: each word of device code against NumPy, and the errors that a device would have."""

import struct
from functools import cache
from itertools import product

import numpy as np
import pytest
from shim_kernels import ORDERS, Library

ARGUMENTS = "struct A { int64_t n; const %s *a; %s *o; };\n"
THREADS = 96  # three warps


@cache
def warp_kernels(expressions: tuple[str, ...], kinds: tuple[str, ...]) -> Library:
    """Return one library with a kernel for each expression and type, which stores that of each thread's element x."""
    text = ""
    for kind, (number, expression) in product(kinds, enumerate(expressions)):
        name = f"f{number}_{kinds.index(kind)}"
        body = f"const unsigned t = threadIdx.x; const {kind} x = p.a[t]; p.o[t] = {expression};"
        text += f"struct {name}_args {{ int64_t n; const {kind} *a; {kind} *o; }};\n"
        text += f"SYNC_KERNEL({name}, {name}_args) {{ {body} }}\n"
    return Library(text)


def run_warps(table, expression, values, kinds=("unsigned",), kind="unsigned"):
    """Return what the threads store."""
    run, found = warp_kernels(tuple(table), kinds), np.zeros_like(values)
    name = f"f{list(table).index(expression)}_{kinds.index(kind)}"
    assert run(name, len(values), values, found, threads=len(values)) is None
    return found


def shuffled(values: np.ndarray, source: np.ndarray) -> np.ndarray:
    """Return what each lane reads from the lane `source` of its warp, or its own value where that is outside."""
    lanes = np.arange(len(values))
    inside = (source >= 0) & (source < 32)
    return values[np.where(inside, lanes // 32 * 32 + source, lanes)]


LANE = np.arange(THREADS) % 32
EXCHANGES = {
    "__shfl_sync(~0u, x, 5)": np.full(THREADS, 5),
    "__shfl_sync(~0u, x, t * 7)": LANE * 7 % 32,
    "__shfl_sync(~0u, x, 3, 8)": LANE // 8 * 8 + 3,
    "__shfl_down_sync(~0u, x, 4)": LANE + 4,
    "__shfl_down_sync(~0u, x, 4, 16)": np.where(LANE % 16 + 4 < 16, LANE + 4, LANE),
    "__shfl_up_sync(~0u, x, 3)": LANE - 3,
    "__shfl_up_sync(~0u, x, 3, 8)": np.where(LANE % 8 >= 3, LANE - 3, LANE),
    "__shfl_xor_sync(~0u, x, 6)": LANE ^ 6,
    "__shfl_xor_sync(~0u, x, 1, 2)": LANE ^ 1,
}


KINDS = {"int": "i4", "float": "f4", "double": "f8", "int64_t": "i8"}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("expression", EXCHANGES)
def test_exchanges_of_a_warp(expression, kind, order, monkeypatch):
    monkeypatch.setenv("FACULA_SHIM_ORDER", order)
    values = np.arange(100, 100 + THREADS).astype(KINDS[kind])
    found = run_warps(EXCHANGES, expression, values, tuple(KINDS), kind)
    np.testing.assert_array_equal(found, shuffled(values, EXCHANGES[expression]))


WEIGHTS = 1 << np.arange(32, dtype=np.uint32)
VOTES = {
    "__ballot_sync(~0u, x & 1)": lambda x: np.repeat([(WEIGHTS * (w & 1)).sum() for w in x.reshape(-1, 32)], 32),
    "__any_sync(~0u, x == 40)": lambda x: np.repeat((x.reshape(-1, 32) == 40).any(1), 32),
    "__all_sync(~0u, x < 40)": lambda x: np.repeat((x.reshape(-1, 32) < 40).all(1), 32),
    "__syncthreads_count(x % 3 == 0)": lambda x: np.full(len(x), (x % 3 == 0).sum()),
    "__syncthreads_or(x == 1000)": lambda x: np.full(len(x), (x == 1000).any()),
    "__syncthreads_or(x == 3)": lambda x: np.full(len(x), (x == 3).any()),
    "__syncthreads_and(x < 96)": lambda x: np.full(len(x), (x < 96).all()),
    "__syncthreads_and(x < 95)": lambda x: np.full(len(x), (x < 95).all()),
    "(__syncthreads_count(x & 1), __syncthreads_count(x < 7))": lambda x: np.full(len(x), (x < 7).sum()),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("expression", VOTES)
def test_votes(expression, order, monkeypatch):
    monkeypatch.setenv("FACULA_SHIM_ORDER", order)
    values = np.arange(THREADS, dtype="u4")
    found = run_warps(VOTES, expression, values)
    np.testing.assert_array_equal(found, VOTES[expression](values))


def test_lanes_of_a_mask_exchange_by_themselves():
    # Odd lanes exchange twice as often as even ones: a barrier of the whole warp would wait forever.
    source = """
    if (t & 1) { int y = __shfl_xor_sync(0xaaaaaaaau, x, 2); y = __shfl_xor_sync(0xaaaaaaaau, y, 4); p.o[t] = y; }
    else p.o[t] = __shfl_xor_sync(0x55555555u, x, 2);
    """
    body = f"const unsigned t = threadIdx.x; const int x = p.a[t]; {source}"
    run = Library(ARGUMENTS % ("int", "int") + f"SYNC_KERNEL(f, A) {{ {body} }}")
    values, found = np.arange(32, dtype="i4"), np.zeros(32, "i4")
    assert run("f", 32, values, found) is None
    np.testing.assert_array_equal(found, np.where(values & 1, values ^ 6, values ^ 2))


ATOMICS = {
    "atomicAdd(p.o, x)": (0, lambda x: x.sum()),
    "atomicSub(p.o, x)": (9000, lambda x: 9000 - x.sum()),
    "atomicMin(p.o, x)": (5000, lambda x: x.min()),
    "atomicMax(p.o, x)": (0, lambda x: x.max()),
    "atomicAnd(p.o, x | 64)": (127, lambda x: np.bitwise_and.reduce(x | 64) & 127),
    "atomicOr(p.o, x)": (0, lambda x: np.bitwise_or.reduce(x)),
    "atomicXor(p.o, x)": (0, lambda x: np.bitwise_xor.reduce(x)),
    "atomicInc(p.o, 40)": (0, lambda x: THREADS % 41),
    "atomicDec(p.o, 40)": (0, lambda x: (41 - THREADS % 41) % 41),
    "atomicCAS(p.o, 7, x)": (7, lambda x: x[0]),
    "atomicExch(p.o, 9)": (0, lambda x: 9),
}


@cache
def atomic_kernels() -> Library:
    text = ""
    for kind, (number, expression) in product(("unsigned", "unsigned long long"), enumerate(ATOMICS)):
        name = f"{'u' if kind == 'unsigned' else 'l'}{number}"
        text += f"struct {name}_args {{ const {kind} *a; {kind} *o; }};\n"
        text += f"KERNEL({name}, {name}_args) {{ const {kind} x = p.a[threadIdx.x]; {expression}; }}\n"
    return Library(text)


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
@pytest.mark.parametrize("expression", ATOMICS)
def test_atomic_operations(expression, dtype):
    start, expected = ATOMICS[expression]
    name = f"{'u' if dtype is np.uint32 else 'l'}{list(ATOMICS).index(expression)}"
    values, found = np.arange(8, 8 + THREADS).astype(dtype), np.array([start], dtype)
    assert atomic_kernels()(name, values, found, threads=THREADS) is None
    assert found[0] == expected(values)


def bits(x: np.ndarray) -> list[str]:
    return [np.binary_repr(int(value), 32) for value in x]


NUMBERS = {
    "__popc(x)": lambda x: [text.count("1") for text in bits(x)],
    "__clz((int)x)": lambda x: [(text + "1").index("1") if "1" in text else 32 for text in bits(x)],
    "__ffs((int)x)": lambda x: [text[::-1].find("1") + 1 for text in bits(x)],
    "__brev(x)": lambda x: [int(text[::-1], 2) for text in bits(x)],
    "__umulhi(x, 0x9E3779B9u)": lambda x: [int(v) * 0x9E3779B9 >> 32 for v in x],
    "(unsigned)(__umul64hi((uint64_t)x << 32 | x, 0x9E3779B97F4A7C15ull) >> 32)": lambda x: [
        (int(v) << 32 | int(v)) * 0x9E3779B97F4A7C15 >> 96 for v in x
    ],
    "(unsigned)__popcll((uint64_t)x << 20 | x)": lambda x: [(int(v) << 20 | int(v)).bit_count() for v in x],
    "(unsigned)__clzll((int64_t)x)": lambda x: [64 - int(v).bit_length() for v in x],
    "(unsigned)__ffsll((int64_t)x << 3)": lambda x: [(int(v) & -int(v)).bit_length() + 3 if v else 0 for v in x],
    "__float_as_uint(__uint_as_float(x))": lambda x: x,
    "(unsigned)__float_as_int((float)x)": lambda x: x.astype("f4").view("u4"),
    "(unsigned)__int_as_float((int)x)": lambda x: [
        int(v) & 0xFFFFFFFF if np.isfinite(v) and abs(v) < 2**31 else 0 for v in x.view("f4")
    ],
    "(unsigned)(__double_as_longlong((double)x) >> 32)": lambda x: x.astype("f8").view("u8") >> 32,
    "(unsigned)__longlong_as_double(0x4059000000000000ll)": lambda x: np.full(len(x), 100),
    "min(x, 1000u) + max(x, 7u)": lambda x: np.minimum(x, 1000) + np.maximum(x, 7),
    "__ldg(p.a + t)": lambda x: x,
}


@pytest.mark.parametrize("expression", NUMBERS)
def test_bits_and_numbers(expression):
    values = np.array([0, 1, 2, 3, 0x80, 0x12345678, 0x3F800000, 0x7FFFFFFF, *range(0x40000000, 0x40000018)], "u4")
    found = run_warps(NUMBERS, expression, values)
    np.testing.assert_array_equal(found, np.array(NUMBERS[expression](values), "u4"))


def test_products_and_sums_are_rounded_once_each_but_for_fma():
    a = np.float32(1 + 2**-12)
    run = Library(
        "struct A { const float *a; float *o; double *d; };\n"
        "KERNEL(f, A) { const float a = *p.a; p.o[0] = a * a - 1; p.o[1] = __fmaf_rn(a, a, -1);"
        " p.o[2] = __fadd_rn(__fmul_rn(a, a), -1);"
        " p.d[0] = __fma_rn(a, a, -1.0); p.d[1] = __dadd_rn(__dmul_rn(a, a), -1.0); }"
    )
    found, doubles = np.zeros(3, "f4"), np.zeros(2)
    assert run("f", np.array([a]), found, doubles, threads=1) is None
    exact = 2.0**-11 + 2.0**-24
    assert found.tolist() == [a * a - np.float32(1), np.float32(exact), a * a - np.float32(1)]
    assert doubles.tolist() == [exact, exact]


FOLD = """
struct A { int64_t n; const float *a; float *o; };
SYNC_KERNEL_OF(1024, fold, A)
{
    __shared__ float part[32];
    float sum = 0;
    for (int64_t i = threadIdx.x; i < p.n; i += blockDim.x)
        sum += p.a[i];
    for (int by = 16; by; by >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, by);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
        for (int by = 16; by; by >>= 1)
            sum += __shfl_down_sync(0xffffffffu, sum, by);
        if (threadIdx.x == 0)
            p.o[blockIdx.x] = sum;
    }
}
"""


def fold_in(order, source, monkeypatch, threads=256):
    monkeypatch.setenv("FACULA_SHIM_ORDER", order)
    values, found = np.arange(1000, dtype="f4"), np.zeros(3, "f4")
    assert Library(source)("fold", 1000, values, found, blocks=3, threads=threads) is None
    return found


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("threads", [32, 64, 256, 1024])
def test_barriers_and_shared_memory(order, threads, monkeypatch):
    np.testing.assert_array_equal(fold_in(order, FOLD, monkeypatch, threads), np.full(3, 499500))


def test_a_missing_barrier_is_found(monkeypatch):
    assert FOLD.count("__syncthreads();") == 1
    without = FOLD.replace("__syncthreads();", "")
    wrong = [order for order in ORDERS if not (fold_in(order, without, monkeypatch) == 499500).all()]
    assert len(wrong) >= 2, wrong


def test_shared_memory_is_not_zero_at_the_beginning():
    run = Library(
        "struct A { float *o; };\nSYNC_KERNEL(f, A) { __shared__ float s[4]; DYNAMIC_SHARED(float, d);"
        " p.o[2 * blockIdx.x] = s[1]; p.o[2 * blockIdx.x + 1] = d[1]; __syncthreads(); s[1] = d[1] = 1; }"
    )
    found = np.zeros(6, "f4")
    assert run("f", found, blocks=3, threads=1) is None
    assert np.isnan(found).all()


def test_dynamic_shared_memory():
    run = Library(
        ARGUMENTS
        % ("int", "int")
        + "SYNC_KERNEL_OF(1024, f, A) { DYNAMIC_SHARED(int, s); s[threadIdx.x] = p.a[threadIdx.x];"
        " __syncthreads(); p.o[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x]; }"
    )
    values, found = np.arange(1024, dtype="i4"), np.zeros(1024, "i4")
    assert run("f", 1024, values, found, threads=1024) is None
    np.testing.assert_array_equal(found, values[::-1])


def test_threads_that_end_early_do_not_hold_up_the_others():
    run = Library(
        ARGUMENTS % ("int", "int") + "SYNC_KERNEL(f, A) { const unsigned t = threadIdx.x; if (t >= p.n) return;"
        " int x = __shfl_down_sync(~0u, p.a[t], 1); __syncthreads(); p.o[t] = x; }"
    )
    values, found = np.arange(64, dtype="i4"), np.zeros(64, "i4")
    assert run("f", 40, values, found, threads=64) is None
    np.testing.assert_array_equal(found[:31], values[1:32])
    np.testing.assert_array_equal(found[32:39], values[33:40])
    assert not found[40:].any()


LOAD = """
template <class T, int N> struct alignas(sizeof(T) * N) pack { T at[N]; };
struct A { const float *a; float *o; };
%s(f, A)
{
    const pack<float, 4> x = ((const pack<float, 4> *)p.a)[threadIdx.x];
    ((pack<float, 4> *)p.o)[threadIdx.x] = x;
}
"""


@pytest.mark.parametrize("kernel", ["KERNEL", "SYNC_KERNEL"])
def test_misaligned_vectors_are_reported(kernel):
    run = Library(LOAD % kernel)
    room = np.arange(4 * 32 + 8, dtype="f4")
    start = -room.ctypes.data // 4 % 4  # the first element at a multiple of 16 bytes
    found = np.zeros_like(room)[start:]
    found = found[-found.ctypes.data // 4 % 4 :]
    assert run("f", room[start:], found) is None
    np.testing.assert_array_equal(found[:128], room[start : start + 128])
    assert "misaligned access of device memory, in line 6" in run("f", room[start + 1 :], found)
    assert run("f", room[start:], found) is None  # each failure is reported once


MISUSES = {
    "KERNEL(f, A) { __syncthreads(); }": "a KERNEL has a barrier: write SYNC_KERNEL",
    "KERNEL(f, A) { *p.o = __shfl_down_sync(~0u, 1, 1); }": "exchanges values between threads: write SYNC_KERNEL",
    "SYNC_KERNEL(f, A) { if (threadIdx.x) __syncwarp(); else __syncthreads(); }": "a barrier waits for threads",
    "SYNC_KERNEL(f, A) { __syncwarp(1); }": "is not in the mask",
}


@pytest.mark.parametrize("kernel", MISUSES)
def test_misuse_is_reported(kernel):
    run = Library("struct A { int *o; };\n" + kernel)
    sentence = run("f", np.zeros(1, "i4"), threads=64)
    assert MISUSES[kernel] in sentence and sentence.endswith(" (kernel f)")


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("kernel", ["KERNEL(", "SYNC_KERNEL(", "SYNC_KERNEL_OF(64, "])
def test_blocks_have_no_more_threads_than_the_kernel_states(kernel, more):
    run = Library("struct A { int *o; };\n" + kernel + "f, A) { *p.o = 1; }")
    found = np.zeros(1, "i4")
    most = 64 if "64" in kernel else 256
    threads = most + 1 if more else 0
    assert f"expected 1 to {most}" in run("f", found, threads=threads)
    assert not found[0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kernel", ["KERNEL", "SYNC_KERNEL"])
@pytest.mark.parametrize("threads", [1, 2, 31, 33, 100, 255])
def test_each_thread_of_each_block_runs_once(kernel, threads, order, monkeypatch):
    monkeypatch.setenv("FACULA_SHIM_ORDER", order)
    body = "p.o[blockIdx.x * blockDim.x + threadIdx.x] += 1 + gridDim.x;"
    run = Library(f"struct A {{ int *o; }};\n{kernel}(f, A) {{ {body} }}")  # compiled once: the cache has it
    found = np.zeros(5 * threads, "i4")
    assert run("f", found, blocks=5, threads=threads) is None
    assert (found == 6).all()


def test_parameter_blocks_have_8_bytes_a_word():
    run = Library("struct A { int64_t n; double s; double *o; };\nKERNEL(f, A) { *p.o = p.s + p.n; }")
    found = np.zeros(1)
    assert run("f", 3, 0.25, found, threads=1) is None
    assert struct.pack("d", found[0]) == struct.pack("d", 3.25)
