"""Calls of modules, with their paths: ``Net.body.0``."""

from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING

from .._trace.records import Kind
from .contents import categorize_module
from .loaded import loaded

if TYPE_CHECKING:
    from .._recording.sources import Recorder


class ModuleSource:
    """Observes the modules of facula_nn, if the profile is `with_modules` or records memory."""

    def start(self, recorder: Recorder) -> None:
        """Begin to observe."""
        self._recorder = recorder
        self._records_calls = recorder.options.get("with_modules", False)
        self._records_memory = recorder.options.get("profile_memory", False)
        wanted = self._records_calls or self._records_memory
        self._graphs = loaded("facula_autograd.extend.graphs") if wanted else None
        self._open: dict[int, list[int]] = {}  # the tokens of each thread
        if self._graphs is not None:
            self._former = self._graphs.observe_scopes(self)

    def stop(self) -> None:
        """Stop observing."""
        if self._graphs is not None:
            self._graphs.observe_scopes(self._former)

    def begin(self, owner: object, path: str, inputs: tuple[object, ...]) -> None:
        """Begin a call of a module."""
        calls = self._open.setdefault(get_ident(), [])
        if not calls and self._records_memory:
            categorize_module(self._recorder, owner, inputs)
        calls.append(self._recorder.begin(Kind.MODULE, path) if self._records_calls else -1)

    def end(self) -> None:
        """End the latest call of this thread."""
        calls = self._open[get_ident()]
        token = calls.pop()
        if self._records_calls:
            self._recorder.end(token)
        if not calls:
            del self._open[get_ident()]
