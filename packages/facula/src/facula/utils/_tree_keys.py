"""Keys that form the paths of a nest's leaves; see `tree_flatten_with_path` of `_pytree.py`."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple, TypeAlias

PyTree: TypeAlias = Any


class SequenceKey(NamedTuple):
    """The index of a child in a sequence."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: PyTree) -> PyTree:
        """Return the child."""
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """The key of a child in a mapping."""

    key: Hashable

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: PyTree) -> PyTree:
        """Return the child."""
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """The name of a child that is an attribute."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: PyTree) -> PyTree:
        """Return the child."""
        return getattr(obj, self.name)


def keystr(kp: tuple[PyTree, ...]) -> str:
    """Return a path as text.

    >>> keystr((MappingKey("a"), SequenceKey(0)))
    "['a'][0]"
    """
    return "".join(map(str, kp))


def key_get(obj: PyTree, kp: tuple[PyTree, ...]) -> PyTree:
    """Return the part of a nest at the end of a path.

    >>> key_get({"a": [5]}, (MappingKey("a"), SequenceKey(0)))
    5
    """
    for key in kp:
        obj = key.get(obj)
    return obj
