"""Trees: nested tuples, lists, deques and dicts of arguments or results, with functions to flatten and rebuild them."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from facula_errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Tree = Any  # a leaf, or a tuple, list, deque or dict of trees


class Shape:
    """The structure of a tree without its leaves: equal for two trees that differ only in leaves.

    Arguments:
        kind: tuple, list, deque, dict or a class derived from one; None for a leaf.
        keys: the keys of a dict.
        parts: the shapes of its entries.
        detail: the factory of a defaultdict, or the maximum length of a deque.
    """

    __slots__ = ("detail", "keys", "kind", "parts")
    kind: Any

    def __init__(
        self,
        kind: type | None,
        keys: tuple[object, ...] = (),
        parts: tuple[Shape, ...] = (),
        detail: Any = None,
    ):
        self.kind, self.keys, self.parts, self.detail = kind, keys, parts, detail

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and (self.kind, self.keys, self.parts) == (other.kind, other.keys, other.parts)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        if self.kind is None:
            return "*"
        inside = zip(self.keys, self.parts, strict=True) if self.keys else ((None, part) for part in self.parts)
        parts = ", ".join(f"{part}" if key is None else f"{key!r}: {part}" for key, part in inside)
        return f"{self.kind.__name__}({parts})"

    def put_together(self, leaves: Iterator[Any]) -> Tree:
        """Return the tree of this shape with these leaves."""
        if self.kind is None:
            return next(leaves)
        parts = [next(leaves) if part.kind is None else part.put_together(leaves) for part in self.parts]
        if self.kind is tuple:
            return tuple(parts)
        if issubclass(self.kind, defaultdict):
            return self.kind(self.detail, zip(self.keys, parts, strict=True))
        if issubclass(self.kind, dict):
            return self.kind(zip(self.keys, parts, strict=True))
        if issubclass(self.kind, deque):
            return self.kind(parts, self.detail)
        return self.kind(*parts) if hasattr(self.kind, "_fields") else self.kind(parts)


LEAF_SHAPE = Shape(None)
_CONTAINERS = (tuple, list, dict, deque)


def take_apart(tree: Tree) -> tuple[list[Any], Shape]:
    """Return the leaves of a tree from left to right, and its shape. Objects of types other than containers are leaves.

    Containers are tuples, lists, deques and dicts.

    >>> leaves, shape = take_apart({"a": [1, 2], "b": (3,)})
    >>> leaves, put_together(shape, [4, 5, 6])
    ([1, 2, 3], {'a': [4, 5], 'b': (6,)})
    """
    if not isinstance(tree, _CONTAINERS):
        return [tree], LEAF_SHAPE
    leaves: list[Any] = []
    return leaves, _shape_of(tree, leaves)


def _shape_of(tree: Tree, leaves: list[Any]) -> Shape:
    named = isinstance(tree, dict)
    parts = []
    for part in tree.values() if named else tree:
        if isinstance(part, _CONTAINERS):
            parts.append(_shape_of(part, leaves))
        else:
            leaves.append(part)
            parts.append(LEAF_SHAPE)
    if named:
        return Shape(type(tree), tuple(tree), tuple(parts), getattr(tree, "default_factory", None))
    return Shape(type(tree), (), tuple(parts), getattr(tree, "maxlen", None))


def put_together(shape: Shape, leaves: Iterable[Any]) -> Tree:
    """Return the tree of this shape with these leaves."""
    return shape.put_together(iter(leaves))


def leaves_like(operation: str, what: str, tree: Tree, like: Shape) -> list[Any]:
    """Return the leaves of a tree in the order of a given shape; dicts may have their keys in any order.

    Arguments:
        operation: the prefix of the error message.
        what: a name for the tree in the error.
        tree: the tree.
        like: the shape that the tree must have.

    Raises:
        ArgumentError: the tree has another shape.
    """
    leaves: list[Any] = []
    if not _append_leaves(tree, like, leaves):
        raise ArgumentError(f"{operation}: expected {what} to be built like {like}; got {take_apart(tree)[1]}")
    return leaves


def _append_leaves(tree: Tree, like: Shape, leaves: list[Any]) -> bool:
    """Append the leaves of `tree`; return False if it does not have the shape `like`."""
    if like.kind is None:
        leaves.append(tree)
        return not isinstance(tree, _CONTAINERS)
    if not isinstance(tree, like.kind) or len(tree) != len(like.parts):
        return False
    if isinstance(tree, dict):
        if tree.keys() != set(like.keys):
            return False
        tree = [tree[key] for key in like.keys]
    return all([_append_leaves(part, form, leaves) for part, form in zip(tree, like.parts, strict=True)])
