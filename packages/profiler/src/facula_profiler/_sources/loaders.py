"""Data loaders: the program's waits, and the batches that workers make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._trace.records import Kind
from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder

WAIT, FETCH = "DataLoader.__next__", "fetch"


class LoaderSource:
    """Observes facula_data, whose clock is that of records."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        self._recorder, self._extend = recorder, loaded("facula_data.extend")
        self._lanes: dict[tuple[int, int, int | None], int] = {}
        if self._extend is not None:
            self._former = self._extend.observe_loaders(self)

    def stop(self) -> None:
        """Stop observing."""
        if self._extend is not None:
            self._extend.observe_loaders(self._former)

    def waited(self, begin: int, end: int, samples: int) -> None:
        """Record that the program waited for a batch."""
        self._recorder.event(Kind.WAIT, WAIT, begin, end, value=samples)

    def made(self, loader: int, worker: int, pid: int | None, begin: int, end: int) -> None:
        """Record that a worker made a batch."""
        key = loader, worker, pid
        if key not in self._lanes:
            kind = "thread" if pid is None else f"process {pid}"
            self._lanes[key] = self._recorder.lane("loader", f"loader {loader} worker {worker} ({kind})")
        self._recorder.event(Kind.FETCH, FETCH, begin, end, lane=self._lanes[key])
