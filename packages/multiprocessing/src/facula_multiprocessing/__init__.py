"""facula_multiprocessing: processes that share arrays through memory of the kernel's, without a copy.

What it is: shared memory that cannot leak (`_memory.py`, `_arena.py`), views that hold it (`_leases.py`), messages
that refer to it (`_messages.py`).
May import: NumPy and facula_errors. Where next: Note [Memory without a name] in `_memory.py`.
"""

from facula_errors.extend import register as _register

from ._errors import SharedMemoryError

__version__ = "0.1.0"

_register("facula_multiprocessing")

__all__ = ["SharedMemoryError"]


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__"))})
