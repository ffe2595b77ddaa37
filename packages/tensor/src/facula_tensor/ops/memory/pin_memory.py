"""Pinned memory: host memory that a GPU can access directly. Without a GPU these methods change nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors.extend import boundary, warn

from ..._core.tensor import Tensor, method

if TYPE_CHECKING:
    from ..._core.types import DeviceLike

_warned: list[None] = []  # contains an entry after the first warning


def warn_once(operation: str) -> None:
    """Warn, once per process, that pinning has no effect."""
    if not _warned:
        _warned.append(None)
        warn(f"{operation}: has no effect, because there is no device to copy to")


@method()
@boundary
def is_pinned(self: Tensor, device: DeviceLike | None = None) -> bool:
    """Return True if the tensor is in pinned memory: always False, as no device copies from pinned memory.

    >>> from facula_tensor import ones
    >>> ones(2).is_pinned()
    False
    """
    return False


@method()
@boundary
def pin_memory(self: Tensor, device: DeviceLike | None = None) -> Tensor:
    """Return the tensor itself and warn once: no device could copy from pinned memory.

    >>> import warnings
    >>> from facula_tensor import ones
    >>> x = ones(2)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     x.pin_memory() is x
    True
    """
    warn_once("pin_memory")
    return self
