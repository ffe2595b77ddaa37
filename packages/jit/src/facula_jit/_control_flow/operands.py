"""Operands and results of control flow: what they may be made of, and where two of them have to agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import ArgumentError, DTypeError, InvalidTypeError
from facula_storage import bool_
from facula_tensor import Tensor
from facula_tensor.extend import batches_of, put_together, take_apart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from facula_tensor.extend import Shape

    Tree = Any  # a tensor, or tuples, lists and dicts of trees

NUMBERS = (bool, int, float, complex)
OTHERS = (*NUMBERS, type(None))  # leaves beside tensors


class Leaves(NamedTuple):
    """A tree taken apart; `what` says in errors what it is."""

    what: str
    leaves: list[Any]
    shape: Shape

    def tree(self, leaves: list[Any] | None = None) -> Tree:
        """The tree, of these leaves or its own."""
        return put_together(self.shape, self.leaves if leaves is None else leaves)

    def tensors(self) -> list[Tensor]:
        """The leaves that are tensors."""
        return [one for one in self.leaves if isinstance(one, Tensor)]


def leaves_of(operation: str, what: str, tree: Tree, others: tuple[type, ...] = OTHERS) -> Leaves:
    """The leaves of a tree; TypeError for one that is neither a tensor nor of `others`.

    Arguments:
        operation: how the error begins.
        what: what the tree is, for the error.
        tree: the tree.
        others: types of leaves beside tensors.
    """
    leaves, shape = take_apart(tree)
    for one in leaves:
        if not isinstance(one, (Tensor, *others)):
            kinds = "tensors and numbers" if others else "tensors"
            raise InvalidTypeError(
                f"{operation}: expected {what} to be {kinds}, in tuples, lists and dicts; got "
                f"{type(one).__name__} {one!r:.60}"
            )
    return Leaves(what, leaves, shape)


def shown(one: Any) -> str:
    """A leaf in words: what has to agree of it."""
    return f"{one.dtype.name} {tuple(one.shape)}" if isinstance(one, Tensor) else f"{type(one).__name__} {one!r:.40}"


def check_agree(operation: str, a: Leaves, b: Leaves, by_value: bool = False) -> None:
    """ValueError unless two trees are built alike, of leaves of the same shapes and dtypes.

    Arguments:
        operation: how the error begins.
        a: a tree.
        b: the other.
        by_value: whether leaves that are no tensors have to be equal, beside being of one type.
    """
    if a.shape != b.shape:
        raise ArgumentError(
            f"{operation}: expected {a.what} and {b.what} to be built alike; got {a.shape} and {b.shape}"
        )
    for place, (one, other) in enumerate(zip(a.leaves, b.leaves, strict=True)):
        if isinstance(one, Tensor) and isinstance(other, Tensor):
            fits = one.shape == other.shape and one.dtype is other.dtype
        else:
            fits = type(one) is type(other) and (not by_value or one == other or one != one)
        if not fits:
            raise ArgumentError(
                f"{operation}: expected {a.what} and {b.what} to be of one shape and dtype; got {shown(one)} and "
                f"{shown(other)} at leaf {place}; convert one, as by to() or expand()"
            )


def is_batched(one: Any) -> bool:
    """Whether this stands for the elements of a batch, inside `vmap`."""
    return isinstance(one, Tensor) and bool(batches_of(one))


def check_condition(operation: str, what: str, pred: object) -> None:
    """TypeError or ValueError unless this is a bool, or a tensor of one bool.

    Arguments:
        operation: how the error begins.
        what: what it is, for the error.
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
    """TypeError for one of these, given by name, that cannot be called."""
    for name, one in functions.items():
        if not callable(one):
            raise InvalidTypeError(
                f"{operation}: expected {name} to be a function; got {type(one).__name__} {one!r:.60}"
            )


def slices_of(operation: str, xs: Leaves, dim: int) -> Iterator[Tree]:
    """The trees of slices along a dimension of all leaves.

    Arguments:
        operation: how errors begin.
        xs: a tree of tensors.
        dim: the dimension, which has the same length in all.
    """
    length = length_of(operation, xs, dim)
    parts = [one.unbind(dim) for one in xs.leaves]
    return (xs.tree([part[place] for part in parts]) for place in range(length))


def length_of(operation: str, xs: Leaves, dim: int) -> int:
    """The length of `dim` in all leaves; an error where it is not there, not the same, or 0."""
    if type(dim) is not int:
        raise InvalidTypeError(f"{operation}: expected dim to be an int; got {type(dim).__name__} {dim!r:.60}")
    if not xs.leaves:
        raise ArgumentError(f"{operation}: expected at least one tensor in {xs.what}; got {xs.shape}")
    for one in xs.leaves:
        if not -one.ndim <= dim < one.ndim:
            raise ArgumentError(f"{operation}: expected {xs.what} to have a dimension {dim}; got {shown(one)}")
        if one.shape[dim] != xs.leaves[0].shape[dim]:
            raise ArgumentError(
                f"{operation}: expected {xs.what} to be of one length along dimension {dim}; got "
                f"{shown(xs.leaves[0])} and {shown(one)}"
            )
    length = int(xs.leaves[0].shape[dim])
    if length == 0:
        raise ArgumentError(
            f"{operation}: expected at least one slice along dimension {dim}; got {shown(xs.leaves[0])}"
        )
    return length
