"""The simulated driver's functions for tests: results are returned, and codes are raised as `Code`."""

import subprocess

from facula_cuda._driver import ffi, lib
from facula_cuda.testing import simulate

KERNELS = r"""
#include <stdint.h>
struct block { int64_t n; float *to; const float *from; };
static const char *failure;
const char *facula_shim_failure(void)
{
    const char *found = failure;
    failure = 0;
    return found;
}
void add_one(const struct block *p, unsigned blocks, unsigned threads)
{
    for (int64_t i = 0; i < p->n; i++)
        p->to[i] = p->from[i] + 1;
}
void set(const struct { int64_t at; int64_t value; } *p, unsigned blocks, unsigned threads)
{
    *(int64_t *)p->at = p->value * blocks * threads;
}
void append(const struct { int64_t *log; int64_t value; } *p, unsigned blocks, unsigned threads)
{
    p->log[++p->log[0]] = p->value;
}
void misaligned(const void *p, unsigned blocks, unsigned threads) { failure = "misaligned access"; }
void diverging(const void *p, unsigned blocks, unsigned threads) { failure = "a barrier"; }
void nothing(const void *p, unsigned blocks, unsigned threads) {}
"""


class Code(Exception):
    """A driver function's result other than 0."""


def call(name, *arguments):
    code = getattr(lib.driver, name)(*arguments)
    if code:
        raise Code(code)


def code_of(name, *arguments):
    return getattr(lib.driver, name)(*arguments)


def get(kind, name, *arguments):
    """Call a function whose first argument points to its result."""
    result = ffi.new(f"{kind} *")
    call(name, result, *arguments)
    return result[0]


def use_device(index=0):
    context = get("int64_t", "cuDevicePrimaryCtxRetain", index)
    call("cuCtxSetCurrent", context)
    return context


def allocate(nbytes):
    return get("uint64_t", "cuMemAlloc_v2", nbytes)


def pinned(nbytes):
    """Return pinned memory as a buffer of bytes and its address."""
    address = get("void *", "cuMemHostAlloc", nbytes, 0)
    return ffi.buffer(address, nbytes), int(ffi.cast("uintptr_t", address))


def stream(flags=1):
    return get("int64_t", "cuStreamCreateWithPriority", flags, 0)


def event(flags=2):
    return get("int64_t", "cuEventCreate", flags)


def write(address, values, stream=0):
    """Copy bytes to the device from pageable memory."""
    call("cuMemcpyHtoDAsync_v2", address, ffi.from_buffer(values), len(values), stream)


def queue_read(address, target, nbytes, stream=0):
    call("cuMemcpyDtoHAsync_v2", ffi.cast("void *", target), address, nbytes, stream)


def read(address, nbytes, stream=0):
    """Copy bytes to pageable memory, which waits."""
    target = bytearray(nbytes)
    call("cuMemcpyDtoHAsync_v2", ffi.from_buffer(target), address, nbytes, stream)
    return bytes(target)


def words(*values):
    return b"".join((value & (1 << 64) - 1).to_bytes(8, "little") for value in values)


def numbers(data):
    """Return the 64-bit numbers in bytes."""
    return [int.from_bytes(data[i : i + 8], "little", signed=True) for i in range(0, len(data), 8)]


def launch(function, block, stream=0, grid=(1, 1, 1), threads=(1, 1, 1), shared=0):
    """Return the code of a launch."""
    nbytes = ffi.new("size_t *", len(block))
    data = ffi.from_buffer(block) if block else ffi.NULL
    extra = [ffi.cast("void *", 1), data, ffi.cast("void *", 2), nbytes, ffi.NULL]
    extra = ffi.new("void *[]", extra)
    return lib.driver.cuLaunchKernel(function, *grid, *threads, shared, stream, ffi.NULL, extra)


def build_kernels(folder, text=KERNELS):
    """Compile kernels by gcc, and return the library's path."""
    source = folder / "kernels.c"
    source.write_text(text)
    library = folder / "kernels.so"
    subprocess.run(["gcc", "-w", "-O1", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    return library


def load(library):
    """Load a library by its path, and return its module."""
    return get("int64_t", "cuModuleLoadData", b"facula-library:" + str(library).encode() + b"\0")


def functions(module, *names):
    return [get("int64_t", "cuModuleGetFunction", module, name.encode()) for name in names]


def begin_capture(on, mode=0):
    call("cuStreamBeginCapture_v2", on, mode)


def end_capture(on):
    """End a capture, and return the executable graph."""
    graph = ffi.new("int64_t *")
    call("cuStreamEndCapture", on, graph)
    executable = get("int64_t", "cuGraphInstantiateWithFlags", graph[0], 0)
    call("cuGraphDestroy", graph[0])
    return executable


def capture_status(on):
    result = ffi.new("int *")
    call("cuStreamIsCapturing", on, result)
    return result[0]


def end_capture_code(on):
    return code_of("cuStreamEndCapture", on, ffi.new("int64_t *"))


def exchange_capture_mode(mode):
    value = ffi.new("int *", mode)
    call("cuThreadExchangeStreamCaptureMode", value)
    return value[0]


class StreamLog:
    """A log in device memory: `log(value, stream)` queues an entry, and `log.entries()` waits for all."""

    def __init__(self, library):
        (self.append,) = functions(load(library), "append")
        self.address = allocate(1 << 16)
        self.clear()

    def clear(self):
        write(self.address, words(0))
        call("cuCtxSynchronize")

    def __call__(self, value, stream):
        assert launch(self.append, words(self.address, value), stream) == 0

    def entries(self):
        call("cuCtxSynchronize")
        return self.so_far()

    def so_far(self):
        """Read the entries without waiting for other streams."""
        data = numbers(read(self.address, 1 << 14, stream()))
        return data[1 : 1 + data[0]]

    def orders(self, queue, seeds=60):
        """Return the orders in which the entries of `queue()` ran, over some seeds."""
        found = set()
        for seed in range(seeds):
            simulate(seed=seed)
            self.clear()
            queue()
            found.add(tuple(self.entries()))
        return found
