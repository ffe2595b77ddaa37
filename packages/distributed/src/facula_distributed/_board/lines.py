"""The program's lines that call collectives."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from facula_tensor.extend.recording import user_site

from .._shm import ffi, lib

if TYPE_CHECKING:
    from types import CodeType

_MAX_LINES = 10_000
_lines: dict[tuple[int, int], tuple[bytes, CodeType]] = {}  # by code object, which each entry keeps, and instruction


def program_line() -> bytes:
    """Return the file and the line of the program that called the library."""
    code, instruction = user_site()
    try:
        return _lines[id(code), instruction][0]
    except KeyError:
        pass
    if len(_lines) >= _MAX_LINES:
        _lines.clear()
    number = next((line for start, end, line in code.co_lines() if start <= instruction < end), code.co_firstlineno)
    text = f"{code.co_filename.removeprefix(os.getcwd() + os.sep)}:{number}".encode(errors="replace")
    room = lib.WHERE - 1
    line = text if len(text) <= room else b"..." + text[3 - room :]
    _lines[id(code), instruction] = line, code
    return line


def write_line(where: Any, line: bytes | None = None) -> None:
    """Write a line to a field `where` of the board or of a call; by default that of `program_line`."""
    text = (program_line() if line is None else line) + b"\0"
    ffi.memmove(where, text, len(text))
