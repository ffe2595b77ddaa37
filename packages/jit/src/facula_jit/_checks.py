"""What must be as it was when a function was captured, as checks that a sequence makes before its launches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF, Value
from facula_storage import Storage
from facula_tensor import Tensor
from facula_tensor.extend import default_dtype_cell

from ._contents import CONTENTS, KINDS

if TYPE_CHECKING:
    from collections.abc import Collection

    from ._contents import Check
    from ._recorder import Recorder
    from ._recording import Recording


def slot(kind: type, name: str) -> Any:
    """The descriptor of a class's slot."""
    return vars(kind)[name]


LAYOUT, STORAGE, OFFSET = [slot(Tensor, name) for name in ("_layout", "_storage", "_offset")]
NODE, GRAD, HOOKS = [slot(Value, name) for name in ("node", "_grad", "hooks")]
ADDRESS = slot(Storage, "ptr")
SLOTS = (LAYOUT, STORAGE, OFFSET, NODE, ADDRESS, slot(Storage, "version"), slot(Storage, "mutator"))


OPTIONS = frozenset(("param_groups", "get_last_lr", "get_lr"))  # by these names programs come to them


def checks_of(recording: Recording, followed: list[Any], left_out: Collection[str] = ()) -> list[Check]:
    """What must be as it was: tensors and their memory, `.grad` where it is read, modules, the default dtype.

    Arguments:
        recording: what was taken down.
        followed: the groups of optimizers whose options replays follow.
        left_out: names of attributes that nothing reads.
    """
    recorder = recording.recorder
    checks: list[Check] = [(default_dtype_cell, 0, default_dtype_cell[0])]
    storages = {id(one): one for one in recording.fixed.values()}
    known = [one for link in recorder.tensors.values() if (one := link()) is not None]
    for tensor in {id(one): one for one in (*known, *[leaf for leaf, _ in recorder.grads.values()])}.values():
        if tensor.node is LEAF:
            checks.append((tensor, HOOKS, tensor.hooks))
            if tensor.hooks is not None:
                for table in (tensor.hooks.value_hooks, tensor.hooks.after):
                    checks += [(table, None, len(table)), *[(table, key, one) for key, one in table.items()]]
    for tensor in known:
        checks += [(tensor, one, one.__get__(tensor)) for one in (LAYOUT, STORAGE, OFFSET, NODE)]
        storages[id(tensor._storage)] = tensor._storage
    checks += [(storage, ADDRESS, storage.ptr) for storage in storages.values()]
    checks += [(leaf, GRAD, needed) for leaf, needed in recording.needed]
    for module, before in recorder.modules.values():
        attributes = vars(module)
        checks.append((attributes, None, len(attributes)))
        for name, one in attributes.items():
            if before.get(name, before) is one and name != KINDS and name not in left_out:
                checks.append((attributes, name, one))
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
    checks: list[Check] = [(vars(optimizer), "param_groups", groups), (groups, None, len(groups))]
    for place, group in enumerate(groups):
        params = group["params"]
        checks += [(groups, place, group), (group, "params", params), (params, None, len(params))]
        checks += [(params, k, one) for k, one in enumerate(params)]
    return checks


def checks_of_optimizer(optimizer: Any, before: list[dict[str, Any]], followed: list[Any]) -> list[Check]:
    """What must be as it was of an optimizer that steps, beside its groups: their state, and options.

    Arguments:
        optimizer: one whose step was taken down.
        before: its groups when the step began.
        followed: the groups whose options replays follow.
    """
    state = optimizer.state
    checks: list[Check] = [(vars(optimizer), "state", state)]
    for group, options in zip(optimizer.param_groups, before, strict=False):
        checks.append((group, None, len(options)))
        if not any([one is group for one in followed]):
            checks += [(group, name, value) for name, value in options.items()]
        for one in group["params"]:
            if one in state:
                checks.append((state, one, state[one]))
                checks += [(state[one], name, value) for name, value in state[one].items() if isinstance(value, Tensor)]
    return checks


def described(check: Check) -> str:
    """What a check that failed is about."""
    holder, key, expected = check
    if holder is default_dtype_cell:
        return "the default dtype"
    if isinstance(holder, Tensor):
        return f"the {key.__name__.strip('_')} of a tensor of shape {tuple(holder.shape)}"
    if isinstance(holder, Storage):
        return "the memory of a tensor"
    if key is CONTENTS:
        return f"a variable that the function closes over, which was {expected!r:.40}"
    if key is None:
        return "the number of attributes of a module, or of groups or parameters of an optimizer"
    name = getattr(key, "__name__", key)  # of a slot
    return f"the variable, attribute, option or entry {name!r}, which was {expected!r:.40}"
