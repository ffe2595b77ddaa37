"""Where the rows of a CSV file are, found without keeping any of them."""

from __future__ import annotations

from array import array
from typing import IO, NamedTuple

import numpy as np

from .._file_errors import CorruptFileError

REMEDY = "close the quote, or give quotechar=None if quotes are part of the text"


class CsvIndex(NamedTuple):
    """Offsets of every `every`-th row, the end of the file last, and the line that each of them begins with."""

    offsets: np.ndarray
    lines: np.ndarray
    rows: int
    every: int


def open_quote(line: bytes, delimiter: bytes, quote: bytes, inside: bool) -> bool:
    """Whether a quoted field is open after this line, `inside` before it; quotes within other fields are text."""
    place, end = 0, len(line)
    at_start = not inside
    while True:
        if inside:
            place = line.find(quote, place)
            if place < 0:
                return True
            place += 1
            if line[place : place + 1] == quote:  # two stand for one
                place += 1
                continue
            inside = False
        elif at_start and line[place : place + 1] == quote:
            inside, at_start, place = True, False, place + 1
            continue
        place = line.find(delimiter, place)
        if place < 0 or place >= end:
            return False
        place, at_start = place + 1, True


def index_rows(
    path: str,
    file: IO[bytes],
    delimiter: bytes,
    quote: bytes | None,
    every: int,
    max_row: int,
    line: int,
    most: int | None = None,
) -> CsvIndex:
    """The index of the rows from where `file` is; blank lines between rows are none.

    Arguments:
        path: for the errors.
        file: open, after the header.
        delimiter: between fields.
        quote: what a field may be put in; None where there is no such.
        every: how many rows there are to an offset.
        max_row: the most bytes of a row: where a quote is never closed, the rest of the file would be one.
        line: the number of the line that comes next.
        most: after how many rows to stop; None reads to the end.

    Raises:
        CorruptFileError: a row is longer, or the file ends within a quoted field.
    """
    offsets, lines = array("q"), array("q")
    rows, offset = 0, file.tell()
    while rows != most:
        start, first, inside = offset, line, False
        blank = True
        while True:
            text = file.readline(max_row + 1)
            offset, line = offset + len(text), line + 1
            if offset - start > max_row:
                raise _too_long(path, rows, first, max_row)
            if not text:
                if inside:
                    raise _unclosed(path, rows, first)
                break
            blank = blank and text in (b"\n", b"\r\n", b"\r")
            if quote is not None and (inside or quote in text):
                inside = open_quote(text, delimiter, quote, inside)
            if not inside:
                break
        if start == offset:
            break
        if blank:
            continue
        if rows % every == 0:
            offsets.append(start)
            lines.append(first)
        rows += 1
    offsets.append(offset)
    return CsvIndex(np.array(offsets, dtype=np.int64), np.array(lines, dtype=np.int64), rows, every)


def _too_long(path: str, row: int, line: int, most: int) -> CorruptFileError:
    problem = f"expected rows of at most {most} bytes; got a longer one"
    return CorruptFileError("CSVFile", path, f"row {row} (line {line})", problem, f"{REMEDY}, or give max_row_bytes")


def _unclosed(path: str, row: int, line: int) -> CorruptFileError:
    problem = "expected the end of a quoted field; the file ends in it"
    return CorruptFileError("CSVFile", path, f"row {row} (line {line})", problem, REMEDY)
