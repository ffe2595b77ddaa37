"""Pinned memory, which a device copies without waiting for the host, and memory that several streams use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_errors import OperationError
from facula_errors.extend import boundary, warn
from facula_storage import Device, contiguous, cpu

from ..._core import transfer
from ..._core.tensor import Tensor, addressable, layout_of_tensor, make, method

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
    """Return whether `pin_memory` made the memory of the tensor.

    >>> from facula_tensor import ones
    >>> ones(2).is_pinned()
    False
    """
    return transfer.is_pinned(addressable("is_pinned", self)._storage)


@method()
@boundary
def pin_memory(self: Tensor, device: DeviceLike | None = None) -> Tensor:
    """Return a copy in pinned memory; the tensor itself if it is there already.

    Without a device that copies from pinned memory, return the tensor itself and warn once.

    Arguments:
        device: the device that copies it; None for any installed device.

    Raises:
        RuntimeError: the elements are on a device.

    >>> import warnings
    >>> from facula_tensor import ones
    >>> x = ones(2)
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     x.pin_memory() is x
    True
    """
    now = addressable("pin_memory", self)
    layout = now._layout
    pinned = transfer.pinned_allocator(None if device is None else Device(device))
    if pinned is None:
        warn_once("pin_memory")
        return self
    if layout.device is not cpu:
        raise OperationError(
            f"pin_memory: expected a tensor in host memory; got one on '{layout.device}'; call .cpu() on it first"
        )
    if transfer.is_pinned(now._storage):
        return self
    if layout.extent != layout.nbytes:  # with gaps, or elements that several indices share
        layout = contiguous(layout.shape, layout.dtype)
    return make(Tensor, layout, transfer.allocate_pinned(layout, pinned)).copy_(self)


@method()
@boundary
def record_stream(self: Tensor, stream: object) -> None:
    """Keep the memory from being reused before the work that `stream` has now is done.

    Call this for a tensor that another stream than that of its allocation uses, after the work is queued.

    Arguments:
        stream: a stream of the device of the tensor, such as `facula.cuda.current_stream()`.

    Raises:
        RuntimeError: the device has no streams, as the CPU.
    """
    now = addressable("record_stream", self)
    device = layout_of_tensor(now).device
    record_use = getattr(device.backend, "record_use", None)
    if record_use is None:
        raise OperationError(
            f"record_stream: expected a tensor on a device with streams, such as 'cuda'; got one on '{device}'"
        )
    record_use(transfer.root_of(now._storage), stream)
