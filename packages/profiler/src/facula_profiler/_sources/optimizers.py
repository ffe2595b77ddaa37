"""Steps of optimizers, and resets of gradients."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any

from .._trace.records import Kind
from .contents import categorize_optimizer
from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder


class OptimizerSource:
    """Observes facula_optim."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        self._recorder, extend = recorder, loaded("facula_optim.extend")
        self._records_memory = recorder.options.get("profile_memory", False)
        self._open: dict[int, list[int]] = {}  # the tokens of each thread
        self._observing = None if extend is None else extend.observe_optimizers(self)
        if self._observing is not None:
            self._observing.__enter__()

    def stop(self) -> None:
        """Stop observing."""
        if self._observing is not None:
            self._observing.__exit__(None, None, None)

    def begin(self, optimizer: Any, method: str) -> None:
        """Begin a step or a reset."""
        name = type(optimizer).__name__
        token = self._recorder.begin(Kind.OPTIMIZER, f"Optimizer.{method}#{name}.{method}")
        self._open.setdefault(get_ident(), []).append(token)

    def end(self, optimizer: Any, method: str) -> None:
        """End it."""
        calls = self._open.get(get_ident())
        if not calls:
            return  # it began before the recording
        self._recorder.end(calls.pop())
        if method == "step" and self._records_memory:
            categorize_optimizer(self._recorder, optimizer)

    def replayed(self, optimizer: object) -> None:
        """Do nothing: the replay is an event."""
