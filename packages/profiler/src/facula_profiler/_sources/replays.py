"""Replays of captured functions, and the launches inside them."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from .._trace.records import Kind
from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder


class ReplaySource:
    """Observes the sequences of facula_storage, with the names that facula_jit knows."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        self._recorder, self._end = recorder, ExitStack()
        self._replay: Any = loaded("facula_storage.extend.replay")
        if self._replay is None:
            return
        self._former = self._replay.observe_replays(recorder.address)
        extend = loaded("facula_jit.extend")
        if extend is not None:
            self._end.enter_context(extend.label_replays(self._labels_of))

    def stop(self) -> None:
        """Stop observing. A forked child has no observer to replace."""
        self._end.close()
        if self._replay is not None and self._replay.observe_replays(0):
            self._replay.observe_replays(self._former)

    def _labels_of(self, description: Any) -> list[int]:
        """Return the labels of the steps and of the replay; the plans name the steps, so that names are modules."""
        label, with_modules = self._recorder.label, self._recorder.options.get("with_modules", False)
        labels = []
        for call in description.steps:
            if call is None:
                labels.append(label(Kind.KERNEL))
            else:
                module = call.module if with_modules and call.module else None
                labels.append(label(Kind.KERNEL, module, call.launch.plan, call.launch.site))
        return [*labels, label(Kind.REPLAY, description.name)]
