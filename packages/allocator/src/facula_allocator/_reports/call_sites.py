"""The line of a program that allocated a block, and the module of that line."""

from __future__ import annotations

import re
import sys
from typing import NamedTuple

from facula_errors.extend import in_library, known_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Frames to skip: compiled code, Python's own startup, and the libraries that allocate for a program.
_NOT_PYTHON = (".c", ".cc", ".cpp", ".cu", ".h", ".hpp", ".so", "??")
_LIBRARY = re.compile(r"(?:^|/)(?:site-packages|dist-packages|src)/(?:torch|facula(?:_\w+)?)/")
_PACKAGES = re.compile(r"^.*/(?:site-packages|dist-packages|lib/python3\.\d+)/")


class CallSite(NamedTuple):
    """A line of a program: file, line number, function."""

    filename: str
    line: int
    name: str

    def __str__(self) -> str:
        if self == UNKNOWN:
            return "(no line recorded)"
        function = f" {self.name}" if self.name else ""
        return printable(f"{shorten_path(self.filename)}:{self.line}{function}")


UNKNOWN = CallSite("", 0, "")
_new = tuple.__new__  # takes half the time of calling the class


class Holder(NamedTuple):
    """The live blocks of one line or one module, in bytes after rounding."""

    name: str
    nbytes: int
    blocks: int
    largest: int


def call_site(depth: int = 1) -> CallSite:
    """Return the line being executed, in the innermost frame outside libraries, or else in the outermost frame.

    Arguments:
        depth: number of frames to skip; 1 starts at the caller.

    >>> call_site().line > 0
    True
    """
    frame = sys._getframe(depth)
    known = known_modules
    try:
        while known[frame.f_globals["__name__"]] and frame.f_back is not None:
            frame = frame.f_back
    except KeyError:  # a module seen for the first time, or a frame without one
        while in_library(frame) and frame.f_back is not None:
            frame = frame.f_back
    code = frame.f_code
    return _new(CallSite, (code.co_filename, frame.f_lineno or 0, code.co_name))


def site_of(frames: Sequence[Mapping[str, object]]) -> CallSite:
    """Return the line that requested a block: the program's innermost frame, or else the innermost Python frame.

    Arguments:
        frames: innermost first, each with `filename`, `line` and `name`.

    >>> site_of([{"filename": "Allocator.cpp", "line": 0, "name": "malloc"},
    ...          {"filename": "train.py", "line": 40, "name": "step"}])
    CallSite(filename='train.py', line=40, name='step')
    """
    in_python: CallSite | None = None
    for frame in frames:
        filename, line, name = frame["filename"], frame["line"], frame["name"]
        if not isinstance(filename, str) or not isinstance(line, int) or not isinstance(name, str):
            continue
        if not line or filename.endswith(_NOT_PYTHON) or filename.startswith("<frozen"):
            continue
        site = CallSite(filename, line, name)
        if not _LIBRARY.search(filename):
            return site
        in_python = in_python or site
    return in_python or UNKNOWN


def printable(text: str) -> str:
    """Escape characters of a file's text that would move a terminal's cursor or change its colours.

    >>> printable("step\\x1b[2J")
    'step\\\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in text
    )


def shorten_path(filename: str) -> str:
    """Shorten a path: without the folder of installed packages, or to its last three parts.

    >>> shorten_path("/usr/lib/python3/dist-packages/shop/till.py"), shorten_path("/data/a/b/c/till.py")
    ('shop/till.py', '…/b/c/till.py')
    """
    rest = _PACKAGES.sub("", filename)
    parts = rest.split("/")
    return rest if len(parts) <= 3 + rest.startswith("/") else "…/" + "/".join(parts[-3:])


def module_of(site: CallSite) -> str:
    """Return the dotted name of the module that contains a line, as far as its path shows.

    >>> module_of(CallSite("/usr/lib/python3/dist-packages/shop/till.py", 3, "open")), module_of(UNKNOWN)
    ('shop.till', '(no line recorded)')
    """
    if site == UNKNOWN:
        return str(UNKNOWN)
    rest = _PACKAGES.sub("", site.filename)
    if rest == site.filename:  # not installed: the path does not show where its package begins
        rest = rest.rpartition("/")[2]
    return printable(rest.removesuffix(".py").removesuffix("/__init__").replace("/", ".") or site.filename)


def group_by_name(blocks: Iterable[tuple[str, int]]) -> list[Holder]:
    """Return the holders of (name, bytes) pairs, largest first.

    >>> group_by_name([("a", 1), ("b", 5), ("a", 2)])
    [Holder(name='b', nbytes=5, blocks=1, largest=5), Holder(name='a', nbytes=3, blocks=2, largest=2)]
    """
    found: dict[str, list[int]] = {}
    for name, nbytes in blocks:
        totals = found.setdefault(name, [0, 0, 0])
        totals[0] += nbytes
        totals[1] += 1
        totals[2] = max(totals[2], nbytes)
    return sorted_holders(found)


def sorted_holders(found: Mapping[str, Sequence[int]]) -> list[Holder]:
    """Return the holders from the (bytes, blocks, largest) of each name, largest first."""
    return sorted(
        (Holder(name, *totals) for name, totals in found.items()), key=lambda holder: (-holder.nbytes, holder.name)
    )
