"""Whose code a frame runs: the library's, a program's, or Python's own."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

# The library's packages, each put here by itself; and modules of theirs that are programs, as a user's are.
library: set[str] = {"facula_errors"}
programs: set[str] = set()
known: dict[object, bool] = {}  # a look-up is quicker than taking a name apart


def register(package: str, *, but: tuple[str, ...] = ()) -> None:
    """Make a package one of the library's, from whose frames tracebacks are freed; `but` names programs in it."""
    library.add(package)
    programs.update(but)
    known.clear()


def in_library(frame: FrameType) -> bool:
    """Whether this frame runs the library's code."""
    module = frame.f_globals.get("__name__", "")
    try:
        return known[module]
    except (KeyError, TypeError):
        return is_library_module(module)


def is_library_module(module: object) -> bool:
    """Whether the module of this name is the library's; what is no name is none of its modules'."""
    try:
        return known[module]
    except (KeyError, TypeError):
        pass
    if type(module) is not str:
        return False
    found = module.partition(".")[0] in library
    found = found and not any(module == one or module.startswith(f"{one}.") for one in programs)
    if len(known) < 10_000:
        known[module] = found
    return found


def in_python(frame: FrameType) -> bool:
    """Whether this frame runs Python's standard library."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in sys.stdlib_module_names


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line of the program that called the library, however far out that is."""
    from warnings import warn

    level, frame = 1, sys._getframe(1)
    while in_library(frame) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warn(message, category, stacklevel=level + 1)
