"""Tensors of which each process has a part, for packages that do not import facula_distributed, which has the class.

- `has_parts` returns whether a tensor is one. In a block of `disable_overrides` it is its local part.
- `like_part` makes a local tensor one, `like_whole` a whole tensor, both distributed as another tensor.
- `reduced_parts` computes numbers of such tensors, such as norms; `replicated` makes a number one, and
  `whole_of` returns the plain tensor of all parts.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._core.tensor import Tensor

__all__ = ["has_parts", "like_part", "like_whole", "reduced_parts", "replicated", "whole_of"]


def has_parts(tensor: Tensor) -> bool:
    """Return whether a tensor consists of parts on several processes."""
    return hasattr(tensor, "_like_part")


def like_part(tensor: Tensor, part: Tensor) -> Tensor:
    """Return the tensor of which `part` is this process's part, distributed as `tensor`."""
    return tensor._like_part(part)  # type: ignore[attr-defined, no-any-return]


def like_whole(tensor: Tensor, whole: Tensor) -> Tensor:
    """Return a whole tensor, which all processes have, or one with other parts, distributed as `tensor`."""
    return tensor._like_whole(whole)  # type: ignore[attr-defined, no-any-return]


def reduced_parts(
    tensors: Sequence[Tensor], reduce: Callable[[Tensor], Tensor], combine: Callable[[Tensor], Tensor]
) -> list[Tensor]:
    """Return a number of each of several tensors with parts, equal on all processes; all of them call this.

    Arguments:
        tensors: the tensors.
        reduce: returns the number of a part, which may be empty.
        combine: reduces the first dimension of a matrix: the numbers of each process, for several tensors.
    """
    return tensors[0]._reduced(tensors, reduce, combine)  # type: ignore[attr-defined, no-any-return]


def replicated(tensor: Tensor, value: Tensor) -> Tensor:
    """Return a value, which all processes have, as a tensor of the class of `tensor`."""
    return tensor._replicated(value)  # type: ignore[attr-defined, no-any-return]


def whole_of(tensor: Tensor) -> Tensor:
    """Return the plain tensor of all parts; all processes call this."""
    return tensor.full_tensor()  # type: ignore[attr-defined, no-any-return]
