"""Where the rows of a CSV file are, found without keeping any of them."""

from __future__ import annotations

import re
from array import array
from typing import IO, NamedTuple

import numpy as np

from facula_errors import CorruptFileError

REMEDY = "close the quote, or give quotechar=None if quotes are part of the text"


class CsvIndex(NamedTuple):
    """Offsets of every `every`-th row, the end of the file last, and the line that each of them begins with."""

    offsets: np.ndarray
    lines: np.ndarray
    rows: int
    every: int


def patterns(delimiter: bytes, quote: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """What a line matches that leaves no quoted field open: from the start of a row, and from within such a field.

    Two quotes within a field stand for one; quotes within fields that begin without are text. Nothing that a pattern
    has passed is tried in another way (`*+`), so its time grows with the line alone.
    """
    mark, end = re.escape(delimiter), re.escape(quote)
    rest = b"(?:[^%s]++|%s%s)*+%s[^%s]*+" % (end, end, end, end, mark)
    field = b"(?:%s%s|[^%s%s][^%s]*+|)" % (end, rest, end, mark, mark)
    more = b"(?:%s%s)*+" % (mark, field)
    return re.compile(field + more), re.compile(rest + more)


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
    whole, ending = (pattern.fullmatch for pattern in patterns(delimiter, quote or b'"'))
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
            if inside:
                inside = not ending(text)
            elif quote is not None and quote in text:
                inside = not whole(text)
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
