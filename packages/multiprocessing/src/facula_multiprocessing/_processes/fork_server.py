"""Modules that the fork server imports before it forks, so that its processes need not import them."""

from __future__ import annotations

import sys
from multiprocessing import forkserver
from typing import Any

_OURS = ("facula_multiprocessing", "facula_data._workers.worker_process", "facula.utils.data", "facula.multiprocessing")


def imported(*names: str) -> tuple[str, ...]:
    """Return those of these modules that this process has imported."""
    return tuple(name for name in names if name in sys.modules)


def preload_fork_server() -> None:
    """Let the fork server preload the facula modules of this process, unless the program chose modules or it runs."""
    server: Any = forkserver._forkserver
    if server._preload_modules == ["__main__"]:
        server.set_forkserver_preload(["__main__", *imported(*_OURS)])
