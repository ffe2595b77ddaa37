"""Addresses of the functions of csrc/, which plans contain."""

from __future__ import annotations

from functools import cache

from .._driver import ffi, lib


@cache
def address_of(function: str) -> int:
    """Return the address of a function of csrc/."""
    return int(ffi.cast("intptr_t", ffi.addressof(lib, function)))
