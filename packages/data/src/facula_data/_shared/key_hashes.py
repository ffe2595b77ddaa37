"""Hashes of keys that are the same in every process, and a hash table based on them.

Python's own hashes of strings differ between processes, so a table in a mapped file cannot use them.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Hashable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from hashlib import blake2b
from pathlib import PurePath
from reprlib import repr as shown

import numpy as np

from facula_errors import InvalidTypeError, InvalidValueError

from .columns import frozen

NUMBERS = (int, float, complex, Fraction, Decimal, np.number, np.bool_)
FREE = -1  # a slot of the table without a key


def stable_hash(key: Hashable) -> int:
    """Return a 64-bit hash that is the same for equal keys and in all processes.

    >>> stable_hash("a") == stable_hash("a"), stable_hash(1) == stable_hash(1.0), stable_hash(1) == stable_hash("1")
    (True, True, False)
    """
    return int.from_bytes(blake2b(_code(key), digest_size=8).digest(), "little")


def _code(key: Hashable) -> bytes:
    """Return bytes that are the same for equal keys. The type's hash function indicates how it compares keys."""
    hashed = type(key).__hash__
    if hashed is str.__hash__:
        return b"s" + str.encode(key, "utf-8", "surrogatepass")  # type: ignore[arg-type]  # it hashes as str does
    if hashed is None:
        raise InvalidTypeError(f"SharedDict: expected keys that can be hashed; got {shown(key)}")
    if hashed is bytes.__hash__:
        return b"b" + bytes(key)  # type: ignore[call-overload]  # as above
    if key != key:
        raise InvalidValueError(f"SharedDict: expected keys that equal themselves; got {key!r}")
    if isinstance(key, NUMBERS):
        return b"n%d" % hash(key)  # Python's hash of numbers, which is unsalted and the same for 1, 1.0 and True
    if hashed is tuple.__hash__:
        return b"t" + b"".join([_digest(part) for part in key])  # type: ignore[attr-defined]  # as above
    if hashed is frozenset.__hash__:
        return b"f" + b"".join(sorted([_digest(part) for part in key]))  # type: ignore[attr-defined]  # as above
    if isinstance(key, str):  # NumPy's strings
        return b"s" + str(key).encode("utf-8", "surrogatepass")
    if isinstance(key, bytes):
        return b"b" + bytes(key)
    if isinstance(key, PurePath):
        return b"p" + str(key).lower().encode("utf-8", "surrogatepass")  # some systems compare paths without case
    if isinstance(key, Enum):
        return f"e{type(key).__module__}.{type(key).__qualname__}.{key.name}".encode()
    return b"o" + _pickled(key)


def _digest(key: Hashable) -> bytes:
    return blake2b(_code(key), digest_size=16).digest()


def _pickled(key: Hashable) -> bytes:
    """Pickle a key without memo references, which differ between equal keys."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, 5)
    pickler.fast = True
    try:
        pickler.dump(key)
        found = pickle.loads(file.getvalue())
    except Exception as error:
        raise InvalidTypeError(f"SharedDict: expected keys that can be pickled; got {shown(key)}: {error}") from error
    if found != key:
        raise InvalidTypeError(
            f"SharedDict: expected keys that another process can look up; got {shown(key)}, which does not equal its "
            "copy; use text, numbers, or tuples of them"
        )
    return file.getvalue()


def make_table(hashes: np.ndarray) -> np.ndarray:
    """Build an open-addressing table with linear probing, at most two thirds full: positions of keys, or `FREE`.

    All unplaced keys try their next slot together, so the number of steps equals the longest probe.
    """
    count = len(hashes)
    size = 1 << max(3, (count * 3 // 2).bit_length())
    mask = np.uint64(size - 1)
    table = np.full(size, FREE, np.int32 if count < 1 << 31 else np.int64)
    waiting = np.arange(count)
    slots = (hashes & mask).astype(np.int64)
    while len(waiting):
        free = table[slots] == FREE
        table[slots[free]] = waiting[free]  # if several keys want one slot, one of them wins
        lost = table[slots] != waiting
        waiting, slots = waiting[lost], (slots[lost] + 1) & int(mask)
    return frozen(table)
