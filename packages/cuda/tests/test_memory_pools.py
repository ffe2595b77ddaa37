"""Private pools of device memory."""

import gc

import pytest

import facula_cuda as cuda
from facula_errors.testing import raises

pytestmark = pytest.mark.usefixtures("two_devices")


def pools_of(index=0):
    return {segment["segment_pool_id"] for segment in cuda.device_allocator(index).memory_snapshot()["segments"]}


def test_blocks_come_from_the_pool_of_a_block_of_the_program():
    pool, allocator = cuda.MemPool(), cuda.device_allocator()
    with cuda.use_mem_pool(pool):
        inside = allocator.allocate(1000)
    outside, there = allocator.allocate(1000), cuda.device_allocator(1)
    with cuda.use_mem_pool(pool, "cuda:1"):
        other = there.allocate(1000)
    assert len(pools_of()) == 2 and len(pools_of(1)) == 1
    address = inside.ptr
    inside.free()
    allocator.empty_cache()
    with cuda.use_mem_pool(pool):
        assert allocator.allocate(1000).ptr == address  # idle memory stays in its pool
    for block in (outside, other):
        block.free()
    del pool
    gc.collect()


def test_graphs_capture_in_a_pool():
    pool, captured = cuda.MemPool(), cuda.CUDAGraph()
    with cuda.graph(captured, pool=pool.id):
        block = cuda.device_allocator().allocate(512)
    assert captured.pool() == pool.id and repr(pool.id) in repr(pool)
    block.free()


def test_what_is_no_pool_is_named():
    with raises(TypeError, "use_mem_pool", "pool", value="3"):
        with cuda.use_mem_pool(3):
            pass
