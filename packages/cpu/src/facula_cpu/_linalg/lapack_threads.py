"""The number of threads of NumPy's LAPACK during decompositions."""

from __future__ import annotations

import ctypes
import os
from functools import cache
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING

from .._kernels import lib

if TYPE_CHECKING:
    from collections.abc import Callable

# Note [Threads of LAPACK]
# ~~~~~~~~~~~~~~~~~~~~~~~~
# LAPACK has its own threads. They wait actively for each other, so that a decomposition takes up to a hundred times as
# long where other programs use the cores. Matrices up to LARGEST rows and columns, which gain little from threads,
# therefore use one, and larger ones at most `get_num_threads()`.
LARGEST = 512
SETTERS = (
    ("scipy_openblas_get_num_threads64_", "scipy_openblas_set_num_threads64_"),  # NumPy's wheels
    ("scipy_openblas_get_num_threads", "scipy_openblas_set_num_threads"),
    ("openblas_get_num_threads64_", "openblas_set_num_threads64_"),
    ("openblas_get_num_threads", "openblas_set_num_threads"),
    ("MKL_Get_Max_Threads", "MKL_Set_Num_Threads"),
    ("bli_thread_get_num_threads", "bli_thread_set_num_threads"),
)


@cache
def lapack_threads() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """Return the functions that read and set the number of LAPACK's threads, or None if the library is unknown."""
    try:  # symbols of the libraries that NumPy's extension is linked to
        library = ctypes.CDLL(import_module("numpy.linalg._umath_linalg").__file__)
    except (ImportError, OSError, TypeError):
        return None
    for getter, setter in SETTERS:
        try:
            return getattr(library, getter), getattr(library, setter)
        except AttributeError:
            pass
    return None


class LapackThreads:
    """A context in which LAPACK uses the number of threads for matrices of `size` rows or columns.

    The former number is restored when no thread is in such a context.
    """

    lock = Lock()
    users = former = 0

    def __init__(self, size: int):
        self.size = size

    def __enter__(self) -> None:
        if functions := lapack_threads():
            get, put = functions
            with self.lock:
                if not LapackThreads.users:
                    LapackThreads.former = get()
                LapackThreads.users += 1
                put(1 if self.size <= LARGEST else min(LapackThreads.former, lib.facula_threads()))

    def __exit__(self, *_: object) -> None:
        if functions := lapack_threads():
            with self.lock:
                LapackThreads.users -= 1
                if not LapackThreads.users:
                    functions[1](LapackThreads.former)


def _restore() -> None:
    """Leave all contexts: a forked child has none of the other threads."""
    LapackThreads.lock = Lock()
    if LapackThreads.users:
        LapackThreads.users = 0
        if functions := lapack_threads():
            functions[1](LapackThreads.former)


os.register_at_fork(after_in_child=_restore)
