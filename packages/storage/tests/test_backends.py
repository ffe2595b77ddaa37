"""The basic allocator, and the two built-in backends."""

import threading
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storage_helpers import Running, require_own_backend

from facula_errors.testing import raises
from facula_storage import MallocAllocator, contiguous, cpu, float32, meta
from facula_storage.extend import HostMemory, allocate


@given(st.lists(st.integers(0, 10_000), max_size=30))
def test_figures_are_exact(sizes):
    allocator = MallocAllocator()
    blocks = [allocator.take_for(nbytes)() for nbytes in sizes]
    real = [nbytes for nbytes in sizes if nbytes]
    assert allocator.statistics() == {
        "allocated_bytes": sum(real), "allocated_blocks": len(real), "reserved_bytes": sum(real)}  # fmt: skip
    for (address, _), nbytes in zip(blocks, sizes, strict=True):
        assert address % 64 == 0
        assert bool(address) == bool(nbytes)
    spans = sorted((address, address + nbytes) for (address, _), nbytes in zip(blocks, sizes, strict=True) if nbytes)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    for _, release in blocks:
        release()
    assert set(allocator.statistics().values()) == {0}
    assert allocator.trim() == 0


@pytest.mark.parametrize("nbytes", [-1, 1 << 62, 1 << 63, 1 << 70])
def test_impossible_sizes(nbytes):
    allocator = MallocAllocator()
    with raises(MemoryError, "refill", f"cannot allocate {nbytes} bytes"):
        allocator.refill(nbytes)
    assert allocator.statistics()["allocated_blocks"] == 0


def test_releasing_twice_is_harmless():
    allocator = MallocAllocator()
    _, release = allocator.refill(8)
    release()
    release()
    assert allocator.statistics()["allocated_blocks"] == 0


def test_a_release_outlives_its_allocator(no_collector):
    allocator = MallocAllocator()
    address, release = allocator.refill(8)
    del allocator
    HostMemory().copy_in(address, b"12345678")
    release()


def test_releases_are_not_python_functions():
    """They run inside finalizers, at interpreter exit, and during collections."""
    assert type(MallocAllocator().refill(8)[1]).__module__ == "functools"
    assert type(MallocAllocator().refill(8)[1].func).__name__ == "builtin_function_or_method"
    assert meta.backend.allocator.refill(8) == (0, int)


def test_threads_allocate_and_release(often_switching):
    allocator, start = MallocAllocator(), threading.Barrier(4)

    def work():
        start.wait()
        held = []
        for i in range(500):
            held.append(allocator.refill(64 + i)[1])
            if i % 3 == 0:
                held.pop(len(held) // 2)()
        for release in held:
            release()

    for thread in [Running(work) for _ in range(4)]:
        thread.finish()
    assert set(allocator.statistics().values()) == {0}


@pytest.mark.parametrize("dtype", ["?", "i1", "f4", "c8", "c16"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3)])
def test_host_memory_copies_any_format(dtype, shape):
    memory, source = HostMemory(), np.ones(shape, dtype)
    address, _release = memory.allocator.refill(source.nbytes)
    memory.copy_in(address, source)
    back = np.zeros(shape, dtype)
    memory.copy_out(address, back)
    assert np.array_equal(back, source)


def test_host_memory_copies_bytes():
    memory = HostMemory()
    address, _release = memory.allocator.refill(4)
    memory.copy_in(address, b"abcd")
    target = bytearray(4)
    memory.copy_out(address, target)
    assert target == b"abcd"
    memory.synchronize()


@pytest.mark.parametrize("buffer", [np.zeros((2, 3), order="F"), np.zeros(4)[::2]])
def test_host_memory_copies_whole_buffers_only(buffer):
    with raises(ValueError, "copy_in", "expected a C-contiguous buffer", value="ndarray of shape"):
        HostMemory().copy_in(0, buffer)
    with raises(ValueError, "copy_out", "expected a writable C-contiguous buffer"):
        HostMemory().copy_out(0, buffer)


def test_host_memory_does_not_write_to_read_only_buffers():
    memory = HostMemory()
    address, _release = memory.allocator.refill(4)
    with raises(ValueError, "copy_out", "readonly=True"):
        memory.copy_out(address, b"abcd")


def test_host_memory_has_no_kernels():
    require_own_backend()
    with raises(NotImplementedError, "add", "install facula-cpu"):
        cpu.backend.plan("add", (), (), ())
    assert HostMemory(allocator := MallocAllocator()).allocator is allocator


def test_meta_runs_every_plan_without_memory():
    layout = contiguous((1 << 20, 1 << 20), float32, meta)
    storage = allocate(layout)
    assert (storage.ptr, storage.version, layout.nbytes) == (0, 0, 1 << 42)
    plan = meta.backend.plan("anything", (layout, float), (layout,), ("p",))
    assert (plan.operator, plan.out, plan.parameters, plan.any_size) == ("anything", layout, ("p",), True)
    assert plan.launch(layout.numel, storage.ptr, storage.ptr, 2.0) is None
    assert meta.backend.copy_in(0, b"abc") is None
    meta.backend.synchronize()
    with raises(RuntimeError, "copy_out", "'meta' has no elements"):
        meta.backend.copy_out(0, bytearray(4))
    assert set(meta.backend.allocator.statistics().values()) == {0}
    assert meta.backend.allocator.trim() == 0
