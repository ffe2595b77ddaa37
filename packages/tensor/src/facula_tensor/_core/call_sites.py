"""Call sites of operators in the user's program: a code object and an instruction, never a frame."""

from __future__ import annotations

import sys
from types import CodeType, FrameType

from facula_errors.extend import in_library, known_modules

ACCESSORS = frozenset(
    "facula_tensor._core.tensor facula_tensor._core.size facula_tensor._interop.protocols facula_tensor.ops.properties "
    "facula_tensor._dispatch.torch_function facula_tensor._dispatch.overrides facula_errors._trimming".split()
)
"""Modules of the functions by which a program reads a tensor's shape."""


def user_frame(depth: int) -> FrameType:
    """Return the nearest calling frame outside the library (`depth` makes it a substitute for sys._getframe)."""
    frame = found = sys._getframe(depth + 1)
    while frame is not None:
        found_before = known_modules.get(frame.f_globals.get("__name__", ""))
        if not (in_library(frame) if found_before is None else found_before):
            return frame
        frame = frame.f_back  # type: ignore[assignment]
    return found


def user_site() -> tuple[CodeType, int]:
    """Return the code object and instruction of the user's line."""
    frame = sys._getframe(1)
    try:
        while known_modules[frame.f_globals["__name__"]]:
            frame = frame.f_back  # type: ignore[assignment]
    except (AttributeError, KeyError):  # a module that is not known yet, or no frame of a program
        frame = user_frame(1)
    return frame.f_code, frame.f_lasti
