"""The threads of the CPU's pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder


class PoolSource:
    """Observes the jobs of facula_cpu."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        self._extend = loaded("facula_cpu.extend")
        if self._extend is not None:
            self._former = self._extend.observe_jobs(recorder.address)

    def stop(self) -> None:
        """Stop observing. A forked child has no observer to replace."""
        if self._extend is not None and self._extend.observe_jobs(0):
            self._extend.observe_jobs(self._former)
