"""Tensors of which each process has a part, for packages that do not import facula_distributed, which has the class.

- `has_parts` returns whether a tensor is one. In a block of `disable_overrides` it is its local part.
- `like_part` makes a local tensor one, `like_whole` a whole tensor, both distributed as another tensor.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._core.tensor import Tensor

__all__ = ["has_parts", "like_part", "like_whole"]


def has_parts(tensor: Tensor) -> bool:
    """Return whether a tensor consists of parts on several processes."""
    return hasattr(tensor, "_like_part")


def like_part(tensor: Tensor, part: Tensor) -> Tensor:
    """Return the tensor of which `part` is this process's part, distributed as `tensor`."""
    return tensor._like_part(part)  # type: ignore[attr-defined, no-any-return]


def like_whole(tensor: Tensor, whole: Tensor) -> Tensor:
    """Return a whole tensor, which all processes have, or one with other parts, distributed as `tensor`."""
    return tensor._like_whole(whole)  # type: ignore[attr-defined, no-any-return]
