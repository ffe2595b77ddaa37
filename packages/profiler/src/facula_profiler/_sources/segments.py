"""Memory that allocators take from the system and from devices, and return."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._trace.records import RESERVED, Kind
from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder

TAKEN, RETURNED = "segment_alloc", "segment_free"  # as in snapshots of memory
HOST = -1


class SegmentSource:
    """Observes facula_allocator, if the profile records memory."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        wanted = recorder.options.get("profile_memory", False)
        self._recorder, self._extend = recorder, loaded("facula_allocator.extend") if wanted else None
        self._lanes: dict[int, int] = {}
        self._has_devices = False
        if self._extend is None:
            return
        before = {HOST: self._extend.reserved_bytes()}
        label, lane = recorder.label, recorder.lane("allocator", "cpu")
        labels = label(Kind.SEGMENT, TAKEN), label(Kind.SEGMENT, RETURNED)
        self._former = self._extend.observe_regions(recorder.address, lane, *labels)
        if loaded("facula_cuda") is not None:
            self._has_devices = True
            before |= self._extend.observe_segments(self._changed)
        recorder.metadata[RESERVED] = before

    def stop(self) -> None:
        """Stop observing."""
        if self._extend is not None:
            self._extend.observe_regions(*self._former)
            if self._has_devices:
                self._extend.observe_segments(None)

    def _changed(self, device: int, nbytes: int) -> None:
        """Record that memory was taken from a device, or returned; the time that it took is unknown."""
        recorder = self._recorder
        if device not in self._lanes:
            self._lanes[device] = recorder.lane("allocator", f"cuda:{device}")
        time, name = recorder.now(), TAKEN if nbytes > 0 else RETURNED
        recorder.event(Kind.SEGMENT, name, time, time, lane=self._lanes[device], value=nbytes)
