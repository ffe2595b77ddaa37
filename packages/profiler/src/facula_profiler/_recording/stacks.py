"""Call stacks: from numbers of a recorder to frames."""

from __future__ import annotations

import os
import sys
from functools import cache
from typing import TYPE_CHECKING

from .._trace.records import Frame

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType


def library_folders() -> tuple[str, ...]:
    """Return the folders of all packages of facula that are loaded."""
    modules = [module for name, module in list(sys.modules.items()) if name.partition(".")[0] == name]
    files = [getattr(module, "__file__", None) for module in modules if module.__name__.startswith("facula")]
    return tuple([os.path.dirname(file) + os.sep for file in files if file])


class Frames:
    """The frames of code objects and instructions."""

    def __init__(self) -> None:
        self._modules = -1  # loaded when the folders were listed
        self._library: tuple[str, ...] = ()
        self._lines = cache(lambda code: [line for line, *_ in code.co_positions()])
        self._known: dict[tuple[CodeType, int], Frame] = {}

    def at(self, code: CodeType, instruction: int) -> Frame:
        """Return the frame of an instruction, an offset in bytes."""
        found = self._known.get((code, instruction))
        if found is None:
            lines, place = self._lines(code), instruction // 2
            if len(sys.modules) != self._modules:
                self._modules, self._library = len(sys.modules), library_folders()
            line = (lines[place] if 0 <= place < len(lines) else None) or code.co_firstlineno
            found = Frame(code.co_filename, line, code.co_qualname, code.co_filename.startswith(self._library))
            self._known[code, instruction] = found
        return found


def stacks_of(
    entries: Sequence[tuple[Frame, int]], numbers: Sequence[int]
) -> list[tuple[Frame, ...]]:  # fmt: skip
    """Return the stacks with these numbers, innermost frame first. Entries are a frame and the number of its caller."""
    found = []
    for number in numbers:
        frames = []
        while 0 <= number < len(entries):
            frame, number = entries[number]
            frames.append(frame)
        found.append(tuple(frames))
    return found
