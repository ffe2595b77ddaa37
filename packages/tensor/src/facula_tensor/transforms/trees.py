"""Arguments and results that are tuples, lists and dicts of tensors, in any nesting: taken apart and put together."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING, Any

from facula_errors import ArgumentError, InvalidTypeError

from .._core.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Tree = Any  # a tensor, or a tuple, list or dict of trees


class Shape:
    """What a tree is without its leaves: equal for two trees that differ in leaves alone.

    Arguments:
        kind: tuple, list, deque, dict or a class derived from one; None for a leaf.
        keys: the keys of a dict.
        parts: the shapes of what it holds.
        detail: what else makes one of its kind: a defaultdict's function, or the greatest length of a deque.
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
        """The tree of this shape whose leaves these are."""
        if self.kind is None:
            return next(leaves)
        parts = [part.put_together(leaves) for part in self.parts]
        if issubclass(self.kind, defaultdict):
            return self.kind(self.detail, zip(self.keys, parts, strict=True))
        if issubclass(self.kind, dict):
            return self.kind(zip(self.keys, parts, strict=True))
        if issubclass(self.kind, deque):
            return self.kind(parts, self.detail)
        return self.kind(*parts) if hasattr(self.kind, "_fields") else self.kind(parts)


LEAF = Shape(None)


def take_apart(tree: Tree) -> tuple[list[Any], Shape]:
    """The leaves of a tree from left to right, and its shape; what is no tuple, list, deque or dict is a leaf."""
    leaves: list[Any] = []
    return leaves, _shape_of(tree, leaves)


def _shape_of(tree: Tree, leaves: list[Any]) -> Shape:
    if isinstance(tree, dict):
        parts = tuple([_shape_of(part, leaves) for part in tree.values()])
        return Shape(type(tree), tuple(tree), parts, getattr(tree, "default_factory", None))
    if isinstance(tree, (tuple, list, deque)):
        parts = tuple([_shape_of(part, leaves) for part in tree])
        return Shape(type(tree), (), parts, getattr(tree, "maxlen", None))
    leaves.append(tree)
    return LEAF


def put_together(shape: Shape, leaves: list[Any]) -> Tree:
    """The tree of this shape whose leaves these are."""
    return shape.put_together(iter(leaves))


def check_callable(operation: str, func: object) -> None:
    """TypeError for what is no function."""
    if not callable(func):
        raise InvalidTypeError(f"{operation}: expected a function; got {type(func).__name__} {func!r:.60}")


def map_tensors(function: Callable[[Tensor], Any], tree: Tree) -> Tree:
    """The same tree, with `function` applied to the tensors in it."""
    leaves, shape = take_apart(tree)
    return put_together(shape, [function(one) if isinstance(one, Tensor) else one for one in leaves])


def tensors_of(operation: str, what: str, tree: Tree) -> tuple[list[Tensor], Shape]:
    """The leaves and the shape of a tree of tensors; TypeError where a leaf is something else.

    Arguments:
        operation: how the error begins.
        what: what the tree is, for the error.
        tree: the tree.
    """
    leaves, shape = take_apart(tree)
    for one in leaves:
        if not isinstance(one, Tensor):
            raise InvalidTypeError(
                f"{operation}: expected {what} to be a Tensor, or tuples, lists and dicts of Tensors; got "
                f"{type(one).__name__} {one!r:.60}"
            )
    return leaves, shape


def leaves_like(operation: str, what: str, tree: Tree, like: Shape) -> list[Tensor]:
    """The leaves of a tree of tensors, which has to be of the shape `like`: ValueError where it is not.

    Arguments:
        operation: how the error begins.
        what: what the tree is, for the error.
        tree: the tree.
        like: the shape.
    """
    leaves, shape = tensors_of(operation, what, tree)
    if shape != like:
        raise ArgumentError(f"{operation}: expected {what} to be built like {like}; got {shape}")
    return leaves
