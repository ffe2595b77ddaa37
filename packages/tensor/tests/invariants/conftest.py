"""Devices for the tests of invariants, and the counts that must come back to where they were."""

from __future__ import annotations

import gc
import sys

import pytest
from fake_backend import fake

from facula_storage import Device

fake()  # registered for all tests


@pytest.fixture(params=["cpu", "fake"])
def device(request):
    """Devices whose tensors have elements: host memory, and one whose work runs later."""
    if request.param == "fake":
        backend = fake()
        backend.run()
        backend.failed.clear()
        yield "fake"
        backend.run()
        assert not backend.failed, backend.failed
    else:
        yield request.param


@pytest.fixture
def no_collector():
    """The cyclic collector is off: what is freed was freed by its last reference."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def live_blocks():
    """A function that counts the blocks in use on the CPU."""
    allocator = Device("cpu").backend.allocator
    return lambda: allocator.statistics()["allocated_blocks"]


@pytest.fixture
def often_switching():
    """Threads switch as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
