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


_asked = "jit" in os.environ.get("FACULA_LOGS", "").replace("+", "").split(",")
_known: list[Reporting] = []  # kept alive until the exit; empty unless enabled


def note(captured: Reporting) -> None:
    """Register a captured function for a report at exit."""
    if _asked:
        if not _known:
            atexit.register(_tell)
        _known.append(captured)


def _tell() -> None:
    for one in _known:
        for line in one.report().splitlines():
            print(f"facula.jit: {line}", file=sys.stderr)
