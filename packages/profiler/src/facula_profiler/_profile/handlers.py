"""Handlers for `on_trace_ready`."""

from __future__ import annotations

import os
import socket
import time
from typing import TYPE_CHECKING

from facula_errors import FileError, InvalidTypeError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable

    from .profile import profile


@boundary
def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """Return a function for `on_trace_ready` that writes each trace to a file in a folder.

    The files are named `WORKER.TIME.pt.trace.json`, as PyTorch names them. Perfetto opens them.

    Arguments:
        dir_name: the folder, created if it does not exist.
        worker_name: the name of the process; by default that of the machine and the number of the process.
        use_gzip: compress the files.

    Raises:
        OSError: the folder cannot be created (when a trace is written).
    """
    if not isinstance(dir_name, str | os.PathLike):
        raise InvalidTypeError(
            f"tensorboard_trace_handler: expected dir_name, the path of a folder; got {dir_name!r:.60}"
        )

    def write(prof: profile) -> None:
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        try:
            os.makedirs(dir_name, exist_ok=True)
        except OSError as error:
            problem = f"tensorboard_trace_handler: {error.strerror}; choose a path where no file is"
            raise FileError(error.errno, problem, os.fspath(dir_name)) from None
        name = f"{worker}.{time.time_ns()}.pt.trace.json"
        prof.export_chrome_trace(os.path.join(dir_name, name + (".gz" if use_gzip else "")))

    return write
