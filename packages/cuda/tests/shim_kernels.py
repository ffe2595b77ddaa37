"""Kernels that tests write, run on the CPU without a driver."""

from __future__ import annotations

import ctypes

import numpy as np

from facula_cuda.testing import build

ORDERS = ("forward", "backward", "shuffled", "warps")


class Library:
    """The kernels of a source; a call runs one with arrays and numbers as its parameter block."""

    def __init__(self, source: str, headers: dict[str, str] | None = None):
        self._library = ctypes.CDLL(str(build.library(source, headers)))
        self._failure = self._library.facula_shim_failure
        self._failure.restype = ctypes.c_char_p

    def __call__(self, name: str, *words: object, blocks: int = 1, threads: int = 32) -> str | None:
        """Run a kernel and return the sentence with which it failed, or None."""
        block = np.zeros(len(words), np.int64)
        for place, word in enumerate(words):
            if isinstance(word, float):
                block[place : place + 1].view(np.float64)[0] = word
            else:
                block[place] = word.ctypes.data if isinstance(word, np.ndarray) else word
        getattr(self._library, name)(ctypes.c_void_p(block.ctypes.data), blocks, threads)
        found = self._failure()
        return found.decode() if found else None
