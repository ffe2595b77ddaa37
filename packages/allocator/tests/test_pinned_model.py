"""Pinned memory in random schedules: the host gets memory without pending copies, and streams use memory in order."""

import random

import pytest
from simulated import MIB

from facula_allocator import CachingAllocator, OutOfMemoryError
from facula_allocator.drivers import FakeRuntime, PinnedDriver

HOST, STREAMS = 0, (1, 2, 3)


def schedule(seed, calls=120):
    """Make random requests, copies and frees. Raises AssertionError or DriverError if a block is reused too early."""
    chance = random.Random(seed)
    runtime = FakeRuntime(host_capacity=chance.choice([6, 64]) * MIB)
    device, allocator = runtime.device(0), CachingAllocator(PinnedDriver(0, runtime), lend=chance.random() < 0.7)
    live, owner, handed = {}, 0, 0
    for _ in range(calls):
        what = chance.random()
        if what < 0.4:
            nbytes, stream = chance.choice([1000, MIB, 3 * MIB]), chance.choice([HOST, HOST, *STREAMS])
            try:
                block = allocator.allocate(nbytes, stream)
            except OutOfMemoryError:
                live.clear()
                continue
            owner += 1
            live[owner] = block
            if stream == HOST:
                handed += 1
                assert device._hazards.free(block.ptr, block.ptr + nbytes) is None, "a copy may not be over"
            else:
                device.launch(stream, writes=[(block.ptr, nbytes, owner)])
        elif what < 0.7 and live:
            one = chance.choice(sorted(live))
            stream = chance.choice(STREAMS)
            if live[one].stream not in (HOST, stream):
                device.wait_event(stream, device.record_event(live[one].stream))
            live[one].record_use(stream)
            device.launch(stream, reads=[(live[one].ptr, live[one].nbytes, one)])
        elif what < 0.9 and live:
            del live[chance.choice(sorted(live))]
        elif what < 0.98:
            device.complete(chance.choice(STREAMS), chance.randrange(4))
        else:
            allocator.empty_cache()
    live.clear()
    block = None
    device.synchronize()
    allocator.empty_cache()
    assert not runtime._allocated, "all comes back"
    return handed


def test_copies_complete_before_the_host_reuses_the_memory():
    assert sum(schedule(seed) for seed in range(50)) > 500


@pytest.mark.parametrize("broken", ["wait_event", "event_done"])
def test_early_reuse_is_detected(monkeypatch, broken):
    monkeypatch.setattr(PinnedDriver, broken, lambda self, *arguments: True)
    with pytest.raises((AssertionError, RuntimeError)):
        for seed in range(100):
            schedule(seed)


def test_ignored_copies_are_detected(monkeypatch):
    record = CachingAllocator.allocate
    seen = []

    class Ignorant:
        """A block that does not record its uses."""

        def __init__(self, block):
            self.block = block

        def __getattr__(self, name):
            return (lambda stream: seen.append(stream)) if name == "record_use" else getattr(self.block, name)

    monkeypatch.setattr(CachingAllocator, "allocate", lambda *arguments: Ignorant(record(*arguments)))
    with pytest.raises((AssertionError, RuntimeError)):
        for seed in range(100):
            schedule(seed)
    assert seen
