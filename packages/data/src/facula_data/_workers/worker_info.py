"""Which worker the running code is in."""

from __future__ import annotations

from collections.abc import Callable
from threading import local
from typing import NamedTuple

from .._types import Source


class WorkerInfo(NamedTuple):
    """A loader's worker: its number `id`, from 0 to `num_workers` - 1, its `seed`, and its `dataset`.

    `dataset` is the worker's own copy where workers are processes. `seed` is another one in each worker and epoch.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Source


_here = local()
#: What every worker process calls when it begins: to compute with one thread, say, as the workers are many already.
at_start: list[Callable[[], object]] = []


def get_worker_info() -> WorkerInfo | None:
    """The worker that this code runs in; None in the program's own process and threads.

    >>> get_worker_info() is None
    True

    Source: torch.utils.data.get_worker_info.
    """
    return getattr(_here, "info", None)


def set_worker_info(info: WorkerInfo | None) -> None:
    """Say which worker this thread is."""
    _here.info = info
