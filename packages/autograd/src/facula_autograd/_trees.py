"""Arguments and results in tuples, lists, deques and dicts, in any nesting: flattened and rebuilt."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import Any

from facula_errors import ArgumentError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Tree = Any  # a leaf, or a tuple, list, deque or dict of trees


class Shape:
    """The structure of a tree without its leaves: equal for two trees that differ in leaves alone.

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
        """The tree of this shape with these leaves."""
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
    """The leaves of a tree from left to right, and its shape; any object but a tuple, list, deque or dict is a leaf.

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
    """The tree of this shape with these leaves."""
    return shape.put_together(iter(leaves))


def leaves_like(operation: str, what: str, tree: Tree, like: Shape) -> list[Any]:
    """The leaves of a tree in the order of a shape that it must have; dicts may have their keys in any order.

    Arguments:
        operation: how the error begins.
        what: a name for the tree in the error.
        tree: the tree.
        like: the shape.

    Raises:
        ArgumentError: the tree has another shape.
    """
    leaves: list[Any] = []
    if not _append_leaves(tree, like, leaves):
        raise ArgumentError(f"{operation}: expected {what} to be built like {like}; got {take_apart(tree)[1]}")
    return leaves


def _append_leaves(tree: Tree, like: Shape, leaves: list[Any]) -> bool:
    """Append the leaves of `tree`; False where it is not of the shape `like`."""
    if like.kind is None:
        leaves.append(tree)
        return not isinstance(tree, _CONTAINERS)
    if not isinstance(tree, like.kind) or len(tree) != len(like.parts):
        return False
    if isinstance(tree, dict):
        if tree.keys() != set(like.keys):
            return False
        tree = [tree[key] for key in like.keys]
    return all([_append_leaves(part, one, leaves) for part, one in zip(tree, like.parts, strict=True)])
