"""Reports of captured functions at the program's exit, if the environment variable FACULA_LOGS contains "jit"."""

from __future__ import annotations

import atexit
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Protocol

    class Reporting(Protocol):
        def report(self) -> str: ...


_enabled = "jit" in os.environ.get("FACULA_LOGS", "").replace("+", "").split(",")
_registered: list[Reporting] = []  # kept alive until the exit; empty unless enabled


def register(captured: Reporting) -> None:
    """Register a captured function for a report at exit."""
    if _enabled:
        if not _registered:
            atexit.register(_print_reports)
        _registered.append(captured)


def _print_reports() -> None:
    for link in _registered:
        for line in link.report().splitlines():
            print(f"facula.jit: {line}", file=sys.stderr)
