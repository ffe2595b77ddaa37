"""Kernels from their text to results on a simulated device, by the launches of csrc/."""

import numpy as np
import pytest

from facula_cuda._compile.modules import functions
from facula_cuda._driver import ffi, lib
from facula_cuda._port.devices import context
from facula_cuda.testing import kernel_failure

SOURCE = """
#include <stdint.h>
template <class T, int N> struct __align__(sizeof(T) * N) pack { T at[N]; };
template <int N> struct nest { int64_t dims, extent[6], step[6][N]; };
struct args { int64_t n; const float *a, *b; float *o; double s; };
KERNEL(dense, args)
{
    const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (i + 4 <= p.n) {
        const pack<float, 4> x = *(const pack<float, 4> *)(p.a + i), y = *(const pack<float, 4> *)(p.b + i);
        pack<float, 4> z;
        for (int j = 0; j < 4; j++)
            z.at[j] = x.at[j] * y.at[j] + (float)p.s;
        *(pack<float, 4> *)(p.o + i) = z;
    } else {
        for (int64_t j = i; j < p.n; j++)
            p.o[j] = p.a[j] * p.b[j] + (float)p.s;
    }
}
struct nested_args { args p; nest<3> shape; };
KERNEL(nested, nested_args)
{
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.p.n; i += (int64_t)gridDim.x * blockDim.x) {
        int64_t rest = i, at[3] = {0, 0, 0};
        for (int d = 0; d < p.shape.dims; d++) {
            const int64_t index = rest % p.shape.extent[d];
            rest /= p.shape.extent[d];
            for (int k = 0; k < 3; k++)
                at[k] += index * p.shape.step[d][k];
        }
        const float x = *(const float *)((const char *)p.p.a + at[0]);
        const float y = *(const float *)((const char *)p.p.b + at[1]);
        *(float *)((char *)p.p.o + at[2]) = x * y + (float)p.p.s;
    }
}
struct fold_args { int64_t n; const float *a; double *o; char *scratch; };
SYNC_KERNEL(fold, fold_args)
{
    double *const partial = (double *)(p.scratch + 16);
    __shared__ double part[32];
    __shared__ int last;
    double sum = 0;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.n; i += (int64_t)gridDim.x * blockDim.x)
        sum += p.a[i];
    for (int by = 16; by; by >>= 1)
        sum += __shfl_down_sync(0xffffffffu, sum, by);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        sum = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++)
            sum += part[w];
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc((unsigned *)p.scratch, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++)
            sum += ((volatile double *)partial)[b];
        *p.o = sum;
    }
}
struct stray_args { int64_t n; float *o; };
KERNEL(stray, stray_args) { p.o[threadIdx.x * p.n] = 1; }
SYNC_KERNEL(stray_fiber, stray_args) { p.o[threadIdx.x * p.n] = 1; __syncthreads(); }
KERNEL(odd, stray_args) { *(int64_t *)((char *)p.o + 4) = 1; }
"""
NAMES = ("dense", "nested", "fold", "stray", "stray_fiber", "odd")


class Memory:
    """Arrays in one allocation of a device."""

    def __init__(self):
        self.start = ffi.new("uint64_t *")
        assert lib.driver.cuMemAlloc_v2(self.start, 1 << 20) == 0
        self.used = 0

    def put(self, array, shift=0):
        """Copy an array to an address that is `shift` bytes after a multiple of 16; return the address."""
        address = int(self.start[0]) + self.used + shift
        self.used += (array.nbytes + shift + 31) // 16 * 16
        assert lib.driver.cuMemcpyHtoDAsync_v2(address, ffi.from_buffer(array), array.nbytes, 0) == 0
        return address

    def get(self, address, count, dtype="f4"):
        found = np.zeros(count, dtype)
        assert lib.driver.cuMemcpyDtoHAsync_v2(ffi.from_buffer(found), address, found.nbytes, 0) == 0
        assert lib.driver.cuStreamSynchronize(0) == 0
        return found


@pytest.fixture
def kernels(simulated):
    simulated()
    context(0)
    return dict(zip(NAMES, functions(SOURCE, NAMES, 0)))


def plan_of(kernels):
    plan = ffi.new("struct facula_cuda_elementwise *")
    plan.dense, plan.nested = kernels["dense"], kernels["nested"]
    plan.arrays, plan.outputs, plan.words, plan.vector, plan.max_blocks = 3, 1, 5, 4, 7
    plan.itemsize[0:3] = [4, 4, 4]
    return plan


def words_of(*words):
    block = np.zeros(max(len(words), 4), np.int64)
    for place, word in enumerate(words):
        block[place : place + 1].view(np.float64 if isinstance(word, float) else np.int64)[0] = word
    return ffi.cast("int64_t *", ffi.from_buffer(block)), block


@pytest.mark.parametrize("n", [1, 3, 4, 1023, 1024, 5000])
@pytest.mark.parametrize("shift", [0, 4])
def test_contiguous_arrays_at_any_address(kernels, n, shift):
    memory, random = Memory(), np.random.default_rng(n)
    a, b = (random.normal(size=n).astype("f4") for _ in range(2))
    at = [memory.put(a, shift), memory.put(b), memory.put(np.zeros(n + 1, "f4"))]
    words, _kept = words_of(n, *at, 0.5)
    assert lib.facula_cuda_dense(plan_of(kernels), words) == 0
    found = memory.get(at[2], n + 1)
    np.testing.assert_array_equal(found[:n], a * b + np.float32(0.5))
    assert found[n] == 0 and kernel_failure() == ""


def test_strided_and_broadcast_arrays(kernels):
    memory, random = Memory(), np.random.default_rng(0)
    a, b = random.normal(size=(30, 40)).astype("f4"), random.normal(size=40).astype("f4")
    at = [memory.put(a), memory.put(b), memory.put(np.zeros(60 * 40, "f4"))]
    plan = ffi.new("struct facula_cuda_elementwise *")
    strides = [[1, 40], [1, 0], [2, 80]]  # dimensions exchanged, b broadcast, every other element of the result
    assert lib.facula_cuda_nest(plan, plan_of(kernels), 2, [40, 30], [step for one in strides for step in one]) > 0
    words, _kept = words_of(1200, *at, 0.0)
    assert lib.facula_cuda_nested(plan, words) == 0
    found = memory.get(at[2], 2400).reshape(30, 40, 2)
    np.testing.assert_array_equal(found[:, :, 0], a * b)
    assert not found[:, :, 1].any()


@pytest.mark.parametrize("order", ["forward", "backward", "shuffled"])
def test_folds_by_the_last_block_over_the_scratch_memory(kernels, order, monkeypatch):
    monkeypatch.setenv("FACULA_SHIM_ORDER", order)
    memory = Memory()
    plan = ffi.new("struct facula_cuda_fixed *")
    plan.words, plan.scratch, plan.steps = 3, 1, 1
    step = plan.step[0]
    step.function, step.per_block, step.max_blocks, step.threads = kernels["fold"], 1000, 100, 256
    values = np.arange(10_000, dtype="f4")
    at = [memory.put(values), memory.put(np.zeros(2))]
    for _ in range(2):  # the counter of blocks is 0 again
        words, _kept = words_of(10_000, *at)
        assert lib.facula_cuda_fixed(plan, words) == 0
        assert memory.get(at[1], 1, "f8")[0] == values.sum(dtype="f8")


@pytest.mark.parametrize(
    ("kernel", "n", "code"), [("stray", 1 << 40, 700), ("stray_fiber", 1 << 40, 700), ("odd", 1, 716)]
)
def test_errors_of_kernels_are_those_of_a_device(kernels, kernel, n, code):
    memory = Memory()
    plan = ffi.new("struct facula_cuda_fixed *")
    plan.words, plan.steps = 2, 1
    step = plan.step[0]
    step.function, step.blocks, step.threads = kernels[kernel], 1, 32
    words, _kept = words_of(n, memory.put(np.zeros(4, "f4")))
    assert lib.facula_cuda_fixed(plan, words) == 0
    assert lib.driver.cuStreamSynchronize(0) == code
    words, _kept = words_of(n, 0)
    assert lib.facula_cuda_fixed(plan, words) == lib.STATUS_DEVICE and words[0] == code
    if code == 716:
        assert kernel_failure().startswith("misaligned access of device memory, in line")
