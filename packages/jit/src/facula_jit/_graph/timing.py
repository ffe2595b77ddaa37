"""Timing of each launch of a recording on separate memory, without the overhead of a replay's call."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError
from facula_storage import contiguous, cpu, uint8
from facula_storage.extend.memory import allocate
from facula_storage.extend.replay import Sequence

from .._recording.memory_planning import ALIGNMENT
from .._recording.records import Address
from .._recording.tensor_guards import SLOTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._recording.recording import Recording

ROUNDS = 7
MIN_ROUND_SECONDS = 200e-6  # minimum duration of a round in seconds


def launch_times(recording: Recording) -> list[float]:
    """Return the time of each launch in seconds: that of the fastest of several rounds.

    Every block gets separate memory, filled with zeros or with a copy of the program's data, so that no tensor of the
    program changes. The time of collectives is 0: other processes would have to run them, too.
    """
    device = recording.recorder.launch_device
    if device is not cpu:
        raise OperationError(f"times: expected a graph on the CPU; got one on '{device}'; capture it there")
    reach: dict[int, int] = {}
    for launch in recording.launches:
        for argument in launch.arguments:
            if type(argument) is Address and argument.layout is not None:
                reach[argument.block] = max(reach.get(argument.block, 0), argument.offset + argument.layout.extent)
    places, total = {}, 0
    for block, nbytes in reach.items():
        places[block] = total
        total += -(-max(nbytes, 1) // ALIGNMENT) * ALIGNMENT
    scratch = total
    total += max([launch.plan.workspace for launch in recording.launches], default=0)
    layout = contiguous((max(total, 1),), uint8)
    arena = allocate(layout)
    base = arena.ptr
    cpu.backend.plan("fill", (int,), (layout,), ()).launch(layout.numel, base, 0)
    for block, storage in recording.fixed.items():
        if block in places:
            own = contiguous((reach[block],), uint8)
            cpu.backend.plan("copy", (own,), (own,), ()).launch(own.numel, storage.ptr, base + places[block])
    found, call = [], _seconds(_sequence([]))
    for launch in recording.launches:
        if launch.plan.has_effects:
            found.append(0.0)
            continue
        values: list[Any] = [
            base + places[argument.block] + argument.offset
            if type(argument) is Address and argument.block in places
            else argument
            for argument in launch.arguments
        ]
        values = [0 if type(value) is Address else value for value in values]
        if launch.plan.workspace:
            values.insert(launch.arrays, base + scratch)
        found.append(max(_seconds(_sequence([(launch.plan.launch, tuple(values))])) - call, 0.0))
    return found


def _sequence(launches: list[tuple[Any, tuple[Any, ...]]]) -> Sequence:
    return Sequence(SLOTS, launches, [], 0, [], [], [], [], [])


def _seconds(sequence: Sequence) -> float:
    """Return the time of one run: that of the fastest round, since other activity of the machine only adds time."""
    run, count = sequence.run, 1
    while True:
        taken = min([_round(run, count) for _ in range(ROUNDS)])
        if taken > MIN_ROUND_SECONDS:
            return taken / count
        count *= 4


def _round(run: Callable[[tuple[()], tuple[()]], object], count: int) -> float:
    """Return the time of several runs."""
    start = perf_counter()
    for _ in range(count):
        run((), ())
    return perf_counter() - start
