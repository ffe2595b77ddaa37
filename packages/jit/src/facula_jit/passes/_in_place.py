"""In-place writes: an elementwise launch stores its result in the memory of an operand that is no longer needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._graph.calls import addresses_of
from .._graph.editing import spans_of
from .._recording.records import Address
from ._dataflow import Facts

if TYPE_CHECKING:
    from .._graph.graph import Graph
    from .._recording.records import Launched


@boundary
def write_in_place(graph: Graph) -> None:
    """Make elementwise launches overwrite an operand that is not needed any more, which saves memory.

    Copies onto themselves, which result from this, are removed.
    """
    recording = graph.recording
    facts = Facts.of(graph)
    last_used: dict[int, int] = {}  # of blocks that were overwritten
    moved: dict[int, int] = {}  # block -> the block in which it is stored
    made_in: dict[int, int] = {}  # the part that creates each block
    edits: dict[int, tuple[Launched, ...]] = {}
    for span in spans_of(recording):
        for number in range(span.start, span.stop):
            launch = recording.launches[number]
            pair = _pair(launch, facts, moved, made_in, span.part, number, last_used)
            if pair is not None:
                target, dying = pair
                moved[target] = moved.get(dying, dying)
                last_used[moved[target]] = facts.last_used(target)
            for argument in launch.arguments:
                if type(argument) is Address and argument.written:
                    made_in.setdefault(argument.block, span.part)
            changed = _renamed(launch, moved)
            if pair is not None and launch.operation == "copy":
                edits[number] = ()  # a copy onto itself
            elif changed is not launch:
                edits[number] = (changed,)
    graph.rewritten(edits)


def _pair(
    launch: Launched,
    facts: Facts,
    moved: dict[int, int],
    made_in: dict[int, int],
    part: int,
    number: int,
    last_used: dict[int, int],
) -> tuple[int, int] | None:
    """Return a block that the launch creates, and one that it is the last to read, if both can share memory.

    Arguments:
        launch: the launch.
        facts: the facts of the recording.
        moved: blocks that are stored in others.
        made_in: the part that creates each block so far.
        part: the part of the launch.
        number: the number of the launch.
        last_used: the last launch that uses a block, if it differs from the facts.
    """
    computed = launch.plan.elementwise
    if computed is None or not facts.is_movable(launch) or getattr(computed.operator, "is_apart", False):
        return None
    used = addresses_of(launch)
    for target in used:
        if not target.written or target.block in made_in or not facts.is_temporary(target.block):
            continue
        if target.block in facts.conditions:
            continue
        for address in used:
            if address.written or not _fits(address, target, facts) or made_in.get(address.block) != part:
                continue
            place = moved.get(address.block, address.block)
            if not facts.is_temporary(address.block) or last_used.get(place, facts.last_used(place)) > number:
                continue
            if sum([other.block == address.block for other in used]) == 1:
                return target.block, address.block
    return None


def _fits(address: Address, target: Address, facts: Facts) -> bool:
    """Return True if two addresses contain all elements of their blocks in the same order."""
    made, given = facts.blocks[target.block].layout, facts.blocks[address.block].layout
    if address.offset or target.offset or made is None or given is None or made.extent != given.extent:
        return False
    a, b = address.layout, target.layout
    if a is None or b is None or a.dtype is not b.dtype:
        return False
    return (a.shape, a.strides) == (b.shape, b.strides) or (a.is_contiguous and b.is_contiguous and a.numel == b.numel)


def _renamed(launch: Launched, moved: dict[int, int]) -> Launched:
    """Return the launch with blocks replaced by those in which they are stored."""
    if not moved:
        return launch
    arguments = tuple(
        [
            argument._replace(block=moved[argument.block])
            if type(argument) is Address and argument.block in moved
            else argument
            for argument in launch.arguments
        ]
    )
    return (
        launch._replace(arguments=arguments)
        if any([type(argument) is Address and argument.block in moved for argument in launch.arguments])
        else launch
    )
