"""What must be as it was when a function was captured, as checks that a sequence makes before its launches."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Value
from facula_storage import Layout, Storage
from facula_storage.extend import ABSENT, ANY, CheckKind
from facula_tensor import Tensor
from facula_tensor.extend import default_dtype_cell

from ._contents import CONTENTS, KINDS, check_of
from ._records import moment_of

if TYPE_CHECKING:
    from collections.abc import Collection

    from ._contents import Check
    from ._recorder import Recorder
    from ._recording import Recording


def slot(kind: type, name: str) -> Any:
    """The descriptor of a class's slot."""
    return vars(kind)[name]


TENSOR_SLOTS = [slot(Tensor, name) for name in ("_layout", "_storage", "_offset")]
TENSOR_SLOTS += [slot(Value, name) for name in ("node", "hooks", "_grad")]
GRAD, ADDRESS, HOOKS = slot(Value, "_grad"), slot(Storage, "ptr"), slot(Value, "hooks")
SLOTS = (
    *TENSOR_SLOTS,
    *[slot(Storage, name) for name in ("ptr", "version", "mutator")],
    *[slot(Layout, name) for name in ("shape", "strides", "dtype", "device")],
)
PARTS = ("layout", "storage", "offset", "node", "hooks", "memory", "grad")  # of a tensor


OPTIONS = frozenset(("param_groups", "get_last_lr", "get_lr"))  # by these names programs come to them


def checks_of(recording: Recording, followed: list[Any], left_out: Collection[str] = ()) -> list[Check]:
    """What must be as it was: tensors and their memory, `.grad` where it is read, modules, the default dtype.

    Arguments:
        recording: what was taken down.
        followed: the groups of optimizers whose options replays follow.
        left_out: names of attributes that nothing reads.
    """
    recorder = recording.recorder
    checks: list[Check] = [check_of(default_dtype_cell, 0, default_dtype_cell[0])]
    storages = {id(one): one for one in recording.fixed.values()}
    known = [one for link in recorder.tensors.values() if (one := link()) is not None]
    needed = {id(leaf): (leaf, before) for leaf, before in recording.needed}
    for tensor in {id(one): one for one in (*known, *[leaf for leaf, _ in recorder.grads.values()])}.values():
        if tensor.node is LEAF and tensor.hooks is not None:
            for table in (tensor.hooks.value_hooks, tensor.hooks.after):
                checks.append((CheckKind.ENTRIES, table, None, tuple(chain(*table.items()))))
    for tensor in known:
        _, grad = needed.pop(id(tensor), (None, ANY))
        storages.pop(id(tensor._storage), None)
        hooks = tensor.hooks if tensor.node is LEAF else ANY
        checks.append((CheckKind.TENSOR, tensor, None, (*moment_of(tensor), hooks, tensor._storage.ptr, grad)))
    others = {id(leaf): leaf for leaf, _ in recorder.grads.values()}
    for key in others.keys() - {id(one) for one in known}:
        if others[key].node is LEAF:
            checks.append((CheckKind.SLOT, others[key], HOOKS, others[key].hooks))
    checks += [(CheckKind.SLOT, storage, ADDRESS, storage.ptr) for storage in storages.values()]
    checks += [(CheckKind.SLOT, leaf, GRAD, before) for leaf, before in needed.values()]
    for module, before in recorder.modules.values():
        attributes = vars(module)
        checks.append((CheckKind.SIZE, attributes, None, len(attributes)))
        for name, one in attributes.items():
            if before.get(name, before) is one and name != KINDS and name not in left_out:
                checks.append((CheckKind.ITEM, attributes, name, one))
    checks += recorder.contents.checks(left_out)
    recorder.contents.forget()
    optimizers = [one for one, _ in recorder.optimizers.values()] + [*recorder.groups.values()]
    for optimizer in {id(one): one for one in optimizers}.values():
        checks += checks_of_groups(optimizer)
    for optimizer, before_step in recorder.optimizers.values():
        checks += checks_of_optimizer(optimizer, before_step, followed)
    return checks


def reads_options(recorder: Recorder, function: Any) -> bool:
    """Whether the program's lines look at the options of optimizers themselves: more than steps follow from them."""
    codes = [*recorder.variables, getattr(function, "__code__", None)]
    return any([not OPTIONS.isdisjoint(code.co_names) for code in codes if code is not None])


def checks_of_groups(optimizer: Any) -> list[Check]:
    """The groups of an optimizer and their parameters."""
    groups = optimizer.param_groups
    checks = [check_of(vars(optimizer), "param_groups", groups), (CheckKind.SIZE, groups, None, len(groups))]
    for place, group in enumerate(groups):
        params = group["params"]
        checks += [check_of(groups, place, group), check_of(group, "params", params)]
        checks.append((CheckKind.ENTRIES, params, None, tuple(params)))
    return checks


def checks_of_optimizer(optimizer: Any, before: list[dict[str, Any]], followed: list[Any]) -> list[Check]:
    """What must be as it was of an optimizer that steps, beside its groups: their state, and options.

    Arguments:
        optimizer: one whose step was taken down.
        before: its groups when the step began.
        followed: the groups whose options replays follow.
    """
    state = optimizer.state
    checks = [check_of(vars(optimizer), "state", state)]
    for group, options in zip(optimizer.param_groups, before, strict=False):
        checks.append((CheckKind.SIZE, group, None, len(options)))
        if not any([one is group for one in followed]):
            checks += [check_of(group, name, value) for name, value in options.items()]
        for one in group["params"]:
            if one in state:
                own = state[one]
                checks.append(check_of(state, one, own))
                checks += [check_of(own, name, value) for name, value in own.items() if isinstance(value, Tensor)]
    return checks


def expected_objects(check: Check) -> tuple[Any, ...]:
    """The objects that a check expects."""
    kind, _, _, expected = check
    return tuple(expected) if kind in (CheckKind.TENSOR, CheckKind.ENTRIES) else (expected,)


def described(check: Check) -> str:
    """What a check that failed is about."""
    kind, holder, key, expected = check
    if holder is default_dtype_cell:
        return "the default dtype"
    if kind is CheckKind.TENSOR:
        now = [getattr(holder, name, ABSENT) for name in ("_layout", "_storage", "_offset", "node", "hooks")]
        now += [getattr(holder._storage, "ptr", ABSENT), getattr(holder, "_grad", ABSENT)]
        differing = [
            name
            for name, one, other in zip(PARTS, now, expected, strict=True)
            if other is not ANY and one is not other and not (isinstance(one, (int, Layout)) and one == other)
        ]
        return f"the {differing[0] if differing else 'memory'} of a tensor of shape {tuple(holder.shape)}"
    if isinstance(holder, Tensor):
        return f"the {key.__name__.strip('_')} of a tensor of shape {tuple(holder.shape)}"
    if isinstance(holder, Storage):
        return "the memory of a tensor"
    if key is CONTENTS:
        return f"a variable that the function closes over, which was {expected!r:.40}"
    if kind is CheckKind.SIZE:
        return "the number of attributes of a module, or of groups or parameters of an optimizer"
    if kind is CheckKind.ENTRIES:
        return "the hooks of a leaf"
    name = getattr(key, "__name__", key)  # of a slot
    return f"the variable, attribute, option or entry {name!r}, which was {expected!r:.40}"
