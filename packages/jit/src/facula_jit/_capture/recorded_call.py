"""Runs of captured functions under a recorder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_autograd.extend.modes import current_mode, set_lasting
from facula_tensor.extend.recording import user_frame

from .._autograd.eager_backward import EagerBackward
from .._autograd.outer_backward import hooks_of_arguments, watch_outer_backwards
from .._autograd.recorded_backward import record_backward
from .._graph.verifier import leak_of
from .._guards.events import observing
from .._guards.identity import plain_parts
from .._guards.reads import Reads
from .._recording.graph_breaks import CaptureError, GraphBreak
from .._recording.recorder import recording
from .._recording.recording import Recording
from .._replay.replay import IN_USE

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import FunctionType

    from .._recording.recorder import Recorder
    from .._recording.signature import Signature
    from .._replay.replay import BusyFlag


class RecordedCall:
    """One run of a function: its result, its recording, and the state that it read.

    Arguments:
        function: the captured function.
        own: the Python function that it runs, if any.
        recorder: the recorder of this run.
        signature: the signature of the call.
        allowed: ids of objects that are treated as constant.
    """

    recording: Recording

    def __init__(
        self,
        function: Callable[..., Any],
        own: FunctionType | None,
        recorder: Recorder,
        signature: Signature,
        allowed: Collection[int],
    ):
        self.function, self.recorder, self.signature = function, recorder, signature
        recorder.own = own
        self.reads = recorder.reads = Reads(recorder, allowed)
        self.result: Any = None
        self.eager_backward: EagerBackward | None = None
        self.identity_args: list[tuple[int, Any]] = []  # plain arguments that are compared by identity
        self._mode_changes: dict[str, object] = {}  # the fields of the mode that the function left changed

    def execute(
        self, busy_flag: BusyFlag, name: str, notify: Callable[[GraphBreak], None], args: Any, kwargs: Any
    ) -> None:
        """Run the function and record it.

        Arguments:
            busy_flag: the flag that all replays of the function share.
            name: the name of the function.
            notify: called if the result later requires the function itself (Note [Eager backward]).
            args: the positional arguments.
            kwargs: the keyword arguments.
        """
        recorder, signature = self.recorder, self.signature
        if busy_flag.busy:
            raise CaptureError(IN_USE.format(name))
        busy_flag.busy = True
        try:
            recorder.caller = user_frame(2)
            with recording(recorder), observing(self.reads):
                self.reads.begin([self.function, recorder.own, *signature.kept, *signature.classes], signature)
                with watch_outer_backwards(recorder), hooks_of_arguments(recorder):
                    self._call(args, kwargs)
                self.reads.compare_handlers(plain_parts(args, kwargs))
                self.reads.compare_settings()
                recorder.reads = self.reads.begin_backward()
                boundary = record_backward(recorder, self.result)
        finally:
            if self._mode_changes:  # the change persists after the call, as in eager code
                set_lasting(self._mode_changes)
            busy_flag.busy = False
            if recorder.decisions is not None:
                recorder.decisions.is_open = False
            recorder.reads = None  # breaks a reference cycle
            self.identity_args = self.reads.identity.arguments(args, kwargs)
            if self.reads.back is not None:
                self.reads.back.end()
        if boundary is not None:
            self.eager_backward = EagerBackward(self.function, notify, args, kwargs, signature.tensors)
            self.eager_backward.watch(boundary.roots)
        self.recording = Recording(recorder, self.result, boundary)
        self.breaks = self.recording.breaks or leak_of(self.recording)
        if self.recording.unsettled is None:
            self.recording.unsettled = recorder.foreign_backward or self.reads.changed()

    def _call(self, args: Any, kwargs: Any) -> None:
        """Call the function; break the capture if it changes the mode."""
        recorder, own, before = self.recorder, self.recorder.own, current_mode()
        try:
            self.result = self.function(*args, **kwargs)
        finally:
            self._mode_changes = before.changes_to(current_mode())
        if self._mode_changes:
            recorder.broken(
                f"it returns in another mode ({', '.join(self._mode_changes)})",
                "use a with statement, as in `with set_grad_enabled(False):`",
                None if own is None else (own.__code__, 0),
            )
