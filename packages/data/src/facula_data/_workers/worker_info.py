"""Information about the worker in which code runs."""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import NamedTuple

from .._types import Source


class WorkerInfo(NamedTuple):
    """A loader's worker: its number `id`, from 0 to `num_workers` - 1, its `seed`, and its `dataset`.

    In worker processes `dataset` is a copy. `seed` differs between workers and epochs.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Source


_here = local()
#: Functions that each worker process calls when it starts, for example to limit itself to one thread.
at_start: list[Callable[[], object]] = []


def get_worker_info() -> WorkerInfo | None:
    """Return the worker that runs the calling code, or None outside of workers.

    >>> get_worker_info() is None
    True

    Source: torch.utils.data.get_worker_info.
    """
    return getattr(_here, "info", None)


def set_worker_info(info: WorkerInfo | None) -> None:
    """Set the worker of this thread."""
    _here.info = info
