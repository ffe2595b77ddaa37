"""The work of CUDA's devices, and waits for them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from .._trace.records import Kind
from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder


class DeviceSource:
    """Observes facula_cuda."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        wanted = "CUDA" in recorder.options.get("activities", ("CUDA",))
        self._recorder, self._extend = recorder, loaded("facula_cuda.extend") if wanted else None
        if self._extend is not None:
            self._extend.observe_devices()

    def stop(self) -> None:
        """Wait for the devices, and record their work."""
        if self._extend is None:
            return
        found = self._extend.end_observation()
        recorder, lanes = self._recorder, {}
        thread = threading.get_native_id()
        for work in found.work.tolist():
            start, end, queued, waiting, stream, function, nbytes, device, kind = work
            if kind == Kind.SYNCHRONIZE:
                if waiting != thread:
                    key: Any = waiting
                    if key not in lanes:
                        lanes[key] = recorder.lane("python", f"thread {waiting}", waiting)
                recorder.event(kind, "synchronize", start, end, lane=-1 if waiting == thread else lanes[waiting])
                continue
            key = device, stream
            if key not in lanes:
                label = f"{found.devices.get(device, f'cuda:{device}')} stream {stream:#x}"
                lanes[key] = recorder.lane("device", label)
            name = "copy" if kind == Kind.COPY else found.names.get(function, "kernel")
            recorder.event(kind, name, start, end, lane=lanes[key], seq=queued, value=nbytes)
