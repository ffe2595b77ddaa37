"""SharedDict: a mapping with keys, values and index in arrays, see Note [Copy on read]."""

from __future__ import annotations

from collections.abc import Hashable, ItemsView, Iterable, Iterator, Mapping, ValuesView
from itertools import islice
from pathlib import Path
from reprlib import repr as shown
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from facula_errors import FaculaError, InvalidTypeError, MissingKeyError
from facula_errors.extend import boundary

from . import mapped_files as _mapped
from .columns import Column, encode, frozen
from .key_hashes import make_table, stable_hash
from .shared_list import SHOWN, Path_, as_path, equal, map_again, readable

if TYPE_CHECKING:
    from typing import Self

K = TypeVar("K", bound=Hashable)
V_co = TypeVar("V_co", covariant=True)

Parts = tuple[Column, Column, np.ndarray, np.ndarray]  # keys, values, hashes, table


@boundary
class SharedDict(Mapping[K, V_co]):
    """An immutable dict, stored in a few arrays so that it does not grow in forked workers.

    Keys keep their order; keys and values are encoded like the elements of a `SharedList`. Lookup uses a hash that is
    the same in all processes. Keys may be text, bytes, numbers, None, paths, members of enumerations, and tuples and
    frozensets of these; other keys must be equal if and only if their pickles are equal.

    Arguments:
        items: a mapping, or pairs of a key and its value; for equal keys the last value counts.
        file: the path of a file to store and map the data, as for `SharedList`; or None.

    Raises:
        TypeError: `items` is neither, or a key or value cannot be stored.
        OSError: the file cannot be written.

    >>> ages = SharedDict({"ann": 31, "bob": 27})
    >>> ages["bob"], ages.get("cyd"), list(ages), ages == {"bob": 27, "ann": 31}
    (27, None, ['ann', 'bob'], True)
    >>> ages
    SharedDict({'ann': 31, 'bob': 27}, 2 str to int, 82 B)
    """

    __slots__ = ("__weakref__", "_file", "_hashes", "_keys", "_slots", "_table", "_values")

    def __init__(self, items: Mapping[K, V_co] | Iterable[tuple[K, V_co]] = (), *, file: Path_ | None = None) -> None:
        path = None if file is None else as_path("SharedDict", file)
        try:
            given: dict[K, V_co] = dict(items)
        except (TypeError, ValueError) as error:
            raise InvalidTypeError(
                f"SharedDict: expected items to be a mapping, or pairs of key and value; got {shown(items)}: {error}"
            ) from error
        hashes = frozen(np.array([stable_hash(key) for key in given], np.uint64))
        keys, values = encode("SharedDict", list(given)), encode("SharedDict", list(given.values()))
        parts: Parts = (keys, values, hashes, make_table(hashes))
        self._file: tuple[Path, bytes] | None = None
        if path is not None:
            parts, self._file = map_again("SharedDict", path, "SharedDict", parts)
        self._set(parts)

    def _set(self, parts: Parts) -> None:
        self._keys, self._values, hashes, table = parts
        self._hashes, self._table = frozen(hashes).data, frozen(table).data  # faster to index than arrays
        self._slots = len(table) - 1

    @classmethod
    def open(cls, file: Path_) -> SharedDict[Any, Any]:
        """Map a file that was written with `file=` and return its mapping.

        The file may contain pickled objects, which can run any code: open only files that you trust.

        Raises:
            OSError: the file cannot be read.
            ValueError: the file has other contents.
        """
        found, place = map_again("SharedDict.open", as_path("SharedDict.open", file), "SharedDict", None)
        return cls._of(found, place)

    @classmethod
    def _of(cls, parts: Parts, file: tuple[Path, bytes] | None) -> Self:
        made = cls.__new__(cls)
        made._set(parts)
        made._file = file
        return made

    def _find(self, key: object) -> int:
        """Return the position of a key, or -1."""
        try:
            hash(key)
        except TypeError:
            raise InvalidTypeError(f"SharedDict: expected a key that can be hashed; got {shown(key)}") from None
        try:
            wanted = stable_hash(key)
        except FaculaError:
            return -1  # no key in the dict can be equal to it
        slot = wanted & self._slots
        while (at := self._table[slot]) >= 0:
            if self._hashes[at] == wanted and self._keys.get(at) == key:
                return at
            slot = (slot + 1) & self._slots
        return -1

    def __getitem__(self, key: K) -> V_co:
        at = self._find(key)
        if at < 0:
            raise MissingKeyError(f"SharedDict: expected one of {len(self)} keys; got {shown(key)}")
        return self._values.get(at)  # type: ignore[no-any-return]

    def __contains__(self, key: object) -> bool:
        return self._find(key) >= 0

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[K]:
        return map(self._keys.get, range(len(self)))

    def items(self) -> ItemsView[K, V_co]:
        """Return a view of the keys and values, like that of a dict."""
        return _Items(self)

    def values(self) -> ValuesView[V_co]:
        """Return a view of the values, like that of a dict."""
        return _Values(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        if len(self) != len(other):
            return False
        return all(key in other and equal(value, other[key]) for key, value in self.items())

    __hash__ = None  # type: ignore[assignment]  # as of a dict

    @property
    def nbytes(self) -> int:
        """The bytes of memory or of the file that keys, values and index occupy."""
        return self._keys.nbytes + self._values.nbytes + self._hashes.nbytes + self._table.nbytes

    @property
    def file(self) -> Path | None:
        """The mapped file, or None."""
        return None if self._file is None else self._file[0]

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self  # the dict is immutable

    def __reduce__(self) -> tuple[object, ...]:
        if self._file is not None:
            return _reopened, (type(self), *self._file)
        return _remade, (type(self), (self._keys, self._values, np.asarray(self._hashes), np.asarray(self._table)))

    def __repr__(self) -> str:
        parts = [f"{shown(key)}: {shown(value)}" for key, value in islice(self.items(), SHOWN)]
        parts += ["..."] * (len(self) > SHOWN)
        kind = f"{len(self)} {self._keys.kind} to {self._values.kind}" if len(self) else "empty"
        file = "" if self._file is None else f", file={str(self._file[0])!r}"
        return f"{type(self).__name__}({{{', '.join(parts)}}}, {kind}, {readable(self.nbytes)}{file})"


class _Items(ItemsView[K, V_co]):
    """A view that iterates over keys and values without a lookup for each."""

    _mapping: SharedDict[K, V_co]

    def __iter__(self) -> Iterator[tuple[K, V_co]]:
        return zip(self._mapping, self._mapping.values(), strict=True)


class _Values(ValuesView[V_co]):
    """A view that iterates over values without a lookup for each."""

    _mapping: SharedDict[Any, V_co]

    def __iter__(self) -> Iterator[V_co]:
        return map(self._mapping._values.get, range(len(self._mapping)))


def _remade(cls: type[SharedDict[Any, Any]], parts: Parts) -> SharedDict[Any, Any]:
    return cls._of(parts, None)


def _reopened(cls: type[SharedDict[Any, Any]], path: Path, token: bytes) -> SharedDict[Any, Any]:
    (_, parts), _ = _mapped.read(cls.__name__, path, token)
    return cls._of(parts, (path, token))
