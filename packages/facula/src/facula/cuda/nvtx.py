"""Marks for NVIDIA's profiler, under PyTorch's names.

They are passed to NVIDIA's library libnvToolsExt. Where that is not installed, nothing records them. Programs that set
them run unchanged on a CUDA device; without a device the functions raise RuntimeError, as PyTorch's do.
"""

from __future__ import annotations

from contextlib import contextmanager
from threading import local
from typing import TYPE_CHECKING

from facula_errors.extend import boundary

from .._lookup.absent_device import CudaDevice
from .._lookup.names import publish

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]

_absent = CudaDevice("cuda.nvtx")


class _Depth(local):
    """The number of open ranges of each thread."""

    open = 0


_depth = _Depth()


@boundary
def mark(msg: str) -> None:
    """Mark a moment."""
    if library := _absent.needed("mark").marks():
        library.nvtxMarkA(msg.encode())


@boundary
def range_push(msg: str) -> int:
    """Open a range and return its depth in this thread; that of an outermost range is 0."""
    if library := _absent.needed("range_push").marks():
        library.nvtxRangePushA(msg.encode())
    _depth.open += 1
    return _depth.open - 1


@boundary
def range_pop() -> int:
    """Close this thread's innermost range and return its depth; -1 if none is open."""
    if library := _absent.needed("range_pop").marks():
        library.nvtxRangePop()
    if not _depth.open:
        return -1
    _depth.open -= 1
    return _depth.open


@boundary
def range_start(msg: str) -> int:
    """Open a range that another thread may close, and return its number; 0 without NVIDIA's library."""
    library = _absent.needed("range_start").marks()
    return int(library.nvtxRangeStartA(msg.encode())) if library else 0


@boundary
def range_end(range_id: int) -> None:
    """Close a range of `range_start`."""
    if library := _absent.needed("range_end").marks():
        library.nvtxRangeEnd(range_id)


@contextmanager
def range(msg: str, *args: object, **kwargs: object) -> Iterator[None]:
    """Context manager and decorator: a range around a block. The arguments format the message."""
    range_push(msg.format(*args, **kwargs))
    try:
        yield
    finally:
        range_pop()


publish(__name__)
