"""Classification of frames: code of the library, of a program, or of Python's standard library."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

# The library's packages, which register themselves, and those of their modules that count as user programs.
library: set[str] = {"facula_errors"}
programs: set[str] = set()
known: dict[object, bool] = {}  # caches the result by module name


def register(package: str, *, but: tuple[str, ...] = ()) -> None:
    """Register a package of the library, whose frames are removed from tracebacks; `but` names programs in it."""
    library.add(package)
    programs.update(but)
    known.clear()


def in_library(frame: FrameType) -> bool:
    """Return whether this frame runs the library's code."""
    module = frame.f_globals.get("__name__", "")
    try:
        return known[module]
    except (KeyError, TypeError):
        return is_library_module(module)


def is_library_module(module: object) -> bool:
    """Return whether the module of this name belongs to the library; False for objects that are not names."""
    try:
        return known[module]
    except (KeyError, TypeError):
        pass
    if type(module) is not str:
        return False
    found = module.partition(".")[0] in library
    found = found and not any(module == program or module.startswith(f"{program}.") for program in programs)
    if len(known) < 10_000:
        known[module] = found
    return found


def in_python(frame: FrameType) -> bool:
    """Return whether this frame runs Python's standard library."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in sys.stdlib_module_names


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Issue a warning at the line of the program that called the library, however deep the call stack is."""
    from warnings import warn

    level, frame = 1, sys._getframe(1)
    while in_library(frame) and frame.f_back is not None:
        level, frame = level + 1, frame.f_back
    warn(message, category, stacklevel=level + 1)
