"""Rows of a Parquet file by index; pyarrow reads one row group at a time."""

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

Column: TypeAlias = Any  # a NumPy array, or a pyarrow array, which has no type stubs
MAX_GROUP = 1 << 31


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    """Import the modules pyarrow and pyarrow.parquet."""
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

    Numbers without nulls are NumPy scalars, lists of one length of such numbers are arrays, and other values are Python
    objects.

    Arguments:
        path: the file.
        columns: the names of the columns in samples; only these are read. All by default.
        row_groups: the numbers of the row groups to include, in this order; all by default.
        cached_row_groups: the number of row groups kept in memory. Random access needs all of them, or a file with
            small row groups.
        max_row_group_bytes: the maximum unpacked size of a row group; larger ones are rejected before they are read.

    Raises:
        ImportError: pyarrow is not installed.
        CorruptFileError: the file is not a Parquet file, or is damaged; the message names the row group.
        KeyError: no column has this name.
        OSError: the file does not exist.
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
        self.row_groups = [_checks.position("ParquetFile", group, metadata.num_row_groups) for group in groups]
        if len(set(self.row_groups)) != len(self.row_groups):
            raise InvalidValueError(f"ParquetFile: expected row groups once each; got row_groups={self.row_groups}")
        sizes = [metadata.row_group(group).num_rows for group in self.row_groups]
        if any(size < 0 for size in sizes):
            raise self._corrupt("", f"expected row groups of at least 0 rows; got {sizes}")
        self._starts = np.cumsum([0, *sizes], dtype=np.int64)

    def _corrupt(self, place: str, problem: str) -> CorruptFileError:
        return CorruptFileError("ParquetFile", self.path, place, problem, "write or download it again")

    def _file(self) -> Any:
        """Return the file, opened once in each process."""
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
        """Return the columns of the row group `self.row_groups[number]`."""
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
                "write it with a smaller row_group_size, or pass max_row_group_bytes",
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
            except KeyError:  # another thread evicted it
                break
        cache[number] = read
        return read

    def __len__(self) -> int:
        return int(self._starts[-1])

    def _place(self, index: Index) -> tuple[int, int]:
        """Return the number of the row group, and the row within it."""
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
        """Return the samples; rows of one row group are read together."""
        places = [self._place(index) for index in indices]
        samples: list[Sample] = [None] * len(places)
        for at in sorted(range(len(places)), key=places.__getitem__):
            number, row = places[at]
            samples[at] = {name: _value(column[row]) for name, column in self._group(number).items()}
        return samples

    def get_batch(self, indices: np.ndarray) -> Batch:
        """Return the collated samples by one fancy index per column, if all rows are numeric and in one row group."""
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
    """Return a NumPy array for numbers, and the pyarrow array for values that NumPy would store as Python objects."""
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
    """Return an element for a sample: a copy, so that a row does not keep its row group in memory."""
    if isinstance(element, np.ndarray):
        return element.copy()
    return element if isinstance(element, np.generic) else element.as_py()
