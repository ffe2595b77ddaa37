"""An index of the rows of a CSV file, built without storing the rows."""

from __future__ import annotations

import re
from array import array
from typing import IO, NamedTuple

import numpy as np

from facula_errors import CorruptFileError

REMEDY = "close the quote, or give quotechar=None if quotes are part of the text"


class CsvIndex(NamedTuple):
    """Offsets of every `every`-th row and of the end of the file, and the line number of each of those rows."""

    offsets: np.ndarray
    lines: np.ndarray
    rows: int
    every: int


def patterns(delimiter: bytes, quote: bytes) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return patterns for lines that leave no quoted field open: from the start of a row, and from within such a field.

    Two quotes within a quoted field represent one; quotes within unquoted fields are text. The possessive quantifiers
    (`*+`) prevent backtracking, so the time is linear in the length of the line.
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
    """Build the index of the rows from the position of `file`; blank lines between rows are ignored.

    Arguments:
        path: the path, for errors.
        file: the open file, positioned after the header.
        delimiter: the byte between fields.
        quote: the quote character of fields; None disables quoting.
        every: the number of rows per stored offset.
        max_row: the maximum number of bytes of a row; otherwise an unclosed quote would turn the rest of the file into
            one row.
        line: the number of the next line.
        most: the number of rows to read; None reads to the end.

    Raises:
        CorruptFileError: a row is longer than `max_row`, or the file ends within a quoted field.
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
    return CorruptFileError("CSVFile", path, f"row {row} (line {line})", problem, f"{REMEDY}, or pass max_row_bytes")


def _unclosed(path: str, row: int, line: int) -> CorruptFileError:
    problem = "expected the end of a quoted field; the file ends in it"
    return CorruptFileError("CSVFile", path, f"row {row} (line {line})", problem, REMEDY)
