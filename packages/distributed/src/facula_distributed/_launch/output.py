"""The output of ranks: each line with its rank, and files."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

_MAX_LINE = 1 << 16


class Output:
    """One stream of one rank: a pipe, of which this process has the reading end.

    Arguments:
        rank: the rank.
        name: "stdout" or "stderr".
        log_dir: a folder for a copy, `rank-0.stdout`; None for no copy.
        is_continued: whether the copy is appended to the file.
    """

    def __init__(self, rank: int, name: str, log_dir: str | None, *, is_continued: bool = False) -> None:
        self._prefix = b"[rank %d] " % rank
        self._target: IO[bytes] = getattr(sys, name).buffer
        self._rest = b""
        way = "ab" if is_continued else "wb"
        self._file = None if log_dir is None else open(Path(log_dir, f"rank-{rank}.{name}"), way)
        self.fd, self.theirs = os.pipe()
        os.set_blocking(self.fd, False)

    def read(self) -> bool:
        """Pass on the output so far; return False at the end."""
        while True:
            try:
                data = os.read(self.fd, 1 << 16)
            except BlockingIOError:
                return True
            if not data:
                return False
            if self._file is not None:
                self._file.write(data)
                self._file.flush()
            *lines, self._rest = (self._rest + data).split(b"\n")
            if len(self._rest) > _MAX_LINE:
                lines, self._rest = [*lines, self._rest], b""
            self._write([self._prefix + line + b"\n" for line in lines])

    def _write(self, lines: list[bytes]) -> None:
        with suppress(BrokenPipeError):
            self._target.write(b"".join(lines))
            self._target.flush()

    def close(self) -> None:
        """Pass on the last line, and close the files."""
        if self._rest:
            self._write([self._prefix + self._rest + b"\n"])
        os.close(self.fd)
        if self._file is not None:
            self._file.close()


_name = ["facula run"]


def set_node(node: int) -> None:
    """Begin the launcher's lines with the number of its machine."""
    _name[0] = f"facula run, node {node}"


def say(line: str) -> None:
    """Print a line of the launcher."""
    with suppress(BrokenPipeError):
        print(f"[{_name[0]}] {line}", file=sys.stderr, flush=True)
