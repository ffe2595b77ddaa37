"""Rows of a Parquet file by index, read by pyarrow one row group at a time."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from facula_errors import CorruptFileError, FaculaError, InvalidValueError, MissingKeyError, MissingPackageError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._datasets.dataset import Dataset
from .._types import Batch, Index, Sample
from ._file_errors import Path, path_of

if TYPE_CHECKING:
    from types import ModuleType

Column: TypeAlias = Any  # an array of NumPy's, or one of pyarrow's, which has no types
MAX_GROUP = 1 << 31


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    """The modules pyarrow and pyarrow.parquet."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingPackageError(
            "ParquetFile: the package pyarrow is missing; install it, as with: pip install pyarrow"
        ) from error
    return pyarrow, parquet


@boundary
class ParquetFile(Dataset[dict[str, Any]]):
    """Rows of a Parquet file; sample i is a dict of the columns of row i.

    Numbers without nulls are NumPy's; lists of one length, of such numbers, are arrays; all else is Python's own.

    Arguments:
        path: the file.
        columns: names of the columns that samples have, the only ones read; all by default.
        row_groups: numbers of the row groups whose rows there are, in this order; all by default.
        cached_row_groups: how many row groups are kept in memory. Rows in random order want all that they are drawn
            from, or a file with small ones.
        max_row_group_bytes: a row group that unpacks to more is refused before it is read.

    Raises:
        ImportError: pyarrow is not installed.
        CorruptFileError: it is no Parquet file, or is damaged; says the row group.
        KeyError: there is no column of this name.
        OSError: there is no such file.
    """

    path: str
    names: tuple[str, ...]
    columns: tuple[str, ...]
    row_groups: list[int]
    cached_row_groups: int

    def __init__(
        self,
        path: Path,
        columns: Sequence[str] | None = None,
        *,
        row_groups: Sequence[int] | None = None,
        cached_row_groups: int = 1,
        max_row_group_bytes: int = MAX_GROUP,
    ) -> None:
        self.path = path_of("ParquetFile", path)
        self.cached_row_groups = _checks.whole_number("ParquetFile", "cached_row_groups", cached_row_groups, 1)
        self._max_bytes = _checks.whole_number("ParquetFile", "max_row_group_bytes", max_row_group_bytes, 1)
        self._opened: tuple[int, Any] | None = None
        self._cache: OrderedDict[int, dict[str, Column]] = OrderedDict()
        file = self._file()
        metadata = file.metadata
        self.names = tuple(file.schema_arrow.names)
        self.columns = self.names if columns is None else tuple(columns)
        for name in self.columns:
            if name not in self.names:
                raise MissingKeyError(f"ParquetFile: expected names of columns, {', '.join(self.names)}; got {name!r}")
        groups = range(metadata.num_row_groups) if row_groups is None else row_groups
        self.row_groups = [_checks.position("ParquetFile", one, metadata.num_row_groups) for one in groups]
        if len(set(self.row_groups)) != len(self.row_groups):
            raise InvalidValueError(f"ParquetFile: expected row groups once each; got row_groups={self.row_groups}")
        sizes = [metadata.row_group(one).num_rows for one in self.row_groups]
        if any(size < 0 for size in sizes):
            raise self._corrupt("", f"expected row groups of at least 0 rows; got {sizes}")
        self._starts = np.cumsum([0, *sizes], dtype=np.int64)

    def _corrupt(self, place: str, problem: str) -> CorruptFileError:
        return CorruptFileError("ParquetFile", self.path, place, problem, "write or download it again")

    def _file(self) -> Any:
        """The file, opened once in each process."""
        if self._opened is None or self._opened[0] != os.getpid():
            pyarrow, parquet = _pyarrow()
            try:
                opened = parquet.ParquetFile(self.path, memory_map=False, pre_buffer=False)
            except (pyarrow.ArrowException, OSError, ValueError) as error:
                raise self._corrupt("", f"expected a Parquet file; {error!s:.200}") from None
            self._opened = (os.getpid(), opened)
            self._cache = OrderedDict()
        return self._opened[1]

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_opened": None, "_cache": OrderedDict()}

    def _group(self, number: int) -> dict[str, Column]:
        """The columns of the row group `self.row_groups[number]`."""
        file = self._file()
        cache = self._cache
        found = cache.get(number)
        if found is not None:
            return found
        group = self.row_groups[number]
        size = file.metadata.row_group(group).total_byte_size
        if not 0 <= size <= self._max_bytes:
            raise CorruptFileError(
                "ParquetFile", self.path, f"row group {group}", f"expected at most {self._max_bytes} bytes; got {size}",
                "write it with a smaller row_group_size, or give max_row_group_bytes",
            )  # fmt: skip
        pyarrow, _ = _pyarrow()
        try:
            table = file.read_row_group(group, columns=list(self.columns), use_threads=False)
            read = {name: _column(table.column(name).combine_chunks()) for name in self.columns}
        except (pyarrow.ArrowException, OSError, ValueError) as error:
            raise self._corrupt(f"row group {group}", f"expected a row group; {error!s:.200}") from None
        rows = int(self._starts[number + 1] - self._starts[number])
        if table.num_rows != rows:
            raise self._corrupt(f"row group {group}", f"expected {rows} rows; got {table.num_rows}")
        while len(cache) >= self.cached_row_groups:
            try:
                cache.popitem(last=False)
            except KeyError:  # another thread has
                break
        cache[number] = read
        return read

    def __len__(self) -> int:
        return int(self._starts[-1])

    def _place(self, index: Index) -> tuple[int, int]:
        """The number of the row group, and the row within it."""
        place = _checks.position("ParquetFile", index, len(self))
        number = int(self._starts.searchsorted(place, "right")) - 1
        return number, place - int(self._starts[number])

    def __getitem__(self, index: Index) -> dict[str, Any]:
        try:
            number, row = self._place(index)
            return {name: _value(column[row]) for name, column in self._group(number).items()}
        except FaculaError as error:
            trim_traceback(error)
            raise

    def __getitems__(self, indices: list[Index]) -> list[dict[str, Any]]:
        """The samples, of which those of a row group are read together."""
        places = [self._place(index) for index in indices]
        samples: list[Sample] = [None] * len(places)
        for at in sorted(range(len(places)), key=places.__getitem__):
            number, row = places[at]
            samples[at] = {name: _value(column[row]) for name, column in self._group(number).items()}
        return samples

    def get_batch(self, indices: np.ndarray) -> Batch:
        """The collated samples, by one fancy index for each column where all rows are of one group and all numbers."""
        places = [self._place(index) for index in indices.tolist()]
        numbers = {number for number, _ in places}
        if len(numbers) != 1:
            return NotImplemented
        columns = self._group(numbers.pop())
        if not all(isinstance(column, np.ndarray) for column in columns.values()):
            return NotImplemented
        rows = np.array([row for _, row in places])
        return {name: column[rows] for name, column in columns.items()}

    def __repr__(self) -> str:
        groups = f"{len(self.row_groups)} row groups"
        return f"ParquetFile({len(self)} rows of {', '.join(self.columns)} in {groups} of {self.path})"


def _column(column: Column) -> Column:
    """NumPy's array for numbers; pyarrow's own for what NumPy would need Python's objects for."""
    from pyarrow import types

    kind = column.type
    if column.null_count:
        return column
    if types.is_fixed_size_list(kind) and _is_number(kind.value_type):
        values = column.flatten()
        if not values.null_count:
            return values.to_numpy(zero_copy_only=False).reshape(len(column), kind.list_size)
    return column.to_numpy(zero_copy_only=False) if _is_number(kind) else column


def _is_number(kind: Column) -> bool:
    from pyarrow import types

    return types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)


def _value(element: Column) -> Sample:
    """An element as a sample has it: a copy, so that no row keeps its row group in memory."""
    if isinstance(element, np.ndarray):
        return element.copy()
    return element if isinstance(element, np.generic) else element.as_py()
