"""Where the arrays of batches lie: ordinary memory, or what a worker shares with the loader's process."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Empty = Callable[[tuple[int, ...], np.dtype], np.ndarray]

_empty: list[Empty] = [np.empty]  # one, which a worker process replaces


def new(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array of a batch, C-contiguous, its elements not set yet."""
    return _empty[0](shape, dtype)


def make_with(empty: Empty) -> None:
    """Let the batches that this process makes lie where `empty(shape, dtype)` says."""
    _empty[0] = empty


def is_shared() -> bool:
    """Whether batches go to another process."""
    return _empty[0] is not np.empty
