"""Containers of results (tuples, lists, dicts and dataclasses), which each replay rebuilds."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import fields
from sys import getrefcount
from types import MemberDescriptorType
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors.extend import is_library_module

if TYPE_CHECKING:
    from collections.abc import Sequence


class Tree(NamedTuple):
    """A tuple, list, dict or dataclass in a result."""

    kind: type
    keys: tuple[Any, ...] | None  # of a dict, or the field names of a dataclass
    parts: tuple[Any, ...]
    factory: Any = None  # the `default_factory` of a defaultdict


def is_dataclass(kind: type) -> bool:
    """Return True for a dataclass. No code of a metaclass runs, since it may answer every attribute name."""
    if type(kind) is type:
        return hasattr(kind, "__dataclass_fields__")
    return any(["__dataclass_fields__" in vars(base) for base in kind.__mro__])


def is_module(kind: type) -> bool:
    """Return True for a module class of this library, False for those of other frameworks."""
    return any(["named_modules" in vars(base) and is_library_module(base.__module__) for base in kind.__mro__])


def parts_of(value: Any) -> tuple[tuple[Any, ...] | None, tuple[Any, ...]] | None:
    """Return the keys and the parts of a container; None for other values, and for containers with further
    attributes.
    """
    kind = type(value)
    if is_dataclass(kind):
        names = tuple([field.name for field in fields(value)])
        own = {*getattr(value, "__dict__", ()), *[name for base in kind.__mro__ for name in _slots_of(base)]}
        if not own <= set(names) or is_module(kind) or not all([hasattr(value, name) for name in names]):
            return None
        return names, tuple([getattr(value, name) for name in names])
    if getattr(value, "__dict__", None):
        return None
    if isinstance(value, dict):
        return tuple(value), tuple(value.values())
    return (None, tuple(value)) if isinstance(value, (tuple, list)) else None


def _slots_of(kind: type) -> list[str]:
    return [name for name, value in vars(kind).items() if type(value) is MemberDescriptorType]


def factory_of(value: Any) -> Any:
    """Return the `default_factory` of a defaultdict, None for other values."""
    return value.default_factory if isinstance(value, defaultdict) else None


def rebuilt(tree: Tree, parts: Sequence[Any]) -> Any:
    """Rebuild a container from these parts without running the constructor or validation of its class."""
    kind: Any = tree.kind
    if is_dataclass(kind):
        own = dict(zip(tree.keys or (), parts, strict=True))
        if issubclass(tree.kind, (dict, list, tuple)):
            return tree.kind(**own)
        made: Any = object.__new__(tree.kind)
        for name, part in own.items():
            object.__setattr__(made, name, part)
        return made
    if issubclass(kind, tuple):
        return tuple.__new__(kind, parts)
    new: Any = kind.__new__(kind)
    if tree.keys is None:
        list.extend(new, parts)
    elif issubclass(kind, OrderedDict):
        OrderedDict.update(new, zip(tree.keys, parts, strict=True))
    else:
        dict.update(new, zip(tree.keys, parts, strict=True))
        if issubclass(kind, defaultdict):
            new.default_factory = tree.factory
    return new


def is_kept(result: Any) -> bool:
    """Return True if a list, dict or dataclass inside a result has other references: it existed before, or the program
    keeps it. Replays would return copies of it. The result itself is not checked.
    """
    return any([owners > _OWNERS for owners in _owners_beside(result)])


def _owners_beside(result: Any) -> list[int]:
    """Return the number of references to each container in a result, excluding those from the result."""
    times: dict[int, int] = {}
    found: list[Any] = []
    todo = [result]
    for pending in todo:  # the loop appends to it
        pieces = parts_of(pending)
        for part in () if pieces is None else pieces[1]:
            times[id(part)] = times.get(id(part), 0) + 1
            if times[id(part)] == 1 and (isinstance(part, (tuple, list, dict)) or is_dataclass(type(part))):
                todo.append(part)
                if not isinstance(part, tuple):
                    found.append(part)
    del todo, pending, pieces
    part = None
    return [getrefcount(found[at]) - times[id(found[at])] for at in range(len(found))]


_OWNERS = _owners_beside(([],))[0]
