"""What a program says at its end of what ran captured, if FACULA_LOGS in its environment has the word "jit"."""

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
_known: list[Reporting] = []  # that live to the end, where it was asked for


def note(captured: Reporting) -> None:
    """Tell of this one at the end."""
    if _asked:
        if not _known:
            atexit.register(_tell)
        _known.append(captured)


def _tell() -> None:
    for one in _known:
        for line in one.report().splitlines():
            print(f"facula.jit: {line}", file=sys.stderr)
