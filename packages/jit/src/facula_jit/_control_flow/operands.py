"""Operands and results of control flow: permitted types, and matching of two trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import bool_
from facula_tensor import Tensor
from facula_tensor.extend.overriding import batches_of
from facula_tensor.extend.recording import put_together, take_apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from facula_tensor.extend.recording import Shape

    Tree = Any  # a tensor, or tuples, lists and dicts of trees

NUMBERS = (bool, int, float, complex)
OTHERS = (*NUMBERS, type(None))  # types of leaves besides tensors


class Leaves(NamedTuple):
    """The leaves and the structure of a tree; `what` is its name in errors."""

    what: str
    leaves: list[Any]
    shape: Shape

    def tree(self, leaves: list[Any] | None = None) -> Tree:
        """Return the tree with these leaves, or with its own."""
        return put_together(self.shape, self.leaves if leaves is None else leaves)

    def tensors(self) -> list[Tensor]:
        """Return the leaves that are tensors."""
        return [leaf for leaf in self.leaves if isinstance(leaf, Tensor)]


def leaves_of(operation: str, what: str, tree: Tree, others: tuple[type, ...] = OTHERS) -> Leaves:
    """Return the leaves of a tree; raise TypeError for one that is neither a tensor nor of `others`.

    Arguments:
        operation: the name of the operation, for errors.
        what: the name of the tree, for errors.
        tree: the tree.
        others: the permitted types of leaves besides tensors.
    """
    leaves, shape = take_apart(tree)
    for leaf in leaves:
        if not isinstance(leaf, (Tensor, *others)):
            kinds = "tensors and numbers" if others else "tensors"
            raise InvalidTypeError(
                f"{operation}: expected {what} to be {kinds}, in tuples, lists and dicts; got "
                f"{type(leaf).__name__} {leaf!r:.60}"
            )
    return Leaves(what, leaves, shape)


def shown(value: Any) -> str:
    """Return a description of the properties of a leaf that must match."""
    return (
        f"{value.dtype.name} {tuple(value.shape)}"
        if isinstance(value, Tensor)
        else f"{type(value).__name__} {value!r:.40}"
    )


def check_agree(operation: str, a: Leaves, b: Leaves, by_value: bool = False) -> None:
    """Raise ValueError unless two trees have the same structure, and leaves with the same shapes and dtypes.

    Arguments:
        operation: the name of the operation, for errors.
        a: a tree.
        b: the other tree.
        by_value: require equal values of non-tensor leaves, not only the same type.
    """
    if a.shape != b.shape:
        raise ArgumentError(
            f"{operation}: expected {a.what} and {b.what} to have the same structure; got {a.shape} and {b.shape}"
        )
    for place, (leaf, other) in enumerate(zip(a.leaves, b.leaves, strict=True)):
        if isinstance(leaf, Tensor) and isinstance(other, Tensor):
            fits = leaf.shape == other.shape and leaf.dtype is other.dtype
        else:
            fits = type(leaf) is type(other) and (not by_value or leaf == other or leaf != leaf)
        if not fits:
            raise ArgumentError(
                f"{operation}: expected {a.what} and {b.what} to have the same shape and dtype; got {shown(leaf)} and "
                f"{shown(other)} at leaf {place}; convert one, as by to() or expand()"
            )


def is_batched(value: Any) -> bool:
    """Return True for a batched tensor inside `vmap`."""
    return isinstance(value, Tensor) and bool(batches_of(value))


def check_condition(operation: str, what: str, pred: object) -> None:
    """Raise TypeError or ValueError unless this is a bool, or a tensor with one bool element.

    Arguments:
        operation: the name of the operation, for errors.
        what: the name of the argument, for errors.
        pred: the condition.
    """
    if isinstance(pred, bool):
        return
    if not isinstance(pred, Tensor):
        raise InvalidTypeError(
            f"{operation}: expected {what} to be a bool or a tensor of one bool; got {type(pred).__name__} {pred!r:.60}"
        )
    if pred.dtype is not bool_:
        raise DTypeError(
            f"{operation}: expected {what} to be of dtype bool; got {shown(pred)}; compare it, as in x.sum() > 0"
        )
    if pred.numel() != 1:
        raise ArgumentError(
            f"{operation}: expected {what} to have one element; got {shown(pred)}; reduce it by any() or all()"
        )


def check_functions(operation: str, **functions: object) -> None:
    """Raise TypeError for one of these arguments, given by name, that is not callable."""
    for name, function in functions.items():
        if not callable(function):
            raise InvalidTypeError(
                f"{operation}: expected {name} to be a function; got {type(function).__name__} {function!r:.60}"
            )


def slices_of(operation: str, xs: Leaves, dim: int) -> Iterator[Tree]:
    """Generate the trees of slices along a dimension of all leaves.

    Arguments:
        operation: the name of the operation, for errors.
        xs: a tree of tensors.
        dim: the dimension, which has the same length in all leaves.
    """
    length = length_of(operation, xs, dim)
    parts = [leaf.unbind(dim) for leaf in xs.leaves]
    return (xs.tree([part[place] for part in parts]) for place in range(length))


def length_of(operation: str, xs: Leaves, dim: int) -> int:
    """Return the length of `dim`; raise an error if a leaf lacks it, or if lengths differ or are 0."""
    if type(dim) is not int:
        raise InvalidTypeError(f"{operation}: expected dim to be an int; got {type(dim).__name__} {dim!r:.60}")
    if not xs.leaves:
        raise ArgumentError(f"{operation}: expected at least one tensor in {xs.what}; got {xs.shape}")
    for leaf in xs.leaves:
        if not -leaf.ndim <= dim < leaf.ndim:
            raise ArgumentError(f"{operation}: expected {xs.what} to have a dimension {dim}; got {shown(leaf)}")
        if leaf.shape[dim] != xs.leaves[0].shape[dim]:
            raise ArgumentError(
                f"{operation}: expected {xs.what} to be of one length along dimension {dim}; got "
                f"{shown(xs.leaves[0])} and {shown(leaf)}"
            )
    length = int(xs.leaves[0].shape[dim])
    if length == 0:
        raise ArgumentError(
            f"{operation}: expected at least one slice along dimension {dim}; got {shown(xs.leaves[0])}"
        )
    return length
