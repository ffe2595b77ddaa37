"""Where in the user's program an operator was called: a code object and an instruction, never a frame."""

from __future__ import annotations

import sys
from types import CodeType, FrameType


class Packages(set):
    """Names of packages; what was said of their modules is forgotten when one is added."""

    def add(self, name: str) -> None:
        """Let frames of this package be the library's."""
        set.add(self, name)
        _is_library.clear()


class _Modules(dict):
    """Whether each module that was met is the library's: a look-up is quicker than taking names apart."""

    def __missing__(self, name: str) -> bool:
        if len(self) >= MOST_MODULES:
            self.clear()
        return self.setdefault(name, name.partition(".")[0] in library)


MOST_MODULES = 4096
# Frames of these packages are not the user's. Packages above add their own.
library = Packages({"facula_tensor", "facula_autograd"})
_is_library = _Modules()
_below = {"facula_storage", "facula_cpu", "facula_allocator"}


def in_library(frame: FrameType) -> bool:
    """Whether this frame runs a library package's code, one of those below among them."""
    return frame.f_globals.get("__name__", "").partition(".")[0] in {*library, *_below}


def user_frame(depth: int) -> FrameType:
    """The nearest calling frame that belongs to no library package (`depth` is there to stand in for sys._getframe)."""
    frame = found = sys._getframe(depth + 1)
    while frame is not None:
        if not _is_library[frame.f_globals.get("__name__", "")]:
            return frame
        frame = frame.f_back  # type: ignore[assignment]
    return found


def user_site() -> tuple[CodeType, int]:
    """Code object and instruction of the user's line."""
    frame = user_frame(1)
    return frame.f_code, frame.f_lasti
