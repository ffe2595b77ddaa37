"""A file of lines that a KeyboardInterrupt leaves whole.

Note [Lines and Ctrl-C]: Python's own text files look for signals while they flush, and lose the text that comes next. A
line here is kept by `list.append`, which does not; what was written is counted by the C code that writes it.
"""

from __future__ import annotations

from io import FileIO

LINES_PER_FLUSH = 512  # lines


class LineFile:
    """ASCII lines on their way to a file: `lines.append` adds one, and `flush_some` is called now and then.

    Arguments:
        path: the file, which is replaced.
    """

    __slots__ = ("_chunk", "_file", "_written", "lines")

    def __init__(self, path: str):
        self._file = FileIO(path, "w")
        self.lines: list[str] = []
        self._chunk = b""  # that is being written
        self._written: list[int | None] = []  # of its bytes

    @property
    def closed(self) -> bool:
        """Whether no line can be added any more."""
        return self._file.closed

    def flush_some(self) -> None:
        """Write the lines where there are many."""
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
            self._chunk = chunk  # no call between these
            self._written = []
            del self.lines[:count]

    def close(self) -> None:
        """Write what is left, and close the file. Again: nothing."""
        if not self._file.closed:
            try:
                self.flush()
            finally:
                self._file.close()

    def give_up(self) -> None:
        """Close the file, with what can still be written."""
        try:
            self.close()
        except OSError:
            pass  # nobody is there to be told
