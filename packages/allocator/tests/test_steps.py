"""A training step takes no memory from the driver after the first two: live, recorded and replayed."""

import pytest
from programs import MIB

from facula_allocator import CachingAllocator, replay
from facula_allocator.drivers import SimulatedDriver

# A convolutional network on 8×8 images of digits: inputs, outputs, window size, positions in the result.
LAYERS = [(1, 32, 9, 64), (32, 64, 9, 64), (64, 64, 9, 16), (1024, 128, 1, 1), (128, 10, 1, 1)]
BATCHES = [256] * 7 + [5]
FLOAT = 4


class Network:
    """The allocations and frees of a network trained by Adam, on one stream or with its batches on another."""

    def __init__(self, allocator, copies=0):
        self.take, self.copies = allocator.allocate, copies
        counts = [count for i, o, w, _ in LAYERS for count in (i * o * w, o)]
        self.state = [self.take(count * FLOAT) for count in counts for _ in range(3)]

    def step(self, batch):
        take = self.take
        images = take(batch * 64 * FLOAT, self.copies)
        if self.copies:
            images.record_use(0)
        kept = [images, take(batch * 8)]
        for _, outputs, _, places in LAYERS:
            kept += [take(batch * outputs * places * FLOAT) for _ in range(2)]
        loss = take(FLOAT)
        gradients = []
        flowing = take(batch * 10 * FLOAT)
        for inputs, outputs, window, places in reversed(LAYERS):
            gradients += [take(inputs * outputs * window * FLOAT), take(outputs * FLOAT)]
            flowing = take(batch * inputs * places * FLOAT)
            del kept[-2:]
        scratch = take(MIB)
        del flowing, kept, images, gradients, loss, scratch


@pytest.mark.parametrize("options", [{}, {"expandable_segments": False}, {"lend": False}], ids=str)
def test_no_driver_call_after_the_second_step(tmp_path, options):
    driver = SimulatedDriver(1 << 30, page_size=2 * MIB)
    allocator = CachingAllocator(driver, **options)
    calls = []
    with allocator.record_trace(tmp_path / "a.trace") as recording:
        network = Network(allocator)
        for epoch in range(3):
            for number, batch in enumerate(BATCHES):
                recording.mark(f"epoch {epoch}, batch {number}")
                before = len(driver.log)
                network.step(batch)
                driver.launch(0)
                calls.append(len(driver.log) - before - 1)
    assert calls[0] > 0 and calls[2:] == [0] * 22
    replayed = replay(tmp_path / "a.trace").calls_by_step
    assert [count for _, count in replayed[-24:]] == calls
    assert [name for name, _ in replayed][-1] == "epoch 2, batch 7"
    assert sum(count for _, count in replay(tmp_path / "a.trace", small_segment=MIB).calls_by_step[-22:]) == 0


def test_batches_of_another_stream_take_no_memory_after_the_second_step():
    """Their reuse queries events, but never requests memory."""
    driver = SimulatedDriver(1 << 30)
    allocator = CachingAllocator(driver)
    network = Network(allocator, copies=7)
    for number in range(20):
        network.step(256)
        driver.launch(0)
        driver.complete(0, number % 2)
        if number == 1:
            before = driver.calls("allocate")
    assert driver.calls("allocate") == before and not driver.calls("synchronize")
