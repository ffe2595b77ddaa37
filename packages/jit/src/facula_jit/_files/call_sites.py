"""Call sites of saved programs: errors of loaded graphs name the lines that were captured."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import CodeType

    from .._recording.records import Site

LINE = re.compile(r"(.{1,200}):(\d{1,9}) \((.{1,200})\)")


def _placed() -> None:
    """Provide a code object as a template for lines of other programs."""


def site_of(line: str) -> Site:
    """Return the call site for a line of the saved program, as errors name it."""
    found = LINE.fullmatch(line)
    name, number, function = found.groups() if found else ("a loaded graph", "0", "unknown")
    code: CodeType = _placed.__code__.replace(
        co_filename=name, co_firstlineno=int(number), co_name=function, co_linetable=b""
    )
    return code, 0
