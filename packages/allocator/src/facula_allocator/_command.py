"""The command line: `python -m facula_allocator summary FILE`, `render FILE -o page.html`, `replay FILE`, `fit FILE`.

FILE is a snapshot (JSON or a pickle, including PyTorch's) or a trace; the command recognises the format by the file's
contents. `replay` and `fit` accept only traces, and exit with status 3 if memory ran out or the run does not fit.
"""

from __future__ import annotations

import argparse
import os
import sys

from facula_errors import CorruptFileError, FaculaError, FileError, InvalidValueError

from ._replay.replay_command import add_commands
from ._reports.call_sites import printable
from ._reports.whole_files import read_whole, write_whole
from .snapshots._files import parse_snapshot
from .snapshots._render import render_html as render_snapshot
from .snapshots._render import summary_text
from .traces._events import Trace
from .traces._reader import is_trace, parse_trace
from .traces._render import render_html as render_trace
from .traces._summary import summarize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ._reports.snapshot_types import Snapshot

FILE = "a snapshot (JSON or pickle, PyTorch's too) or a trace"
SUMMARY = "totals of the file: bytes by state, the peak, the owners of the memory"
RENDER = "draw the file as one HTML page that opens in any browser, offline"


def load(operation: str, path: str, partial: bool) -> Snapshot | Trace:
    """Read the snapshot or trace in a file."""
    data = read_whole(operation, path)
    if not data.strip():
        raise CorruptFileError(operation, path, "byte 0", f"expected {FILE}; got an empty file", "write it again")
    if is_trace(data):
        return parse_trace(operation, path, data, partial)
    return parse_snapshot(operation, path, data)


def summary(given: argparse.Namespace) -> str:
    """Return the text that `summary` prints."""
    found = load("summary", given.file, given.partial)
    return str(summarize(found)) if isinstance(found, Trace) else summary_text(found)


def render(given: argparse.Namespace) -> str:
    """Write the page, and return a line that names its path."""
    found = load("render", given.file, given.partial)
    if os.path.exists(given.output) and os.path.samefile(given.file, given.output):
        raise InvalidValueError(f"render: expected a page other than FILE itself; got {given.output!r}")
    title = given.title or os.path.basename(given.file)
    html = render_trace(found, title) if isinstance(found, Trace) else render_snapshot(found, title)
    data = html.encode("utf-8", "backslashreplace")
    write_whole("render", given.output, data)
    return f"wrote {given.output} ({len(data)} bytes)"


def parser() -> argparse.ArgumentParser:
    """Return the parser. A new command needs a subparser here and a function that returns its output."""
    made = argparse.ArgumentParser(prog="python -m facula_allocator", description=__doc__, allow_abbrev=False)
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, run, text in (("summary", summary, SUMMARY), ("render", render, RENDER)):
        subcommand = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        subcommand.set_defaults(run=run)
        subcommand.add_argument("file", metavar="FILE", help=FILE)
        subcommand.add_argument("--partial", action="store_true", help="leave out a trace's last line that was cut off")
        if run is render:
            subcommand.add_argument("-o", "--output", metavar="PAGE", required=True, help="the HTML file to write")
            subcommand.add_argument("--title", help="the page's title (default: the name of FILE)")
    add_commands(commands)
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        The exit status: 0; 1 if a file cannot be read or written; 3 if a replay ran out of memory that the recorded run
        had, or if the run does not fit. argparse itself exits with 2.
    """
    given = parser().parse_args(arguments)
    try:
        found = given.run(given)
        text, status = found if isinstance(found, tuple) else (found, 0)
    except FaculaError as error:
        said = f"{error.strerror}: {error.filename}" if isinstance(error, FileError) else str(error)
        shown = printable(said).encode("ascii", "backslashreplace").decode("ascii")
        print(f"python -m facula_allocator {shown}", file=sys.stderr)
        return 1
    try:
        print(text)
        sys.stdout.flush()
    except UnicodeEncodeError:  # the terminal has another encoding
        print(text.encode("ascii", "backslashreplace").decode("ascii"))
    except BrokenPipeError:  # the reader closed the pipe early, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return status
