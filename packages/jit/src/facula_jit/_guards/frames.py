"""Classification of frames: code of the program, or of the library and its dependencies."""

from __future__ import annotations

import sys
from sysconfig import get_paths
from typing import TYPE_CHECKING

from facula_errors.extend import is_library_module

from .constant_values import allowed as always_allowed
from .constant_values import is_numpy

if TYPE_CHECKING:
    from collections.abc import Container
    from types import CodeType, FrameType

PACKAGES = "-packages"  # part of the names of installation folders of packages
STDLIB = get_paths()["stdlib"]
NAMED_TUPLE = "namedtuple_"  # prefix of the module name that Python assigns to constructors of named tuples
SUPPORT = frozenset(("scipy", "cffi", "_cffi_backend", "safetensors"))  # packages that the library calls


def is_of_program(frame: FrameType, allowed: Container[int]) -> bool:
    """Return True if reads of this frame belong to the program.

    Code of the standard library belongs to its caller, and so do installed packages that it calls (import hooks,
    display of warnings). An installed package called directly by the library belongs to the program, for example the
    forward method of a module. NumPy's functions are assumed to depend only on their arguments (constant_values.py).
    Code called by an allowed function is ignored.
    """
    if is_numpy(_module_name(frame)):
        return False
    above: FrameType | None = frame
    is_direct = True  # True if the library called an installed package or the program directly
    while above is not None:
        name = _module_name(above)
        if is_of_library(name, above.f_code):
            break
        is_between = is_support(name) or is_numpy(name)
        if not is_between and PACKAGES not in above.f_code.co_filename:
            break
        is_direct = not is_between
        above = above.f_back
    if above is None or (is_of_library(_module_name(above), above.f_code) and (above is frame or not is_direct)):
        return False
    while (allowed or always_allowed) and frame is not None:
        if id(frame.f_code) in allowed or id(frame.f_code) in always_allowed:
            return False
        frame = frame.f_back  # type: ignore[assignment]
    return True


def is_of_library(name: object, code: CodeType) -> bool:
    """Return True for code of the library, except for docstring examples, which are programs."""
    return is_library_module(name) and not code.co_filename.startswith("<doctest")


def is_support(name: str) -> bool:
    """Return True for a module of the standard library or of a dependency of this library."""
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in SUPPORT or top.startswith(NAMED_TUPLE)


def is_installed(code: CodeType) -> bool:
    """Return True for code of the standard library."""
    return code.co_filename.startswith((STDLIB, "<frozen")) and "site-packages" not in code.co_filename


def _module_name(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__", "")
    return name if type(name) is str else ""
