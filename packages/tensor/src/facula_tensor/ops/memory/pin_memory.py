"""Pinned memory: host memory that a GPU copies from directly; without a GPU there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary, warn

from ..._core.tensor import Tensor, method

if TYPE_CHECKING:
    from ..._core.types import DeviceLike

_noticed: list[None] = []  # whether the warning was given


def notice(operation: str) -> None:
    """Warn, once in a process, that no memory is pinned."""
    if not _noticed:
        _noticed.append(None)
        warn(f"{operation}: changes nothing, as there is no device to copy to; the memory stays as it is")


@method()
@boundary
def is_pinned(self: Tensor, device: DeviceLike | None = None) -> bool:
    """Whether the tensor lies in pinned memory: False, as there is no device that copies from it.

    >>> from facula_tensor import ones
    >>> ones(2).is_pinned()
    False
    """
    return False


@method()
@boundary
def pin_memory(self: Tensor, device: DeviceLike | None = None) -> Tensor:
    """The tensor itself, and one warning: there is no device to copy to.

    >>> import warnings
    >>> from facula_tensor import ones
    >>> x = ones(2)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     x.pin_memory() is x
    True
    """
    notice("pin_memory")
    return self
