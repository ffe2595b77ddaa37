"""Whose code a frame runs: the program's, or that of the library and of what it calls."""

from __future__ import annotations

import sys
from sysconfig import get_paths
from typing import TYPE_CHECKING

from facula_errors.extend import in_library, is_library_module

from .known import allowed as always_allowed
from .known import is_numpy

if TYPE_CHECKING:
    from collections.abc import Container
    from types import CodeType, FrameType

STDLIB = get_paths()["stdlib"]
NAMED_TUPLE = "namedtuple_"  # begins the module name that Python gives the constructors of named tuples
SUPPORT = frozenset(("scipy", "cffi", "_cffi_backend", "safetensors"))  # packages that the library calls


def is_of_program(frame: FrameType, allowed: Container[int]) -> bool:
    """Whether reads of this frame are the program's own.

    The standard library's code belongs to its caller. NumPy's is taken for functions of its arguments (known.py), and
    what an allowed function does counts for nothing.
    """
    name = _module_name(frame)
    if is_numpy(name):
        return False
    if is_support(name):
        caller = frame.f_back
        while caller is not None and is_support(_module_name(caller)):
            caller = caller.f_back
        if caller is None or in_library(caller) or is_numpy(_module_name(caller)):
            return False
    if allowed or always_allowed:
        above: FrameType | None = frame
        while above is not None:
            if id(above.f_code) in allowed or id(above.f_code) in always_allowed:
                return False
            above = above.f_back
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
