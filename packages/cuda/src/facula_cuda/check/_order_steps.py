"""Steps on the order of work: streams and events against a model, graphs, and costs of calls on the host."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np

from .._driver import ffi
from .._port.devices import context, synchronize
from .._port.events import Event
from .._port.graphs import CUDAGraph, graph
from .._port.pinned import pinned_allocator, record_use
from .._port.streams import Stream, current_stream
from .._port.streams import stream as use_stream
from ._report import Report, step
from ._work import Array, Kernel, host_us, to_device

SIZE = 1 << 14


@step(90)
def streams(report: Report) -> None:
    """Random kernels on three streams, ordered by events where they share an array, give the values of a model."""
    choose, scale = random.Random(1), Kernel("scale")
    count = 300 if report.simulated else 10_000
    queues = [Stream() for _ in range(3)]
    arrays = [Array(SIZE).fill(np.full(SIZE, number, np.float32)) for number in range(6)]
    model = [np.float32(number) for number in range(6)]
    last: list[list[Event]] = [[] for _ in arrays]  # events of the work that used an array last
    for _ in range(count):
        queue, (target, source) = choose.choice(queues), choose.sample(range(6), 2)
        with use_stream(queue):
            for event in (*last[target], *last[source]):
                event.wait()
            factor = choose.choice((0.5, 0.25, -0.5))
            scale.queue(arrays[target].ptr, arrays[source].ptr, SIZE, factor)
            done = queue.record_event()
        model[target] = np.float32(model[source] * np.float32(factor) + np.float32(1))
        last[target] = [done]
        last[source].append(done)  # readers do not order each other, so a writer waits for all of them
    synchronize()
    wrong = [number for number, array in enumerate(arrays) if not (array.read() == model[number]).all()]
    report.check("every array has the model's value", not wrong, f"arrays {wrong}")


@step(60)
def reuse(report: Report) -> None:
    """Blocks that another stream uses are not reused before it is done, on the device and in pinned memory."""
    side, scale = Stream(), Kernel("scale")
    wrong = 0
    for number in range(50 if report.simulated else 500):
        source, target = Array(SIZE).fill(np.full(SIZE, number, np.float32)), Array(SIZE, side.handle)
        side.wait_stream(current_stream())
        with use_stream(side):
            scale.queue(target.ptr, source.ptr, SIZE)
        source.block.record_use(side.handle)
        source.block.free()
        Array(SIZE).fill(np.zeros(SIZE))  # which may not get the block of `source` yet
        with use_stream(side):
            wrong += not (target.read() == number + 1).all()
    report.check("device memory is not reused too early", wrong == 0, f"{wrong} results are wrong")
    wrong, host = 0, pinned_allocator()
    target = Array(SIZE, side.handle)
    for number in range(50 if report.simulated else 500):
        block = host.allocate(4 * SIZE)
        _floats(block.ptr)[:] = number
        with use_stream(side):
            to_device(target.ptr, block.ptr, 4 * SIZE)
            record_use(block, side.handle)
            block.free()
            _floats(host.allocate(4 * SIZE).ptr)[:] = -1
            wrong += not (target.read() == number).all()
    report.check("pinned memory is not reused too early", wrong == 0, f"{wrong} copies are wrong")


def _floats(address: int) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    return np.frombuffer(ffi.buffer(ffi.cast("char *", address), 4 * SIZE), np.float32)


@step(60)
def graphs(report: Report) -> None:
    """A graph gives the results of the work that it captured, also with its own streams and memory."""
    scale, side, first = Kernel("scale"), Stream(), Stream()
    source, target = Array(SIZE), Array(SIZE)
    captured = CUDAGraph()
    with graph(captured, stream=first):
        middle = Array(SIZE)  # in the graph's private pool
        scale.queue(middle.ptr, source.ptr, SIZE, 2.0)
        side.wait_stream(current_stream())
        with use_stream(side):
            scale.queue(target.ptr, middle.ptr, SIZE, 2.0)
        current_stream().wait_stream(side)
        middle.block.free()
    wrong = 0
    for number in range(20):
        source.fill(np.full(SIZE, number, np.float32))
        with use_stream(first):  # without a pool, the graph's tensors would get idle blocks of this stream
            others = [Array(SIZE).fill(np.full(SIZE, -1, np.float32)) for _ in range(4)]
        captured.replay()
        wrong += not (target.read() == (number * 2 + 1) * 2 + 1).all()
        wrong += any(not (other.read() == -1).all() for other in others)
    report.check("replays have the values of the work", wrong == 0, f"{wrong} of 40 are wrong")
    nodes, many = 100, CUDAGraph()
    with graph(many):
        for _ in range(nodes):
            scale.queue(target.ptr, source.ptr, 1)
    report.figure("replay_host_us_a_node", host_us(many.replay, 50) / nodes)
    begin, end = Event(enable_timing=True), Event(enable_timing=True)
    begin.record()
    for _ in range(10):
        many.replay()
    end.record()
    end.synchronize()
    report.figure("replay_device_us_a_node", begin.elapsed_time(end) * 1e3 / (10 * nodes))


@step(60)
def costs(report: Report) -> None:
    """Costs of calls on the host, in microseconds; calls through cffi include 0.2 to 0.4 for cffi."""
    scale, target = Kernel("scale"), Array(SIZE)
    launch = scale.launch(target.ptr, target.ptr, 1)
    stream, event, recorded = Stream(), Event(), Event()
    recorded.record()
    context(0)
    calls: dict[str, Callable[[], object]] = {
        "stream_query": stream.query,
        "launch": lambda: launch(0),
        "event_record": event.record,
        "stream_wait_event": recorded.wait,
        "block_of_stream": lambda: stream.__enter__().__exit__(None, None, None),
        "synchronize_idle": synchronize,
    }
    for name, call in calls.items():
        report.figure(f"{name}_us", host_us(call, 200))
