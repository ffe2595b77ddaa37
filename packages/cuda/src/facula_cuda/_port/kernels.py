"""Launches of single kernels from Python, for checks and measurements; plans launch from C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._driver import ffi, lib


class Launch:
    """A kernel with a block of parameters; calling it queues the kernel, and returns the driver's code.

    Arguments:
        function: the handle of the kernel.
        blocks, threads: the grid.
        words: the parameters, 8 bytes each.
    """

    def __init__(self, function: int, blocks: int, threads: int, words: Sequence[int]):
        self._grid = function, blocks, 1, 1, threads, 1, 1, 0
        self._block = ffi.new("int64_t[]", words)
        self._nbytes = ffi.new("size_t *", ffi.sizeof(self._block))
        pairs = (lib.BUFFER_POINTER, self._block, lib.BUFFER_SIZE, self._nbytes, lib.BUFFER_END)
        self._extra: Any = ffi.new("void *[]", [ffi.cast("void *", value) for value in pairs])

    def __call__(self, stream: int) -> int:
        code: int = lib.driver.cuLaunchKernel(*self._grid, stream, ffi.NULL, self._extra)
        return code
