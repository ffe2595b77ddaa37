"""Whose code a frame runs: the program's, or that of the library and of what it calls."""

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

PACKAGES = "-packages"  # in the names of folders that packages are installed in
STDLIB = get_paths()["stdlib"]
NAMED_TUPLE = "namedtuple_"  # begins the module name that Python gives the constructors of named tuples
SUPPORT = frozenset(("scipy", "cffi", "_cffi_backend", "safetensors"))  # packages that the library calls


def is_of_program(frame: FrameType, allowed: Container[int]) -> bool:
    """Whether reads of this frame are the program's own.

    The standard library's code belongs to its caller, and so do installed packages that such code calls (import hooks,
    the display of warnings); an installed package that the library calls by itself is the program's, as the forward of
    a module is. NumPy's code is taken for functions of its arguments (constant_values.py), and what an allowed function
    does counts for nothing.
    """
    if is_numpy(_module_name(frame)):
        return False
    above: FrameType | None = frame
    is_direct = True  # whether the library called an installed package, or the program's own code
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
    """Whether code of a module is the library's; examples in its docstrings are programs."""
    return is_library_module(name) and not code.co_filename.startswith("<doctest")


def is_support(name: str) -> bool:
    """Whether a module is Python's own, or of a package that the library uses."""
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in SUPPORT or top.startswith(NAMED_TUPLE)


def is_installed(code: CodeType) -> bool:
    """Whether code is Python's own."""
    return code.co_filename.startswith((STDLIB, "<frozen")) and "site-packages" not in code.co_filename


def _module_name(frame: FrameType) -> str:
    name = frame.f_globals.get("__name__", "")
    return name if type(name) is str else ""
