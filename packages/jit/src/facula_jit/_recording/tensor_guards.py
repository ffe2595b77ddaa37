"""Guards on tensors, `.grad` and optimizers: they compare the state now with the state during the capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.values import Value
from facula_storage import Layout, Storage
from facula_storage.extend.replay import ABSENT, ANY, CheckKind, Sequence
from facula_tensor import Tensor
from facula_tensor.extend.arguments import default_device_cell, default_dtype_cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    Check = tuple[CheckKind, Any, Any, Any]


def slot(kind: type, name: str) -> Any:
    """Return the descriptor of a class's slot."""
    return vars(kind)[name]


LAYOUT, STORAGE, OFFSET = [slot(Tensor, name) for name in ("_layout", "_storage", "_offset")]
NODE, GRAD, HOOKS = [slot(Value, name) for name in ("node", "_grad", "hooks")]
VIEWS = slot(Tensor, "_views")
ADDRESS, RELEASE = slot(Storage, "ptr"), slot(Storage, "__del__")
SLOTS = (
    *(LAYOUT, STORAGE, OFFSET, NODE, HOOKS, GRAD),
    *(ADDRESS, slot(Storage, "version"), slot(Storage, "mutator")),
    *[slot(Layout, name) for name in ("shape", "strides", "dtype", "device")],
)
PARTS = ("layout", "storage", "offset", "node", "hooks", "memory", "grad")  # of a tensor

EXACT = {
    CheckKind.SLOT: CheckKind.EXACT_SLOT,
    CheckKind.ITEM: CheckKind.EXACT_ITEM,
    CheckKind.ENTRIES: CheckKind.EXACT_ENTRIES,
}
"""Kinds of checks, and the corresponding kinds that compare values by identity."""
DEFAULTS = (default_dtype_cell, default_device_cell)


def checks_of(recording: Any, followed: list[Any]) -> list[Check]:
    """Return the checks of tensors and their memory, `.grad`s that are read, optimizers, default dtype and device.

    Arguments:
        recording: the recorded run.
        followed: the optimizer groups whose options may change, because replays use their current values.
    """
    recorder = recording.recorder
    checks: list[Check] = [(CheckKind.PLACE, cell, 0, cell[0]) for cell in DEFAULTS]
    known = {id(tensor): tensor for link in recorder.tensors.values() if (tensor := link()) is not None}
    needed = {id(leaf): (leaf, before) for leaf, before in recording.needed}
    for tensor in known.values():
        _, grad = needed.pop(id(tensor), (None, ANY))
        checks.append((CheckKind.TENSOR, tensor, None, (*state_of(tensor), grad)))
    for leaf, _ in recorder.grads.values():
        if id(leaf) not in known:
            checks.append((CheckKind.SLOT, leaf, HOOKS, part_of(leaf, HOOKS)))
    storages = {id(tensor._storage) for tensor in known.values()}
    checks += [
        (CheckKind.SLOT, storage, ADDRESS, storage.ptr)
        for storage in recording.fixed.values()
        if id(storage) not in storages
    ]
    checks += [(CheckKind.SLOT, leaf, GRAD, before) for leaf, before in needed.values()]
    grads = {id(value): value for _, value in recording.needed if isinstance(value, Tensor) and id(value) not in known}
    checks += [(CheckKind.TENSOR, gradient, None, state_of(gradient)) for gradient in grads.values()]
    optimizers = [optimizer for optimizer, _ in recorder.optimizers.values()] + [*recorder.groups.values()]
    for optimizer in {id(candidate): candidate for candidate in optimizers}.values():
        checks += checks_of_groups(optimizer)
    for optimizer, before_step in recorder.optimizers.values():
        checks += checks_of_optimizer(optimizer, before_step, followed)
    return checks


def state_of(tensor: Tensor) -> tuple[Any, ...]:
    """Return the values that a TENSOR check compares."""
    return *[part_of(tensor, part) for part in (LAYOUT, STORAGE, OFFSET, NODE, HOOKS)], tensor._storage.ptr


def puts_of(recording: Any, checks: Iterable[Check]) -> list[tuple[Any, ...]]:
    """Return the `.grad` that a sequence sets on each leaf, with the state of tensors that no check compares."""
    compared = {id(holder) for kind, holder, *_ in checks if kind is CheckKind.TENSOR}
    return [
        (leaf, GRAD, after) if after is None or id(after) in compared else (leaf, GRAD, after, state_of(after)[:-1])
        for leaf, after in recording.puts
    ]


def part_of(tensor: Tensor, descriptor: Any) -> Any:
    """Return the content of a tensor's slot, or ABSENT."""
    try:
        return descriptor.__get__(tensor)
    except AttributeError:
        return ABSENT


def contents_of(tensor: Tensor, descriptor: Any) -> Any:
    """Return the content of a tensor's slot; None if it is not set, even if the class has a default."""
    found = part_of(tensor, descriptor)
    return None if found is ABSENT else found


def first_failing(checks: Iterable[Check]) -> int | None:
    """Return the index of the first check that fails now; None if all pass."""
    failing: int | None = Sequence(SLOTS, [], [], 0, [], list(checks), [], [], []).run((), ())
    return failing


def checks_of_groups(optimizer: Any) -> list[Check]:
    """Return the checks of an optimizer's groups and their parameters."""
    groups = optimizer.param_groups
    checks: list[Check] = [
        (CheckKind.ITEM, vars(optimizer), "param_groups", groups),
        (CheckKind.ENTRIES, groups, None, tuple(groups)),
    ]
    for group in groups:
        params = group["params"]
        checks.append((CheckKind.ITEM, group, "params", params))
        checks.append((CheckKind.ENTRIES, params, None, tuple(params)))
    return checks


def checks_of_optimizer(optimizer: Any, before: list[dict[str, Any]], followed: list[Any]) -> list[Check]:
    """Return the checks of the state and the options of an optimizer that steps.

    Arguments:
        optimizer: an optimizer with a recorded step.
        before: its groups at the start of the step.
        followed: the groups whose options replays follow.
    """
    state = optimizer.state
    checks: list[Check] = [(CheckKind.ITEM, vars(optimizer), "state", state)]
    for group, options in zip(optimizer.param_groups, before, strict=False):
        if not any([known is group for known in followed]):
            flat = [part for pair in options.items() for part in pair]
            checks.append((CheckKind.ENTRIES, group, None, tuple(flat)))
        for parameter in group["params"]:
            if parameter in state:
                own = state[parameter]
                checks.append((CheckKind.ITEM, state, parameter, own))
                tensors = [(name, value) for name, value in own.items() if isinstance(value, Tensor)]
                checks += [(CheckKind.ITEM, own, name, value) for name, value in tensors]
    return checks


def described(check: Check) -> str:
    """Return the subject of a failed check, for messages."""
    kind, holder, key, expected = check
    if holder is default_dtype_cell or holder is default_device_cell:
        return "the default dtype" if holder is default_dtype_cell else "the default device"
    if kind is CheckKind.TENSOR:
        now = [*state_of(holder), part_of(holder, GRAD)]
        differing = [
            name
            for name, part, other in zip(PARTS, now, expected, strict=False)
            if other is not ANY and part is not other and not (isinstance(part, (int, Layout)) and part == other)
        ]
        return f"the {differing[0] if differing else 'memory'} of a tensor of shape {tuple(holder.shape)}"
    if isinstance(holder, Tensor):
        return f"the {key.__name__.strip('_')} of a tensor of shape {tuple(holder.shape)}"
    if isinstance(holder, Storage):
        return "the memory of a tensor"
    if kind is CheckKind.ENTRIES and isinstance(holder, dict):  # a parameter group
        for name, value in zip(expected[::2], expected[1::2], strict=True):
            if value is not ANY and holder.get(name, ABSENT) is not value:
                return f"the option {name!r} of an optimizer, which was {value!r:.40}"
    return "the groups, parameters, options or state of an optimizer"
