"""Flatten and rebuild arguments and results that are nested tuples, lists and dicts of tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.transforms import leaves_like, put_together, take_apart
from facula_errors import InvalidTypeError

from .._core.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

    from facula_autograd.extend.transforms import Shape

Tree = Any  # a tensor, or a tuple, list or dict of trees


def map_tensors(function: Callable[[Tensor], Any], tree: Tree) -> Tree:
    """Return the tree with `function` applied to its tensors."""
    leaves, shape = take_apart(tree)
    return put_together(shape, [function(leaf) if isinstance(leaf, Tensor) else leaf for leaf in leaves])


def tensors_of(operation: str, what: str, tree: Tree) -> tuple[list[Tensor], Shape]:
    """Return the leaves and the shape of a tree of tensors; TypeError for other leaves.

    Arguments:
        operation: how the error begins.
        what: what the tree is, for the error.
        tree: the tree.
    """
    leaves, shape = take_apart(tree)
    _check_tensors(operation, what, leaves)
    return leaves, shape


def _check_tensors(operation: str, what: str, leaves: list[Any]) -> None:
    for leaf in leaves:
        if not isinstance(leaf, Tensor):
            raise InvalidTypeError(
                f"{operation}: expected {what} to be a Tensor, or tuples, lists and dicts of Tensors; got "
                f"{type(leaf).__name__} {leaf!r:.60}"
            )


def tensors_like(operation: str, what: str, tree: Tree, like: Shape) -> list[Tensor]:
    """Return the leaves of a tree of tensors; ValueError unless it has the shape `like`.

    Arguments:
        operation: how the error begins.
        what: what the tree is, for the error.
        tree: the tree.
        like: the shape.
    """
    leaves = leaves_like(operation, what, tree, like)
    _check_tensors(operation, what, leaves)
    return leaves
