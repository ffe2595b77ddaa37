"""Allocation of the arrays of batches: ordinary memory, or memory that a worker shares with the loader's process."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Empty = Callable[[tuple[int, ...], np.dtype], np.ndarray]

_empty: list[Empty] = [np.empty]  # one element, which a worker process replaces


def new(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Return a new C-contiguous array for a batch, uninitialized."""
    return _empty[0](shape, dtype)


def make_with(empty: Empty) -> None:
    """Allocate the arrays of this process's batches by `empty(shape, dtype)`."""
    _empty[0] = empty


def is_shared() -> bool:
    """Return whether batches are allocated in memory shared with another process."""
    return _empty[0] is not np.empty
