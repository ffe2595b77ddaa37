"""Copy elimination: readers of a copy read its source instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import UnsupportedError
from facula_errors.extend import boundary
from facula_storage import Layout, layout_of

from .._graph.editing import renumbered, spans_of
from .._recording.memory_planning import peak_bytes
from .._recording.records import Address
from ._dataflow import Facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._graph.graph import Graph
    from .._recording.records import Launched

    Edits = dict[int, tuple[Launched, ...]]


@boundary
def skip_copies(graph: Graph) -> None:
    """Remove copies whose source is unchanged when the copy is read.

    Readers of a copy in the same element order read the source. A copy in another order that is copied again, as in
    `reshape` and `cat`, is merged with the second copy. Nothing changes if it would increase the memory of the step.
    """
    recording = graph.recording
    facts = Facts.of(graph)
    part_of = [span.part for span in spans_of(recording) for _ in range(span.start, span.stop)]
    readers: dict[int, list[int]] = {}
    for number, launch in enumerate(recording.launches):
        for argument in launch.arguments:
            if type(argument) is Address and not argument.written:
                readers.setdefault(argument.block, []).append(number)
    now = list(recording.launches)
    edits: Edits = {}
    for number in range(len(now)):
        pair = _copied(now[number], facts)
        if pair is None:
            continue
        source, target = pair
        reads = readers.get(target.block, [])
        if not reads or facts.last_change(source.block) > number:
            continue
        if any([part_of[read] != part_of[number] for read in reads]) and not facts.is_temporary(source.block):
            continue
        made = [_reading(now[read], source, target) for read in reads]
        if all(made):
            for read, other in zip(reads, made, strict=True):
                assert other is not None
                now[read] = other
                edits[read] = (other,)
                readers.setdefault(source.block, []).append(read)
            edits[number] = ()
    if edits and peak_bytes(renumbered(recording, edits).lifetimes()[1]) <= peak_bytes(recording.lifetimes()[1]):
        graph.rewritten(edits)


def _copied(launch: Launched, facts: Facts) -> tuple[Address, Address] | None:
    """Return source and target of a copy launch if the target is a temporary without other writes, else None."""
    if launch.operation != "copy" or len(launch.arguments) != 3 or not facts.is_movable(launch):
        return None
    _, source, target = launch.arguments
    if type(source) is not Address or type(target) is not Address or source.layout is None or target.layout is None:
        return None
    if source.layout.dtype is not target.layout.dtype or source.layout.shape != target.layout.shape:
        return None
    if target.offset or target.layout is not facts.blocks[target.block].layout or not target.layout.is_contiguous:
        return None
    return (source, target) if facts.is_single(target.block) else None


def _reading(launch: Launched, source: Address, target: Address) -> Launched | None:
    """Return the launch with the source in place of the copy; None if it cannot read the source."""
    assert source.layout is not None
    if source.layout.is_contiguous:
        arguments = tuple(
            [
                argument._replace(block=source.block, offset=source.offset + argument.offset)
                if type(argument) is Address and argument.block == target.block
                else argument
                for argument in launch.arguments
            ]
        )
        return launch._replace(arguments=arguments)
    return _once(launch, source, target)


def _once(launch: Launched, source: Address, target: Address) -> Launched | None:
    """Return a copy of a copy as a single copy of the source."""
    if launch.operation != "copy" or len(launch.arguments) != 3:
        return None
    n, read, written = launch.arguments
    if type(read) is not Address or type(written) is not Address or read.layout is None or written.layout is None:
        return None
    if read.offset or not read.layout.is_contiguous or read.layout.dtype is not written.layout.dtype:
        return None
    assert source.layout is not None
    if read.layout.numel != source.layout.numel or read.layout.dtype is not source.layout.dtype:
        return None
    layout = viewed(written.layout, source.layout.shape)
    if layout is None or written.block == source.block:
        return None
    try:
        plan = layout.device.backend.plan("copy", (source.layout,), (layout,), ())
    except UnsupportedError:
        return None
    if plan.workspace:
        return None
    return launch._replace(plan=plan, arguments=(n, source, written._replace(layout=layout)))


def viewed(layout: Layout, shape: Sequence[int]) -> Layout | None:
    """Return the layout of these elements, in the same order, with another shape; None if no strides represent it.

    >>> from facula_storage import float32
    >>> rows = layout_of((2, 6), (9, 1), float32)
    >>> viewed(rows, (2, 3, 2)).strides, viewed(rows, (12,))
    ((9, 2, 1), None)
    """
    sizes = [(size, stride) for size, stride in zip(layout.shape, layout.strides, strict=True) if size != 1]
    strides: list[int] = []
    for size in reversed(shape):
        if size == 1:
            strides.append(1)
            continue
        if not sizes:
            return None
        extent, stride = sizes.pop()
        while extent < size and sizes:
            outer, step = sizes.pop()
            if step != stride * extent:
                return None
            extent *= outer
        if extent % size:
            return None
        strides.append(stride)
        if extent > size:
            sizes.append((extent // size, stride * size))
    return None if sizes else layout_of(tuple(shape), tuple(reversed(strides)), layout.dtype, layout.device)
