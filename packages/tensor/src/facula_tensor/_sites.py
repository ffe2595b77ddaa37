"""Where in the user's program an operator was called: a code object and an instruction, never a frame."""

from __future__ import annotations

import sys
from types import CodeType, FrameType

# Frames of these packages are not the user's. Packages above add their own.
library: set[str] = {"facula_tensor", "facula_autograd"}
_modules: set[str] = set()  # those of its modules that have been met: a look-up is quicker than taking names apart
_below = {"facula_storage", "facula_cpu", "facula_allocator"}


def in_library(frame: FrameType) -> bool:
    """Whether this frame runs a library package's code, one of those below among them."""
    return frame.f_globals.get("__name__", "").partition(".")[0] in {*library, *_below}


def user_frame(depth: int) -> FrameType:
    """The nearest calling frame that belongs to no library package (`depth` is there to stand in for sys._getframe)."""
    frame = found = sys._getframe(depth + 1)
    while frame is not None:
        name = frame.f_globals.get("__name__", "")
        if name not in _modules:
            if name.partition(".")[0] not in library:
                return frame
            _modules.add(name)
        frame = frame.f_back  # type: ignore[assignment]
    return found


def user_site() -> tuple[CodeType, int]:
    """Code object and instruction of the user's line."""
    frame = user_frame(1)
    return frame.f_code, frame.f_lasti
