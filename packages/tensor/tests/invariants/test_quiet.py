"""Quiet moments: after a burst, ordinary work trims idle memory to its bound and frees replaced buffers."""

from __future__ import annotations

import os
import threading
import types

import pytest

import facula_tensor as ft
from facula_storage import Device, contiguous
from facula_storage.extend import launching_modules, release_retired, replace_buffer, take_block

pooled = pytest.mark.skipif(os.environ.get("FACULA_ALLOCATOR") == "malloc", reason="without pools nothing is kept idle")
BOUND = 8 << 20


@pytest.fixture
def allocator(monkeypatch, no_collector):
    """The CPU's allocator with a low bound and no idle blocks."""
    allocator = Device("cpu").backend.allocator
    monkeypatch.setattr(allocator, "cache_limit", BOUND)
    allocator.trim()
    yield allocator
    allocator.trim()


def step(weight):
    """Run a training step of negligible size with a dozen nodes."""
    x = ft.ones(4, 4)
    for _ in range(6):
        x = (x @ weight).tanh()
    x.sum().backward()
    weight.grad = None


def burst():
    """Allocate tensors of many sizes, about 40 MB, that are all alive at once."""
    return [ft.empty(n) for n in range(50_000, 1_500_000, 100_000)]


@pooled
def test_idle_memory_falls_below_its_bound_after_a_burst(allocator):
    weight = ft.ones(4, 4, requires_grad=True)
    step(weight)
    before = allocator.statistics()
    tensors = burst()
    del tensors
    assert allocator.statistics()["cached_bytes"] > 3 * BOUND, "releases give nothing back"
    for _ in range(200):
        step(weight)
    now = allocator.statistics()
    assert now["cached_bytes"] <= BOUND
    assert now["reserved_bytes"] == now["allocated_bytes"] + now["cached_bytes"]
    assert now["allocated_blocks"] == before["allocated_blocks"]


@pooled
def test_large_results_are_quiet_moments(allocator):
    """Large results without gradients, whose memory is already allocated."""
    a = ft.ones(5 << 20)
    a + a  # its block is now idle
    tensors = burst()
    del tensors
    assert allocator.statistics()["cached_bytes"] > 3 * BOUND
    b = a + a
    assert allocator.statistics()["cached_bytes"] <= BOUND
    assert b[-1].item() == 2


@pooled
def test_training_in_eight_threads(allocator):
    errors = []

    def work():
        try:
            weight = ft.ones(4, 4, requires_grad=True)
            for _ in range(3):
                tensors = burst()
                del tensors
                for _ in range(30):
                    step(weight)
        except BaseException as error:
            errors.append(error)

    before = allocator.statistics()["allocated_blocks"]
    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert not errors
    weight = ft.ones(4, 4, requires_grad=True)
    for _ in range(100):
        step(weight)
    now = allocator.statistics()
    assert now["cached_bytes"] <= BOUND
    assert now["allocated_blocks"] == before + 1


@pytest.mark.parametrize("work", ["training", "large results"])
def test_replaced_buffers_are_released_without_another_replacement(allocator, work):
    """A thread was inside an operator when the buffer was replaced, and has left it since."""
    weight = ft.ones(4, 4, requires_grad=True)
    a = ft.ones(4 << 20)
    assert release_retired() == 0
    reached, go = threading.Event(), threading.Event()

    def operator(reached, go):
        reached.set()
        go.wait(600)

    launching_modules.add("launching_test")
    try:
        call = types.FunctionType(operator.__code__, {"__name__": "launching_test"})
        thread = threading.Thread(target=call, args=(reached, go))
        thread.start()
        assert reached.wait(600)
        shared = ft.ones(1000)
        before = allocator.statistics()["allocated_blocks"]
        replace_buffer(shared._storage, *take_block(contiguous((1000,), ft.float32)), 4000)
        assert allocator.statistics()["allocated_blocks"] == before + 1
        a + a
        assert allocator.statistics()["allocated_blocks"] == before + 1, "the thread may still read it"
        go.set()
        thread.join(600)
        if work == "training":
            for _ in range(200):
                step(weight)
        else:
            a + a
        assert allocator.statistics()["allocated_blocks"] == before
    finally:
        go.set()
        launching_modules.discard("launching_test")
    assert release_retired() == 0
