"""What Python around the operators remembers from call to call: noticed where a function changes it.

A counter, a flag or a cache that a function changes by itself would stand still in replays, and so would what the
function makes of it.
"""

from __future__ import annotations

from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from facula_autograd.extend import LEAF
from facula_errors.extend import is_library_module
from facula_tensor import Function, Tensor

from ._breaks import Break
from ._checks import MOST_ENTRIES, REMEMBERED, classes_of
from ._closures import UNSET, cells_of, content
from ._positions import Positions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ._recorder import Recorder


class Variables:
    """The variables that a function closes over or names, and the attributes of its objects, before it runs.

    Arguments:
        recorder: has the arguments that are no tensors, and learns which modules are called.
        function: the function.
        containers: the lists and dicts among the arguments.
    """

    def __init__(self, recorder: Recorder, function: Any, containers: list[Any]):
        self.recorder, self.function = recorder, function
        self.cells: list[tuple[str, CellType, Any]] = []
        self.names: list[tuple[dict[str, Any], dict[str, Any]]] = []
        named = self._add(function)
        for hook in {id(one): one for value in recorder.objects + named for one in _hooks_of(value)}.values():
            named += self._add(hook)
        objects = [one for one in recorder.objects + named if type(getattr(one, "__dict__", None)) is dict]
        objects = [one for one in objects if not isinstance(one, (FunctionType, MethodType, ModuleType, Tensor))]
        objects = [one for one in objects if not hasattr(type(one), "named_modules")]  # looked at when they are called
        objects = [one for one in objects if not is_library_module(type(one).__module__)]  # tell the recorder
        objects += classes_of(recorder.objects + [one for one in named if isinstance(one, type)])
        self.places = [(one, dict(vars(one))) for one in objects]
        values = named + [one for _, own in self.places for one in own.values()] + recorder.objects
        recorder.watch_among([part for one in values for part in (one, *_parts(one))])
        self.entries = [(one, _entries(one)) for one in values if _entries(one) is not None]
        self.containers = [(one, dict(one) if isinstance(one, dict) else list(one)) for one in containers]
        self.positions = Positions(values)
        groups = [group for one in values for group in _groups_of(one)]
        self.groups = [(group, dict(group)) for group in groups]

    def _add(self, function: Any) -> list[Any]:
        """Look at what a function closes over and names: what that is now, and what it is bound to."""
        own = getattr(function, "__func__", function)
        code, before = getattr(own, "__code__", None), len(self.cells)
        self.cells += [(name, cell, content(cell)) for name, cell in cells_of(own).items()]
        named = [one for _, _, one in self.cells[before:]]
        if type(code) is CodeType:
            known = own.__globals__
            names = known, {name: known[name] for name in code.co_names if name in known}
            self.names.append(names)
            self.recorder.variables[code] = names  # whether its own lines have operators or not
            named += names[1].values()
        return [*named, getattr(function, "__self__", None)]

    def changed(self) -> Break | None:
        """What the function has changed, of what has values that can be told apart."""
        for name, cell, before in self.cells:
            if _differs(before, content(cell)):
                return _said(f"the variable {name!r}")
        for known, before in (*self.names, *self.recorder.variables.values()):
            for name, one in before.items():
                if _differs(one, known.get(name, UNSET)):
                    return _said(f"the variable {name!r}")
        for holder, before in (*self.places, *self.recorder.modules.values()):
            for name, one in vars(holder).items():
                if _differs(before.get(name, UNSET), one):
                    return _said(f"the attribute {name!r} of a {type(holder).__name__}")
        for holder, entries in self.entries:
            now = _entries(holder) or {}
            if isinstance(holder, list) and len(now) != len(entries or {}):
                return _said("how long a list is")
            for key, one in now.items():
                if _differs((entries or {}).get(key, UNSET), one):
                    return _said(f"the entry {key!r} of a {type(holder).__name__}")
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


def _entries(value: Any) -> dict[Any, Any] | None:
    """The entries of a short list or dict."""
    if isinstance(value, list) and len(value) <= MOST_ENTRIES:
        return dict(enumerate(value))
    return dict(value) if isinstance(value, dict) and len(value) <= MOST_ENTRIES else None


def _parts(value: Any) -> Iterable[Any]:
    """What a short list, tuple or dict holds."""
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return parts if len(parts) <= MOST_ENTRIES else ()


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
