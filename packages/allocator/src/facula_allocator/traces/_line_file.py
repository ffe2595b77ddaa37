"""A file of lines that stays intact on KeyboardInterrupt.

Note [Lines and Ctrl-C]: Python's text files check for signals while they flush, and lose the text written next. Here a
line is stored by `list.append`, which does not check for signals, and C code counts the bytes that it writes.
"""

from __future__ import annotations

from io import FileIO

LINES_PER_FLUSH = 512  # lines


class LineFile:
    """ASCII lines buffered for a file: `lines.append` adds one, and regular calls of `flush_some` write them.

    Arguments:
        path: the file to replace.
    """

    __slots__ = ("_chunk", "_file", "_written", "lines")

    def __init__(self, path: str):
        self._file = FileIO(path, "w")
        self.lines: list[str] = []
        self._chunk = b""  # the bytes being written
        self._written: list[int | None] = []  # the byte counts of its completed writes

    @property
    def closed(self) -> bool:
        """Whether the file is closed, so that no line can be added."""
        return self._file.closed

    def flush_some(self) -> None:
        """Write the lines once enough have accumulated."""
        if len(self.lines) >= LINES_PER_FLUSH:
            self.flush()

    def flush(self) -> None:
        """Write the lines."""
        while True:
            at = sum(filter(None, self._written))
            if at < len(self._chunk):
                self._written.extend(map(self._file.write, (self._chunk[at:],)))
                continue
            count = len(self.lines)
            if not count:
                return
            chunk = "".join(self.lines[:count]).encode("ascii")
            self._chunk = chunk  # no call between these two
            self._written = []
            del self.lines[:count]

    def close(self) -> None:
        """Write the remaining lines, and close the file. A second call does nothing."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()

    def give_up(self) -> None:
        """Close the file after writing as much as possible."""
        try:
            self.close()
        except OSError:
            pass  # there is no caller to report to
