"""Marks for NVIDIA's profilers: functions of its library libnvToolsExt, or None if it is not installed."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

LIBRARY = "libnvToolsExt.so.1"


@cache
def marks() -> Any:
    """Return the library, or None if it is not installed; then marks have no effect."""
    try:
        library = ctypes.CDLL(LIBRARY)
        library.nvtxRangeStartA.restype = ctypes.c_uint64
        library.nvtxRangeEnd.argtypes = (ctypes.c_uint64,)
        for name in ("nvtxMarkA", "nvtxRangePushA", "nvtxRangeStartA"):
            getattr(library, name).argtypes = (ctypes.c_char_p,)
    except (OSError, AttributeError):
        return None
    return library
