"""Rows of a CSV file by index."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from facula_errors import CorruptFileError, FaculaError, InvalidTypeError, InvalidValueError, MissingKeyError
from facula_errors.extend import boundary, trim_traceback

from .. import _checks
from .._datasets.dataset import Dataset
from .._types import Index, Sample
from ._csv_index import index_rows
from ._file_errors import Path
from ._local_file import LocalFile, plain_dtype

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

Convert: TypeAlias = Callable[[str], Any]  # applied to a field's text
BOM = b"\xef\xbb\xbf"
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@boundary
class CSVFile(Dataset[dict[str, Any]]):
    """Rows of a CSV file; sample i is a dict of the columns of row i.

    Arguments:
        path: the file. It is scanned once for the starts of rows, of which every 16th is kept: one byte per row.
        columns: the names of the columns in samples; all by default.
        dtypes: maps a column to the dtype of its values, or to a function of the field's text; the default is text.
        missing: maps a column to the value of empty fields; in other columns an empty field is converted like any
            other.
        header: whether the first row contains the names; if False, pass `names`.
        names: the names of all columns, which override those in the file.
        delimiter: the character between fields.
        quotechar: the character around fields that contain the delimiter, quotes (doubled) or line ends; None treats
            quotes as text.
        encoding: UTF-8 or a single-byte encoding.
        max_row_bytes: the maximum number of bytes of a row; it detects a quote that is never closed.

    Blank lines are ignored.

    Raises:
        CorruptFileError: a row has too few or too many fields, a field does not match its dtype, or quotes or bytes are
            invalid; the message names the row, the line and the column.
        KeyError: no column has this name.
        OSError: the file does not exist.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"name,size\\nash,3.5\\nfir,7\\n")
    ...     file.flush()
    ...     trees = CSVFile(file.name, dtypes={"size": "float32"})
    ...     len(trees), trees.names, trees[-1]["name"], trees[-1]["size"]
    (2, ('name', 'size'), 'fir', np.float32(7.0))
    """

    path: str
    names: tuple[str, ...]
    columns: tuple[str, ...]
    dtypes: dict[str, np.dtype | Convert]
    missing: dict[str, Sample]
    delimiter: str
    quotechar: str | None
    encoding: str

    def __init__(
        self,
        path: Path,
        columns: Sequence[str] | None = None,
        dtypes: Mapping[str, DTypeLike | Convert] | None = None,
        *,
        missing: Mapping[str, Sample] | None = None,
        header: bool = True,
        names: Sequence[str] | None = None,
        delimiter: str = ",",
        quotechar: str | None = '"',
        encoding: str = "utf-8",
        max_row_bytes: int = 1 << 24,
    ) -> None:
        self.delimiter = _one_character("delimiter", delimiter)
        self.quotechar = None if quotechar is None else _one_character("quotechar", quotechar)
        if self.delimiter == self.quotechar:
            raise InvalidValueError(
                f"CSVFile: expected delimiter and quotechar that differ; got {delimiter!r} for both"
            )
        self.encoding = _checked_encoding(encoding)
        _checks.truth("CSVFile", "header", header)
        _checks.whole_number("CSVFile", "max_row_bytes", max_row_bytes, 2)
        if not header and names is None:
            raise InvalidValueError("CSVFile: expected names, as header=False; got names=None")
        self._file = LocalFile("CSVFile", path)
        self.path = self._file.path
        quote = None if self.quotechar is None else self.quotechar.encode()
        with open(self.path, "rb") as file:
            if file.read(3) != BOM:
                file.seek(0)
            line = 1
            if header:
                start = file.tell()
                first = index_rows(self.path, file, self.delimiter.encode(), quote, 1, max_row_bytes, 1, most=1)
                if not first.rows:
                    raise CorruptFileError(
                        "CSVFile", self.path, "byte 0", "expected names of columns; got no row", "check the file"
                    )
                end = int(first.offsets[-1])
                (found,), line = self._parsed(self._file.read(start, end - start), 0, 1), self._lines(start, end)
                names = found if names is None else names
            self.names = tuple(names or ())
            self._index = index_rows(self.path, file, self.delimiter.encode(), quote, 16, max_row_bytes, line)
        if len(set(self.names)) != len(self.names):
            raise InvalidValueError(f"CSVFile: expected names that differ; got {self.names}; give names")
        self.columns = self.names if columns is None else tuple(columns)
        self.missing = dict(missing or {})
        self.dtypes = {name: self._converter(name, dtype) for name, dtype in (dtypes or {}).items()}
        for name in (*self.columns, *self.missing, *self.dtypes):
            if name not in self.names:
                raise MissingKeyError(f"CSVFile: expected names of columns, {', '.join(self.names)}; got {name!r}")
        self._places = [self.names.index(name) for name in self.columns]
        self._block: tuple[int, list[list[str]]] = (-1, [])

    def _lines(self, start: int, end: int) -> int:
        """Return the number of the line that follows these bytes."""
        return 1 + self._file.read(start, end - start).count(b"\n")

    def _converter(self, name: str, dtype: object) -> np.dtype | Convert:
        if callable(dtype) and not isinstance(dtype, (type, np.dtype)):
            return dtype
        return plain_dtype(f"CSVFile, column {name!r}", dtype)  # type: ignore[arg-type]  # which is asked there

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_block": (-1, [])}

    def __len__(self) -> int:
        return self._index.rows

    def _parsed(self, data: bytes, row: int, line: int) -> list[list[str]]:
        """Parse rows from bytes of the file; `row` and `line` are the numbers of the first row, for errors."""

        def corrupt(lines: int, rows: int, problem: str, remedy: str) -> CorruptFileError:
            return CorruptFileError("CSVFile", self.path, f"row {row + rows} (line {line + lines})", problem, remedy)

        try:
            text = data.decode(self.encoding)
        except UnicodeDecodeError as error:
            problem = f"expected text in {self.encoding}; {error.reason}"
            lines = data.count(b"\n", 0, error.start)
            raise corrupt(lines, lines, problem, "pass the encoding of the file") from None
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.quotechar else csv.QUOTE_NONE
        reader = csv.reader(
            _lines_of(text), delimiter=self.delimiter, quotechar=self.quotechar, quoting=quoting, strict=True
        )
        rows: list[list[str]] = []
        try:
            rows.extend(found for found in reader if found)
        except csv.Error as error:
            remedy = "check its quotes, or give quotechar=None if quotes are part of the text"
            if "limit" in str(error):
                remedy = "if it is meant to be as long, raise csv.field_size_limit"
            raise corrupt(max(reader.line_num - 1, 0), len(rows), f"expected a row; {error}", remedy) from None
        return rows

    def _row(self, place: int) -> list[str]:
        block, within = divmod(place, self._index.every)
        number, rows = self._block
        if number != block:
            start, end = self._index.offsets[block : block + 2].tolist()
            rows = self._parsed(
                self._file.read(start, end - start), block * self._index.every, int(self._index.lines[block])
            )
            self._block = (block, rows)
        if within >= len(rows):
            raise self._wrong(
                place, "expected a row; the file has changed since it was opened", "make the dataset again"
            )
        return rows[within]

    def _wrong(self, place: int, problem: str, remedy: str) -> CorruptFileError:
        block = place // self._index.every
        near = f"row {place} (at or after line {int(self._index.lines[block])})"
        return CorruptFileError("CSVFile", self.path, near, problem, remedy)

    def __getitem__(self, index: Index) -> dict[str, Any]:
        try:
            place = _checks.position("CSVFile", index, len(self))
            row = self._row(place)
            if len(row) != len(self.names):
                problem = f"expected {len(self.names)} fields; got {len(row)}"
                raise self._wrong(place, problem, "check the delimiter, and the quotes around fields that hold it")
            return {name: self._value(place, name, row[at]) for name, at in zip(self.columns, self._places)}
        except FaculaError as error:
            trim_traceback(error)
            raise

    def _value(self, place: int, name: str, text: str) -> Sample:
        if not text and name in self.missing:
            return self.missing[name]
        convert = self.dtypes.get(name)
        if convert is None:
            return text
        try:
            if not isinstance(convert, np.dtype):
                return convert(text)
            if convert.kind == "b":
                return np.bool_(BOOLEANS[text.strip().lower()])
            return convert.type(int(text) if convert.kind in "iu" else text)
        except (ValueError, KeyError, OverflowError) as error:
            wanted = convert if isinstance(convert, np.dtype) else getattr(convert, "__name__", "function")
            problem = f"expected {wanted} in column {name!r}; got {text!r:.80} ({type(error).__name__})"
            remedy = "correct it, or define its meaning by dtypes or missing"
            raise self._wrong(place, problem, remedy) from None

    def __repr__(self) -> str:
        return f"CSVFile({len(self)} rows of {', '.join(self.columns)} in {self.path})"


def _lines_of(text: str) -> list[str]:
    """Split at line feeds only: `splitlines` also splits at other characters."""
    return [line + "\n" for line in text.split("\n")]


def _one_character(name: str, value: object) -> str:
    if not isinstance(value, str) or len(value) != 1 or not value.isascii() or value in "\r\n":
        raise InvalidTypeError(f"CSVFile: expected {name} to be one ASCII character; got {name}={value!r}")
    return value


def _checked_encoding(encoding: str) -> str:
    """Return the encoding's name after checking that its bytes below 128 are always ASCII characters."""
    try:
        name = codecs.lookup(encoding).name
        fits = name == "utf-8" or len(bytes(range(256)).decode(name, "replace")) == 256
        if fits and bytes(range(128)).decode(name) == bytes(range(128)).decode("ascii"):
            return name
    except (LookupError, TypeError, UnicodeError):
        pass
    raise InvalidValueError(
        f"CSVFile: expected encoding to be UTF-8, or one of a byte for each character; got encoding={encoding!r}; "
        "convert the file to UTF-8"
    )
