"""What Python around the operators remembers from call to call: noticed where a function changes it.

A counter, a flag or a cache that a function changes by itself would stand still in replays, and so would what the
function makes of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF
from facula_tensor import Function, Tensor

from ._breaks import Break
from ._closures import UNSET
from ._contents import NEAR, REMEMBERED
from ._pieces import own_function
from ._positions import SHIFTING, Positions

if TYPE_CHECKING:
    from ._recorder import Recorder


class Variables:
    """What a function depends on, beside tensors, before it runs.

    Arguments:
        recorder: has the arguments that are no tensors, and learns what is met.
        function: the function.
        containers: the lists and dicts among the arguments.
    """

    def __init__(self, recorder: Recorder, function: Any, containers: list[Any]):
        self.recorder, contents = recorder, recorder.contents
        own = own_function(function)
        if own is not None:  # its own lines, whether they have operators or not
            known = own.__globals__
            recorder.variables[own.__code__] = known, {one: known[one] for one in own.__code__.co_names if one in known}
        contents.add([function, own, *recorder.objects])
        hooks = {id(hook): hook for one, depth in contents.met.values() if depth <= 1 for hook in _hooks_of(one)}
        contents.add(hooks.values())
        self.containers = [(one, dict(one) if isinstance(one, dict) else list(one)) for one in containers]
        met = list(contents.met.values())
        self.positions = Positions([one for one, depth in met if depth <= NEAR or isinstance(one, SHIFTING)])
        groups = [group for one, depth in met if depth <= NEAR for group in _groups_of(one)]
        self.groups = [(group, dict(group)) for group in groups]

    def changed(self) -> Break | None:
        """What the function has changed, of what has values that can be told apart."""
        for held in self.recorder.contents.held.values():
            now = held.present()
            if isinstance(held.holder, list) and len(now) != len(held.entries):
                return _said("how long a list is")
            for name, one in now.items():
                if _differs(held.entries.get(name, UNSET), one):
                    return _said(f"the {held.named(name)}")
        for holder, before in self.recorder.modules.values():
            for name, one in vars(holder).items():
                if _differs(before.get(name, UNSET), one):
                    return _said(f"the attribute {name!r} of a {type(holder).__name__}")
        for holder, given in self.containers:
            pairs = zip(_items(holder), _items(given), strict=False)
            if len(holder) != len(given) or any(
                [a is not b for one, other in pairs for a, b in zip(one, other, strict=True)]
            ):
                return _said(f"a {type(holder).__name__} among the arguments")
        if (moved := self.positions.moved()) is not None:
            return _said(f"the state of a {type(moved).__name__}")
        if not self.recorder.actions_of_schedules():
            for group, options in self.groups:
                for name, one in group.items():
                    if name != "params" and _differs(options.get(name, UNSET), one):
                        return _said(f"the option {name!r} of an optimizer")
        return None


def _hooks_of(value: Any) -> list[Any]:
    """The hooks of a tensor, of a module and what it holds; what a Function consists of."""
    if isinstance(value, Tensor):
        tables = [value.hooks.value_hooks, value.hooks.after] if value.node is LEAF and value.hooks else []
        return [one for table in tables for one in table.values()]
    if isinstance(value, type) and issubclass(value, Function):
        return [value.forward, value.backward]
    if not hasattr(type(value), "named_modules"):
        return []
    attributes = [vars(one) for _, one in value.named_modules()]
    tables = [table for own in attributes for table in (own.get("_hooks") or {}).values()]
    found = [getattr(one, "hook", one) for table in tables for one in table.values()]
    tensors = [one for own in attributes for one in own.values() if isinstance(one, Tensor)]
    return found + [hook for one in tensors for hook in _hooks_of(one)]


def _items(value: Any) -> list[tuple[Any, ...]]:
    return list(value.items()) if isinstance(value, dict) else [(one,) for one in value]


def _groups_of(value: Any) -> list[dict[str, Any]]:
    """The groups of an optimizer."""
    groups = vars(value).get("param_groups") if type(getattr(value, "__dict__", None)) is dict else None
    return [one for one in groups if isinstance(one, dict)] if isinstance(groups, list) else []


def _differs(before: Any, after: Any) -> bool:
    if isinstance(after, Tensor):
        return before is not after and before is not UNSET
    if before is after or not (isinstance(before, REMEMBERED) or isinstance(after, REMEMBERED)):
        return False
    return type(before) is not type(after) or before != after


def _said(what: str) -> Break:
    return Break(
        f"{what} is changed by the function, and would stand still in replays",
        "change it outside, or keep it in a tensor that is changed in place",
        None,
    )
