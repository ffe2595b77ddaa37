"""The programs that the figures show."""

from __future__ import annotations

import gc
from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import facula
from facula.profiler import ProfilerAction, profile
from facula_profiler import Kind, Trace
from facula_storage import listen

from ..models.images import resnet50
from ..models.training import Training, step_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

ITERATIONS = 4
LAYERS = 5  # of ResNet-50 in figure 1: the stem and the first block


class Iteration(NamedTuple):
    """One training step.

    Arguments:
        seconds: its duration.
        launches: (start, end, name) of each launch, in seconds from its beginning.
        calls: the start of the launch after which each driver call was counted, in seconds from the beginning.
        driver_calls: the number of requests of the allocator to the driver.
    """

    seconds: float
    launches: list[tuple[float, float, str]]
    calls: list[float]
    driver_calls: int


def on_device(device: str, training: Any) -> Any:
    """Return a training whose model and batch are on a device."""
    training.model.to(device)
    return training._replace(batch=tuple(one.to(device) for one in training.batch))


def first_operators(device: str, batch: int, size: int) -> Trace:
    """Return the trace of a training step of the first layers of ResNet-50, whose loss is the sum of their results."""
    training = on_device(device, resnet50(facula, batch=batch, size=size))
    model = facula.nn.Sequential(*list(training.model)[:LAYERS])
    optimizer = facula.optim.SGD(model.parameters(), lr=1e-6, momentum=0.9)
    first = Training(model, optimizer, lambda images, _: model(images).sum(), training.batch)
    step = step_of(facula, first)
    for _ in range(2):
        step(*first.batch)
    synchronize(device)
    with profile(schedule=lambda _: ProfilerAction.RECORD) as recorded:
        step(*first.batch)
        synchronize(device)
        recorded.step()
    return recorded.trace


def without_kernels() -> AbstractContextManager[object]:
    """Return a context in which a simulated device counts kernels without running them."""
    facula.cuda.is_available()  # the simulation starts at the first call
    from facula_cuda.testing import counting

    return counting()


def iterations(device: str, make: Callable[[], Training]) -> list[Iteration]:
    """Return the first training steps of a new model, with an allocator that has released its idle memory.

    Another model takes a step before: it compiles the kernels and creates the plans.
    """
    step_of(facula, first := on_device(device, make()))(*first.batch)
    del first
    training = on_device(device, make())
    step = step_of(facula, training)
    gc.collect()
    module(device).empty_cache()
    found = []
    for _ in range(ITERATIONS):
        requests = [driver_requests(device)]  # at first, and after each launch

        def count(plan: object, arguments: object, requests: list[int] = requests) -> None:
            requests.append(driver_requests(device))

        with listen(count), profile() as recorded:
            began = perf_counter()
            step(*training.batch)
            synchronize(device)
            seconds = perf_counter() - began
        found.append(iteration_of(recorded.trace, seconds, requests, driver_requests(device)))
    return found


def iteration_of(trace: Trace, seconds: float, requests: list[int], at_end: int) -> Iteration:
    """Combine the launches of a trace with the driver calls that were counted after each of them."""
    events = trace.events[trace.of_kind(Kind.LAUNCH)]
    events = events[np.argsort(events["end"], kind="stable")]
    begin = int(trace.events["start"].min(initial=0))
    launches = [((event["start"] - begin) / 1e9, (event["end"] - begin) / 1e9, trace.names[event["name"]])
                for event in events]  # fmt: skip
    calls = [launch[0] for (before, after), launch in zip(pairwise(requests), launches) for _ in range(after - before)]
    return Iteration(seconds, launches, calls, at_end - requests[0])


def module(device: str) -> Any:
    """Return `facula.cpu` or `facula.cuda`."""
    return getattr(facula, device)


def driver_requests(device: str) -> int:
    """Return how often the allocator has asked its driver for memory, or returned it."""
    figures = module(device).memory_stats()
    return figures["num_device_alloc"] + figures["num_device_free"]


def synchronize(device: str) -> None:
    """Wait for the device."""
    module(device).synchronize()
