"""How many threads compute."""

from __future__ import annotations

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._kernels import lib


def get_num_threads() -> int:
    """Threads that work on one kernel, the caller included.

    At first the environment variable FACULA_NUM_THREADS, else the physical cores this process
    may run on.

    >>> get_num_threads() >= 1
    True
    """
    return lib.facula_threads()


@boundary
def set_num_threads(count: int) -> None:
    """Use `count` threads (1 to 256) for one kernel; results do not depend on it.

    Raises TypeError or ValueError where `count` is no such number.

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
