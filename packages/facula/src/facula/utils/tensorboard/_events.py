"""Event files of TensorBoard: a writer for each folder."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any

from facula_errors import MissingPackageError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from typing import Self

    from tensorboard.compat.proto.summary_pb2 import Summary


def _needed() -> Any:
    """Import the package tensorboard's file writer, for the first writer."""
    try:
        from tensorboard.summary.writer.event_file_writer import EventFileWriter
    except ImportError as error:
        raise MissingPackageError(
            "SummaryWriter: the package tensorboard is missing; install it, as with: pip install tensorboard"
        ) from error
    return EventFileWriter


@boundary
class EventWriter:
    """A writer of events.

    Arguments: those of `facula.utils.tensorboard.writer.SummaryWriter`.
    """

    log_dir: str

    def __init__(
        self,
        log_dir: str | os.PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        writer = _needed()
        if log_dir is None:
            now = datetime.now().strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", f"{now}_{socket.gethostname()}{comment}")
        self.log_dir = os.fspath(log_dir)
        self._make = lambda folder: writer(folder, max_queue, flush_secs, filename_suffix)
        self._writers: dict[str, Any] = {}
        self._writer(self.log_dir)
        if purge_step is not None:
            from tensorboard.compat.proto.event_pb2 import Event, SessionLog

            start = Event(step=purge_step, session_log=SessionLog(status=SessionLog.START))
            self._writer(self.log_dir).add_event(start)

    def _writer(self, folder: str) -> Any:
        if folder not in self._writers:
            self._writers[folder] = self._make(folder)
        return self._writers[folder]

    def _add(
        self, summary: Summary, global_step: int | None, walltime: float | None, folder: str | None = None
    ) -> None:
        from tensorboard.compat.proto.event_pb2 import Event

        event = Event(wall_time=time.time() if walltime is None else walltime, summary=summary)
        if global_step is not None:
            event.step = int(global_step)
        self._writer(self.log_dir if folder is None else folder).add_event(event)

    def add_summary(self, summary: Summary, global_step: int | None = None, walltime: float | None = None) -> None:
        """Write a record of TensorBoard's own type.

        Arguments:
            summary: the record.
            global_step: its step.
            walltime: the time in seconds since 1970; now if None.
        """
        self._add(summary, global_step, walltime)

    def _get_file_writer(self) -> EventWriter:
        return self  # libraries call it for `add_summary`, such as Lightning

    def get_logdir(self) -> str:
        """Return the folder of the files."""
        return self.log_dir

    def flush(self) -> None:
        """Write waiting events."""
        for writer in self._writers.values():
            writer.flush()

    def close(self) -> None:
        """Write waiting events, and close the files; later events go into new files."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
