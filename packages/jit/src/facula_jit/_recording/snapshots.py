"""Snapshots of Python containers and attributes, for code whose execution depends on a tensor.

A capture runs both branches of a condition, and the body of a loop at least once. Changes to a list, dict, set or
object would remain whether or not a replay runs them.
"""

from __future__ import annotations

from collections import deque
from types import FunctionType, MethodType, ModuleType
from typing import TYPE_CHECKING, Any

from facula_errors.extend import is_library_module
from facula_tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_ENTRIES, MAX_DEPTH = 64, 2  # limits on the entries and the nesting of containers that are compared
REMEMBERED = (type(None), bool, int, float, complex, str, bytes)
LEFT_OUT = (Tensor, FunctionType, MethodType, ModuleType, type, *REMEMBERED)


class Snapshot:
    """A copy of the present contents of lists, dicts, sets and attributes.

    Arguments:
        values: the roots; containers that they reference are included.
    """

    def __init__(self, values: Iterable[Any]):
        self._held: list[tuple[Any, Any, str]] = []  # a container, a copy of it, and its description
        todo, met = [(value, 0) for value in values], set()
        for value, depth in todo:  # the loop appends to it
            if isinstance(value, LEFT_OUT) or id(value) in met or depth > MAX_DEPTH:
                continue
            met.add(id(value))
            if isinstance(value, tuple):
                todo += [(part, depth + 1) for part in value[:MAX_ENTRIES]]
            elif (holder := _holder(value)) is not None:
                copied = holder.copy()
                kind = type(value).__name__
                self._held.append((holder, copied, f"a {kind}" if holder is value else f"an attribute of a {kind}"))
                todo += [(part, depth + 1) for part in _parts(copied)[:MAX_ENTRIES]]

    def changed(self) -> str | None:
        """Return a description of the first container that has changed since, or None."""
        for holder, before, words in self._held:
            now, then = _parts(holder), _parts(before)
            if len(now) != len(then) or any([a is not b for a, b in zip(now, then, strict=True)]):
                return words
        return None

    def restore(self) -> None:
        """Restore all contents."""
        for holder, before, _ in self._held:
            holder.clear()
            (holder.extend if isinstance(holder, (list, deque)) else holder.update)(before)


def _holder(value: Any) -> Any:
    """Return the mutable container of a value: itself, or the dict of its attributes; None if it has none."""
    if isinstance(value, (list, dict, set, deque)):
        return value
    own = None if is_library_module(type(value).__module__) else getattr(value, "__dict__", None)
    return own if type(own) is dict else None


def _parts(holder: Any) -> list[Any]:
    return [*holder.keys(), *holder.values()] if isinstance(holder, dict) else list(holder)
