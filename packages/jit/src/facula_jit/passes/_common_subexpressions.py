"""Common subexpression elimination: repeated computations run only once."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._graph.calls import addresses_of
from .._graph.editing import reading, renumbered, spans_of
from .._recording.memory_planning import peak_bytes
from .._recording.records import Address
from ._dataflow import Facts, numbers_of

if TYPE_CHECKING:
    from collections.abc import Hashable

    from .._graph.graph import Graph
    from .._graph.jumps import Region
    from .._recording.recording import Recording
    from .._recording.records import Launched


@boundary
def merge_common(graph: Graph) -> None:
    """Remove launches that repeat an earlier computation on the same elements.

    If this would increase the memory of the step, a launch is removed only while the earlier result is still needed.
    Checkpoints, which recompute values to save memory, are thereby preserved.
    """
    recording = graph.recording
    facts = Facts.of(graph)
    edits = _repeated(recording, facts, False)
    if edits and peak_bytes(renumbered(recording, edits).lifetimes()[1]) > peak_bytes(recording.lifetimes()[1]):
        edits = _repeated(recording, facts, True)
    graph.rewritten(edits)


def _repeated(recording: Recording, facts: Facts, careful: bool) -> dict[int, tuple[Launched, ...]]:
    """Return edits of launches; with `careful`, only for earlier results that are still needed."""
    last_read = dict(facts.last_read)
    versions: Counter[int] = Counter()  # number of writes to each memory so far
    instead: dict[int, int] = {}
    edits: dict[int, tuple[Launched, ...]] = {}
    # computed values: outside of regions, followed by those of each enclosing region
    known: list[dict[Hashable, Launched]] = []
    around: tuple[Region, ...] = ()
    part = -1
    for span in spans_of(recording):
        if span.part != part:
            known, around, part = [{}], (), span.part
        common = len([None for region, other in zip(around, span.around, strict=False) if region is other])
        del known[1 + common :]
        for region in span.around[common:]:
            known.append({})
            if region.is_loop:  # each iteration writes different values
                versions.update(_written(recording, facts, range(region.start, region.stop)))
        around = span.around
        for number in range(span.start, span.stop):
            launch = original = recording.launches[number]
            if instead:
                launch = reading(launch, instead)
            written = [
                argument.block for argument in launch.arguments if type(argument) is Address and argument.written
            ]
            if written and all([facts.is_single(block) for block in written]) and facts.is_movable(launch):
                key = _key(launch, facts, versions)
                first = next((table[key] for table in reversed(known) if key in table), None)
                if first is not None and (not careful or _is_needed(first, launch, last_read, number)):
                    for argument, other in zip(first.arguments, launch.arguments, strict=True):
                        if type(argument) is Address and type(other) is Address and argument.written:
                            instead[other.block] = argument.block
                            last = max(last_read.get(argument.block, -1), last_read.get(other.block, -1))
                            last_read[argument.block] = last
                    edits[number] = ()
                    continue
                known[-1][key] = launch
            for block in written:
                versions[facts.memory.get(block, block)] += 1
            if launch is not original:
                edits[number] = (launch,)
    return edits


def _written(recording: Recording, facts: Facts, numbers: range) -> set[int]:
    """Return the memory that launches write."""
    used = [address for number in numbers for address in addresses_of(recording.launches[number]) if address.written]
    return {facts.memory.get(address.block, address.block) for address in used}


def _key(launch: Launched, facts: Facts, versions: Counter[int]) -> Hashable:
    """Return a key that is equal for launches with the same result."""
    seen = [
        (
            -1 if argument.written else argument.block,
            argument.offset,
            versions[facts.memory.get(argument.block, argument.block)] * (not argument.written),
        )
        if type(argument) is Address
        else ()
        for argument in launch.arguments
    ]
    return launch.plan.launch, tuple(seen), numbers_of(launch)


def _is_needed(first: Launched, launch: Launched, last_read: dict[int, int], number: int) -> bool:
    """Return True if the result of the first launch is still read after this one, as far as this one's result is."""
    pairs = [
        (argument.block, other.block)
        for argument, other in zip(first.arguments, launch.arguments, strict=True)
        if type(argument) is Address and type(other) is Address and argument.written
    ]
    return all([last_read.get(a, -1) > number or last_read.get(b, -1) < 0 for a, b in pairs])
