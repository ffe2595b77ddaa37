"""Launches of the slow path: allocate results, gather addresses, count changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_storage import LaunchError, Plan, Storage, contiguous
from facula_storage.extend.memory import allocate
from facula_storage.extend.objects import new_instance
from facula_storage.extend.recording import Place, current_recorder, recorders

from ..._core.call_sites import user_site
from ..._core.errors import launch_error, named
from ..._core.tensor import Tensor
from .planning import with_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType

    from facula_storage import Layout


def run(
    plan: Plan, operands: Sequence[object], values: tuple[object, ...] = (), changed: Sequence[int] = ()
) -> list[Tensor]:
    """Allocate results and launch. The arguments are those of `launch`."""
    storages = [allocate(layout) for layout in plan.outputs]
    launch(plan, operands, [(storage, 0) for storage in storages], values, changed=changed)
    results = []
    for layout, storage in zip(plan.outputs, storages, strict=True):
        t = new_instance(Tensor)
        t._layout, t._storage, t._offset, t.node = layout, storage, 0, None
        results.append(t)
    return results


# The exceptions on which a fast path falls back: before its launch it has no side effects. Exceptions from a
# listener after the launch have the attribute `launched` (Note [Observers] in facula_storage) and propagate.
MISSED = (AttributeError, IndexError, KeyError, LaunchError, MemoryError, OverflowError, TypeError)
NOWHERE = Storage()  # of an operand that was not passed
NOWHERE.ptr, NOWHERE.__del__, NOWHERE.version = 0, int, 0


def launch(
    plan: Plan,
    operands: Sequence[object],
    outputs: Sequence[tuple[Storage, int]],
    values: tuple[object, ...] = (),
    n: int | None = None,
    changed: Sequence[int] = (),
) -> None:
    """Launch into existing memory.

    `values` are further numbers for the kernel, after those among the operands. `n` is the size of the first
    output if the plan serves many sizes. `changed` contains the positions of operands that the kernel also
    writes to.
    """
    tensors = [
        (NOWHERE, 0) if a is None else (a._storage, a._offset) for a in operands if a is None or isinstance(a, Tensor)
    ]
    scalars: list[Any] = []
    for a in (*operands, *values):
        if type(a) is complex:
            scalars += (a.real, a.imag)
        elif a is not None and not isinstance(a, Tensor):
            scalars.append(a)
    places = [*tensors, *outputs]
    if plan.workspace:
        plan = with_workspace(plan, len(places))
    if n is None:
        n = plan.outputs[0].numel if plan.outputs else 0
    addresses = [storage.ptr + offset for storage, offset in places]
    recorder = current_recorder() if recorders else None
    if recorder is not None:
        given, written = _places_read(operands, changed), _written(plan, outputs)
        recorder.launching(
            [*[argument for argument in given if type(argument) is Place and argument.written], *written]
        )
    try:
        plan.launch(n, *addresses, *scalars)
    except LaunchError as error:
        raise named(launch_error(plan.operator, error, operands or plan.outputs)) from None
    if recorder is not None:
        recorder.launched(plan, n, [*given, *written, *scalars], len(given) + len(written))


def _places_read(operands: Sequence[object], changed: Sequence[int]) -> list[Place | float]:
    """Return the addresses that a launch reads, including those in `changed`, which it also writes; 0 for a
    missing operand."""
    return [
        Place(a._storage, a._offset, a._layout, place in changed) if isinstance(a, Tensor) else 0
        for place, a in enumerate(operands)
        if a is None or isinstance(a, Tensor)
    ]


def _written(plan: Plan, outputs: Sequence[tuple[Storage, int]]) -> list[Place]:
    """Return the addresses that a launch writes to."""
    layouts: Sequence[Layout | None] = plan.outputs or [None] * len(outputs)
    return [Place(*place, layout, True) for place, layout in zip(outputs, layouts, strict=False)]


def launch_places(plan: Plan, n: int, arguments: Sequence[Place | float]) -> None:
    """Launch a plan that takes its arguments in a particular order; buffers are plain.

    Arguments:
        plan: the plan.
        n: the first argument.
        arguments: the others, except the workspace.
    """
    values = [argument.storage.ptr + argument.offset if type(argument) is Place else argument for argument in arguments]
    recorder = current_recorder() if recorders else None
    if recorder is not None:
        recorder.launching([argument for argument in arguments if type(argument) is Place and argument.written])
    plan.launch(n, *values)
    if recorder is not None:
        recorder.launched(plan, n, arguments, len(arguments))


def call_in_replays(
    operation: str,
    function: Callable[..., None],
    read: Sequence[tuple[Tensor, int, int]],
    written: Sequence[tuple[Tensor, int, int]],
    parameters: tuple[object, ...] = (),
) -> None:
    """Call a function of addresses, `function(n, *addresses)`; each replay of a capture calls it again.

    It may have other effects, such as messages, but must not launch operators. Memory that it changes is in both lists.

    Arguments:
        operation: the name of the call in graphs.
        function: the function; `n` is the number of bytes that it writes.
        read: parts of contiguous tensors: each tensor, the first byte and the number of bytes.
        written: parts in the same form, whose addresses follow those of `read`.
        parameters: numbers and names that determine what it does.
    """
    recorder = current_recorder() if recorders else None
    if recorder is not None:
        recorder.calls(operation)
    places: list[Place | float] = [
        Place(tensor._storage, tensor._offset + start, _layout_of_part(tensor, start, nbytes), is_written)
        for parts, is_written in ((read, False), (written, True))
        for tensor, start, nbytes in parts
    ]
    plan = Plan(operation, parameters, (), function, has_effects=True)
    launch_places(plan, sum([nbytes for *_, nbytes in written]), places)
    for tensor in {id(tensor._storage): tensor for tensor, *_ in written}.values():
        mutated(tensor, operation)


def _layout_of_part(tensor: Tensor, start: int, nbytes: int) -> Layout:
    layout = tensor._layout
    is_whole = not start and nbytes == layout.nbytes
    return layout if is_whole else contiguous((nbytes // layout.dtype.itemsize,), layout.dtype)


def mutated(a: Tensor, name: str, mutator: tuple[str, CodeType, int] | None = None) -> None:
    """Count a change of `a`'s storage and store its call site, `mutator`, which is computed if omitted."""
    storage = a._storage
    storage.version += 1  # type: ignore[operator]
    storage.mutator = mutator or (name, *user_site())
    recorder = current_recorder() if recorders else None
    if recorder is not None:
        recorder.mutated(storage, name)
