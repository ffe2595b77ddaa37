"""A pass that reports its waiting time to a meter."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from time import perf_counter
from typing import Generic

from .._batches.passes import Batch_co, Progress
from .._types import Batch
from .meter import Meter


class MeteredPass(Generic[Batch_co]):
    """The batches of a pass; each batch's waiting time and size are reported to the meter.

    Arguments:
        batches: the pass.
        progress: the progress of the pass, which counts delivered samples.
        meter: records the times.
        inline: whether this process makes the batches, so that waiting time is working time.
    """

    __slots__ = ("_batches", "_inline", "_meter", "_progress")

    def __init__(self, batches: Iterator[Batch_co], progress: Progress, meter: Meter, inline: bool) -> None:
        self._batches, self._progress, self._meter, self._inline = batches, progress, meter, inline

    def __iter__(self) -> MeteredPass[Batch_co]:
        return self

    def __next__(self) -> Batch_co:
        begun, position = perf_counter(), self._progress.position
        try:
            batch = next(self._batches)
        except StopIteration:
            self._meter.epoch_ended()
            raise
        waited = perf_counter() - begun
        self._meter.waited(waited)
        if self._inline:
            self._meter.worker(0, waited, 0.0)
        self._meter.delivered(self._progress.position - position, bytes_of(batch))
        return batch


def bytes_of(batch: Batch) -> int:
    """Return the number of bytes of a batch's arrays."""
    nbytes = getattr(batch, "nbytes", None)
    if isinstance(nbytes, int):
        return nbytes
    if isinstance(batch, Mapping):
        return sum(map(bytes_of, batch.values()))
    return sum(map(bytes_of, batch)) if isinstance(batch, (list, tuple)) else 0
