"""Guards on containers and arrays, which compare all entries or elements."""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict, deque
from typing import TYPE_CHECKING, Any

from facula_storage.extend.replay import snapshot_bytes
from facula_tensor import Tensor

if TYPE_CHECKING:
    from .attributes import AttributeReads

CONTAINERS = (list, dict, tuple, set, frozenset, deque)
MAX_BYTES = 1 << 16  # size limit of arrays whose elements are compared before each replay


def add_entries(reach: AttributeReads, value: Any, words: str) -> None:
    """Guard the entries of a container in their order, and reach them."""
    kind = type(value)
    if issubclass(kind, dict):
        iterate = OrderedDict.items if issubclass(kind, OrderedDict) else dict.items
        flat = tuple([part for pair in iterate(value) for part in pair])
        if issubclass(kind, defaultdict):
            descriptor = vars(defaultdict)["default_factory"]
            reach.reach(reach.guards.slot(value, descriptor, "default_factory", words), words)
    else:
        base = next(candidate for candidate in CONTAINERS if issubclass(kind, candidate))
        flat = tuple(base.__iter__(value))  # type: ignore[arg-type]
    if not issubclass(kind, tuple) and kind is not frozenset:
        if issubclass(kind, (set, deque)) and kind not in (set, deque):
            reach.guards.answer(_entries_of(base), value, f"an entry of {words}")
        else:
            reach.guards.entries(value, flat, f"an entry of {words}")
    if issubclass(kind, (dict, set, frozenset)) and any([isinstance(part, Tensor) for part in flat]):
        reach.compares_identity = True  # hash lookup compares identities
    for part in flat:
        reach.reach(part, f"an entry of {words}")


def _entries_of(base: type) -> Any:
    """Return the function that lists the entries of a subclass of set or deque."""
    return _set_entries if base is set else _deque_entries


def _set_entries(value: Any) -> tuple[Any, ...]:
    return tuple(set.__iter__(value))


def _deque_entries(value: Any) -> tuple[Any, ...]:
    return tuple(deque.__iter__(value))


def buffer_snapshot(value: Any) -> bytes | str | None:
    """Return a snapshot of an array for comparison, the reason why it cannot be compared as text, or None for other
    values.
    """
    kind = type(value)
    numpy: Any = sys.modules.get("numpy")
    is_array = numpy is not None and kind is numpy.ndarray
    if not is_array and not issubclass(kind, bytearray) and (kind.__module__, kind.__name__) != ("array", "array"):
        return None
    if is_array and value.dtype.hasobject:
        return "an array of objects"
    size = value.nbytes if is_array else len(memoryview(value)) * memoryview(value).itemsize
    if size > MAX_BYTES:
        return f"an array of {size:,} bytes (at most {MAX_BYTES:,} are compared)"
    return snapshot_bytes(value)
