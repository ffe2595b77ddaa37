"""Fixtures for tests of invariants: devices, the garbage collector, allocated blocks and thread switching."""

from __future__ import annotations

import gc
import sys

import pytest
from fake_backend import fake

from facula_storage import Device
from facula_tensor.testing._values import other_devices

fake()  # registered for all tests
#: Devices with memory other than the host's.
OTHER_DEVICES = ("fake", *[str(Device(place).resolved) for place in other_devices()])


@pytest.fixture(params=["cpu", *OTHER_DEVICES])
def device(request):
    """Each device that stores elements: host memory, and a device that executes its work later."""
    if request.param == "fake":
        backend = fake()
        backend.run()
        backend.failed.clear()
        yield "fake"
        backend.run()
        assert not backend.failed, backend.failed
    else:
        yield request.param


@pytest.fixture(params=OTHER_DEVICES)
def other_device(request):
    """Each device that has memory of its own."""
    return request.param


@pytest.fixture
def no_collector():
    """Disable the cyclic collector, so that only reference counts free objects."""
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
def frequent_switches():
    """Make Python switch threads as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
