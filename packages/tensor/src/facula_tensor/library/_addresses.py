"""Addresses of compiled functions from ctypes, Numba and Cython."""

from __future__ import annotations

import ctypes
from typing import Any

from facula_errors import ArgumentError, InvalidTypeError

C_FUNCTION: Any = ctypes.CFUNCTYPE(None).__mro__[1]  # the base class of all ctypes functions


def address_of(operation: str, function: object) -> int:
    """Return the address of a C function.

    Arguments:
        operation: the name to report in errors.
        function: a ctypes function, a Numba `cfunc`, a capsule from Cython's `__pyx_capi__`, or an int.
    """
    if isinstance(function, C_FUNCTION):
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
    elif type(function).__name__ == "PyCapsule":
        address = _in_capsule(function)
    else:
        given = getattr(function, "address", function)  # a Numba cfunc
        if type(given) is not int:
            raise InvalidTypeError(
                f"{operation}: expected a C function: of ctypes, numba.cfunc or Cython's __pyx_capi__, or its address "
                f"as an int; got {type(function).__name__}"
            )
        address = given
    if not 0 < address < 1 << 63:
        raise ArgumentError(f"{operation}: expected the address of a function; got {address}")
    return address


def _in_capsule(capsule: object) -> int:
    api = ctypes.pythonapi
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", api))
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_GetPointer", api))
    return pointer_of(capsule, name_of(capsule)) or 0
