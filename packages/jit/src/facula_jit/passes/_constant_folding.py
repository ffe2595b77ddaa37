"""Constant folding: values that never change are computed once, before the replays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import boundary
from facula_storage import LaunchError, Storage, contiguous, cpu, uint8
from facula_storage.extend.memory import allocate

from .._recording.records import Address
from .._recording.rng_values import RngValue
from ._dataflow import Facts

if TYPE_CHECKING:
    from .._graph.graph import Graph
    from .._recording.records import Launched

MAX_BYTES = 65536  # size limit of a constant, which occupies memory as long as the capture lives


@boundary
def fold_constants(graph: Graph) -> None:
    """Compute values that depend only on constants now, and remove their launches from replays.

    Constants are numbers, and tensors that the function creates from Python values: `tensor([1.0, 2.0])`, `arange(8)`,
    masks computed from these. Tensors of the program (parameters, buffers, any tensor from outside) may change between
    calls and are not constants.
    """
    recording = graph.recording
    facts = Facts.of(graph)
    constants = {
        constant: recording.fixed[constant] for constant in recording.recorder.constants if not facts.writers[constant]
    }
    found: dict[int, Storage] = {}
    edits: dict[int, tuple[Launched, ...]] = {}
    for number, launch in enumerate(recording.launches):
        outputs = [argument for argument in launch.arguments if type(argument) is Address and argument.written]
        if not outputs or not facts.is_movable(launch) or not _is_constant(launch, constants):
            continue
        layouts = [facts.blocks[address.block].layout for address in outputs]
        if any([layout is None or layout.nbytes > MAX_BYTES for layout in layouts]):
            continue
        if not all([facts.is_single(address.block) for address in outputs]):
            continue
        made = _copied(launch, constants) or _computed(launch, constants, facts)
        if made:
            found.update(made)
            constants.update(made)
            edits[number] = ()
    if found:
        graph.keep(found)
        graph.rewritten(edits)


def _is_constant(launch: Launched, constants: dict[int, Storage]) -> bool:
    """Return True if a launch reads only constants and fixed numbers."""
    return all(
        [
            (argument.written or argument.block in constants)
            if type(argument) is Address
            else not isinstance(argument, RngValue)
            for argument in launch.arguments
        ]
    )


def _copied(launch: Launched, constants: dict[int, Storage]) -> dict[int, Storage]:
    """Return the constant itself if the launch copies a whole constant."""
    if launch.operation != "copy" or len(launch.arguments) != 3:
        return {}
    _, source, target = launch.arguments
    if type(source) is not Address or type(target) is not Address or source.layout is not target.layout:
        return {}
    if source.offset or target.offset or source.layout is None or not source.layout.is_contiguous:
        return {}
    return {target.block: constants[source.block]}


def _computed(launch: Launched, constants: dict[int, Storage], facts: Facts) -> dict[int, Storage]:
    """Return the results of a launch in new memory; none if it fails, so that it fails in each replay."""
    layouts = [argument.layout for argument in launch.arguments if type(argument) is Address]
    if any([layout is not None and layout.device is not cpu for layout in layouts]):
        return {}
    made: dict[int, Storage] = {}
    values: list[Any] = []
    for place, argument in enumerate((*launch.arguments, None)):
        if launch.plan.workspace and place == launch.arrays:
            scratch = allocate(contiguous((launch.plan.workspace,), uint8))
            values.append(scratch.ptr)
        if type(argument) is Address:
            if argument.written and argument.block not in made:
                layout = facts.blocks[argument.block].layout
                assert layout is not None
                made[argument.block] = allocate(layout)
            storage = made[argument.block] if argument.written else constants[argument.block]
            values.append(storage.ptr + argument.offset)
        elif argument is not None:
            values.append(argument)
    try:
        launch.plan.launch(*values)
    except LaunchError:
        return {}
    return made
