"""The number of threads."""

from __future__ import annotations

import os

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._kernels import ffi, lib

VARIABLE = "FACULA_NUM_THREADS"


def get_num_threads() -> int:
    """Return the number of threads that work on one kernel, including the caller.

    The default is the environment variable FACULA_NUM_THREADS, else the number of physical cores available to this
    process. ValueError if the variable has another value than a number from 1 to 256.

    >>> get_num_threads() >= 1
    True
    """
    check_variable("get_num_threads")
    return lib.facula_threads()


def check_variable(operation: str) -> None:
    """Raise ValueError if FACULA_NUM_THREADS is not a number of threads and would be used."""
    if lib.facula_threads_setting() < 0:
        raise InvalidValueError(
            f"{operation}: expected the environment variable {VARIABLE} to be a number from 1 to 256; got "
            f"{os.environ.get(VARIABLE)!r:.60}"
        )


@boundary
def set_num_threads(count: int) -> None:
    """Use `count` threads (1 to 256) for one kernel.

    Results do not depend on it, except decompositions of matrices with more than 512 rows or columns, which NumPy's
    LAPACK computes with at most this number of threads.

    Raises TypeError or ValueError for other values of `count`.

    >>> before = get_num_threads()
    >>> set_num_threads(1)
    >>> get_num_threads()
    1
    >>> set_num_threads(before)
    """
    if isinstance(count, bool) or not isinstance(count, int):
        raise InvalidTypeError(f"set_num_threads: expected count to be an int; got {count!r}")
    if not 1 <= count <= 256:
        raise InvalidValueError(f"set_num_threads: expected 1 <= count <= 256; got {count}")
    lib.facula_set_threads(count)


def observe_jobs(observer: int) -> int:
    """Report the work of the pool's threads to a C function from here on; return the address of the former function.

    The function is `void (int64_t kind, int64_t worker, int64_t start, int64_t end, int64_t job)`. Each thread calls it
    after its part of a job, possibly without the GIL. The kind is 8, and worker 0 is the thread that started the job.
    Times are those of CLOCK_MONOTONIC in ns. The parts of a job share its number. Work that one thread does alone is
    not reported. When this function returns, no thread runs the former observer. Forked children have no observer.

    Arguments:
        observer: the address of the function; 0 for none.

    >>> observe_jobs(observe_jobs(0))
    0
    """
    return int(ffi.cast("intptr_t", lib.facula_observe_jobs(ffi.cast("void *", observer))))
