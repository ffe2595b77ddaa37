"""The caching allocator on simulated devices: no block is reused while a stream still needs its contents."""

import random

import pytest
from simulated_calls import Code, call, code_of, event, pinned, queue_read, stream

from facula_allocator import CachingAllocator, OutOfMemoryError
from facula_allocator.drivers import CudaDriver
from facula_cuda._driver import lib
from facula_cuda._port.runtime import DriverRuntime

MIB = 1 << 20
SIZES = (512, 4096, 100_000, MIB, 3 * MIB, 11 * MIB)
STEPS = 150


class Program:
    """Random work on blocks. Each read of a block is checked at the end: it has the value that was written before."""

    def __init__(self, seed, expandable):
        self.random = random.Random(seed)
        self.allocator = CachingAllocator(CudaDriver(0, DriverRuntime()), expandable_segments=expandable)
        self.streams = [0, stream(0), stream(1), stream(1)]
        self.results, self.results_at = pinned(8 * STEPS)
        self.expected = bytearray(8 * STEPS)
        self.results[:] = self.expected
        self.blocks = []
        self.steps = 0

    def allocate(self):
        on = self.random.choice(self.streams)
        nbytes = self.random.choice(SIZES)
        block = self.allocator.allocate(nbytes, on)
        value = self.random.randrange(256)
        call("cuMemsetD8Async", block.ptr, value, nbytes, on)
        self.blocks.append((block, value, on, nbytes))

    def read(self, number, on):
        """Queue a read of the block's last bytes."""
        block, value, _, nbytes = self.blocks[number]
        at = 8 * self.steps
        queue_read(block.ptr + nbytes - 8, self.results_at + at, 8, on)
        self.expected[at : at + 8] = bytes([value]) * 8

    def use(self):
        """Use a block on another stream, as programs must: by an event and `record_use`."""
        number = self.random.randrange(len(self.blocks))
        block, _, own, _ = self.blocks[number]
        on = self.random.choice(self.streams)
        done = event()
        call("cuEventRecord", done, own)
        call("cuStreamWaitEvent", on, done, 0)
        call("cuEventDestroy_v2", done)
        block.record_use(on)
        self.read(number, on)

    def free(self):
        number = self.random.randrange(len(self.blocks))
        self.read(number, self.blocks[number][2])
        self.blocks.pop(number)[0].free()

    def step(self):
        chance = self.random.random()
        if not self.blocks or chance < 0.4:
            self.allocate()
        elif chance < 0.6:
            self.use()
        elif chance < 0.95:
            self.free()
        elif chance < 0.97:
            self.allocator.empty_cache()
        else:
            call("cuStreamSynchronize", self.random.choice(self.streams))
        self.steps += 1

    def wrong(self):
        """Return the steps whose read gave another value."""
        call("cuCtxSynchronize")
        found = bytes(self.results)
        return [i for i in range(STEPS) if found[8 * i : 8 * i + 8] != self.expected[8 * i : 8 * i + 8]]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("expandable", [False, True])
def test_contents_last_as_long_as_their_readers(simulated, seed, expandable):
    simulated(seed=seed)
    program = Program(seed, expandable)
    for _ in range(STEPS):
        program.step()
    assert program.wrong() == []
    assert code_of("cuCtxSynchronize") == 0


def test_uses_that_are_not_recorded_are_found(simulated, monkeypatch):
    """Leave out `record_use`: some seed must show a wrong value."""
    simulated()
    monkeypatch.setattr(Program, "use", unrecorded)
    for seed in range(20):
        program = Program(seed, False)
        for _ in range(STEPS):
            program.step()
        found = program.wrong()
        program.allocator.empty_cache()
        if found:
            return
    pytest.fail("no seed showed that memory was reused too early")


def unrecorded(program):
    number = program.random.randrange(len(program.blocks))
    done, on = event(), program.random.choice(program.streams)
    call("cuEventRecord", done, program.blocks[number][2])
    call("cuStreamWaitEvent", on, done, 0)
    program.read(number, on)


@pytest.mark.parametrize("expandable", [False, True])
def test_a_full_device(simulated, expandable):
    simulated(memory=64 * MIB)
    allocator = CachingAllocator(CudaDriver(0, DriverRuntime()), expandable_segments=expandable)
    blocks = []
    with pytest.raises(OutOfMemoryError):
        for _ in range(1000):
            blocks.append(allocator.allocate(3 * MIB))
    assert len(blocks) >= 15
    call("cuMemsetD8Async", blocks[0].ptr, 1, 3 * MIB, 0)
    with pytest.raises(Code, match=r"^1$"):
        call("cuMemsetD8Async", blocks[0].ptr + (1 << 36), 1, 8, 0)
    blocks.clear()
    allocator.empty_cache()
    unused, total = allocator.driver.memory_info()
    assert unused == total and lib.facula_cuda_simulated_pending() == 0
