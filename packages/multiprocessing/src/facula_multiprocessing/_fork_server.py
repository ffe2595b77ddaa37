"""What the fork server imports before it forks, so that its processes need not."""

from __future__ import annotations

import sys
from multiprocessing import forkserver
from typing import Any

__all__ = ["preload_fork_server"]

_OURS = ("facula_multiprocessing", "facula_data", "facula")


def preload_fork_server() -> None:
    """Let the fork server import what this process has of facula, unless the program chose, or the server runs."""
    server: Any = forkserver._forkserver
    if server._preload_modules == ["__main__"]:
        server.set_forkserver_preload(["__main__", *(name for name in _OURS if name in sys.modules)])
