"""The command line: `python -m facula_profiler show TRACE`, `render TRACE -o page.html`, `compare BEFORE AFTER`.

TRACE is a file that `Trace.save` wrote, or the records of a killed program (`profile(path=...)`). Files are never
unpickled, so files from others are safe to examine.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from facula_errors import FaculaError, FileError, InvalidValueError

from ._pages.page import export_html
from ._recording.journal import SUFFIX, recover
from ._summary.comparison import ORDERS, compare
from ._summary.summary import Summary
from ._trace.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

SHOW = "print the bottleneck with its evidence, remedies and the leading operators"
RENDER = "write a page with timeline, flame graphs, tables and memory, which opens in any browser, offline"
COMPARE = "print the differences between two traces by operator and module"


def load(path: str) -> Trace:
    """Read a trace, or the records of a program that was killed."""
    return recover(path) if os.path.exists(path + SUFFIX) else Trace.load(path)


def show(given: argparse.Namespace) -> str:
    """Return the text that `show` prints."""
    return str(Summary(load(given.trace), _peaks(given)))


def render(given: argparse.Namespace) -> str:
    """Write the page, and return a line that names its path."""
    trace = load(given.trace)
    if os.path.exists(given.output) and os.path.samefile(given.trace, given.output):
        raise InvalidValueError(f"render: expected a page other than TRACE itself; got {given.output!r}")
    export_html(trace, given.output, given.title or os.path.basename(given.trace), _peaks(given))
    return f"wrote {given.output} ({os.path.getsize(given.output):,} bytes)"


def comparison(given: argparse.Namespace) -> str:
    """Return the text that `compare` prints."""
    return str(compare(load(given.before), load(given.after), given.sort, _peaks(given)))


def _peaks(given: argparse.Namespace) -> tuple[float, float] | None:
    """Return the roofline from the options, or None to measure this machine."""
    if (given.gflops is None) != (given.gbytes is None):
        raise InvalidValueError("roofline: expected both --gflops and --gbytes; got one of them")
    return None if given.gflops is None else (given.gflops * 1e9, given.gbytes * 1e9)


def parser() -> argparse.ArgumentParser:
    """Return the parser. A new command needs a row here and a function that returns its output."""
    made = argparse.ArgumentParser(
        prog="python -m facula_profiler", description=__doc__, allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    commands = made.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, run, text, files in (
        ("show", show, SHOW, ("trace",)),
        ("render", render, RENDER, ("trace",)),
        ("compare", comparison, COMPARE, ("before", "after")),
    ):
        command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
        command.set_defaults(run=run)
        for file in files:
            command.add_argument(file, metavar=file.upper(), help="a file of Trace.save or of profile(path=...)")
        if run is render:
            command.add_argument("-o", "--output", metavar="PAGE", required=True, help="the HTML file to write")
            command.add_argument("--title", help="the title of the page (default: the name of TRACE)")
        if run is comparison:
            command.add_argument("--sort", choices=ORDERS, default="change", help="the order of rows (default: change)")
        roofline = command.add_argument_group(
            "roofline", "the machine that ran the program (default: measure this one)"
        )
        roofline.add_argument("--gflops", type=float, metavar="N", help="float32 operations per second, in 10^9")
        roofline.add_argument("--gbytes", type=float, metavar="N", help="bytes per second to and from memory, in 10^9")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Returns:
        The exit status: 0, or 1 if a file cannot be read or written. argparse itself exits with 2.
    """
    given = parser().parse_args(arguments)
    try:
        text = given.run(given)
    except FaculaError as error:
        said = f"{error.strerror}: {error.filename}" if isinstance(error, FileError) else str(error)
        shown = "".join(one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in said)
        print(f"python -m facula_profiler {shown}".encode("ascii", "backslashreplace").decode("ascii"), file=sys.stderr)
        return 1
    text = "".join(one if one.isprintable() or one == "\n" else repr(one)[1:-1] for one in text)
    try:
        print(text)
        sys.stdout.flush()
    except UnicodeEncodeError:  # the terminal has another encoding
        print(text.encode("ascii", "backslashreplace").decode("ascii"))
    except BrokenPipeError:  # the reader closed the pipe early, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
