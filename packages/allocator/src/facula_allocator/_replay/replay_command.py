"""The commands `replay` and `fit`: a trace under other settings."""

from __future__ import annotations

import argparse
import json
import os

from facula_errors import CorruptFileError, InvalidValueError

from .._errors import format_bytes
from .._options import Options, parsed_options
from .._reports.whole_files import read_whole, write_whole
from .._settings import parsed_bytes
from ..snapshots._files import parse_snapshot
from ..traces._reader import is_trace, parse_trace
from ..traces._render import render_html
from .fitting import STEP, smallest_capacity, will_it_fit
from .replaying import replay

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .._options import Option
    from ..traces._events import Trace
    from .replay_report import ReplayReport

REPLAY = "replay a trace on a simulated device, under the recorded settings or others: peaks, driver calls, failures"
SHORT = 3  # the exit status if memory ran out
STATUS = f"Exits with status {SHORT} where memory runs out that the recorded run had, or the run does not fit."
FIT = "report whether a recorded run fits into a device, fragmentation included; or the smallest one that it fits into"
STANDARD = (
    "lend=no",
    "max_split_size=64MiB",
    "max_split_size=256MiB",
    "roundup_power2_divisions=8",
    "large_segment=10MiB",
    "expandable_segments=yes",
    "expandable_segments=no",
)
HEADING = f"{'settings':<32}{'reserved':>10}{'allocated':>11}{'unused':>8}{'segments':>10}{'retries':>9}"


def settings_of(given: argparse.Namespace) -> dict[str, Option]:
    """Return the allocator settings on the command line."""
    found: dict[str, Option] = {}
    for text in given.option:
        found |= parsed_options("--option", text)
    if given.limit is not None:
        found["limit"] = None if given.limit == "none" else parsed_bytes("--limit", given.limit)
    return found


def capacity_of(given: argparse.Namespace) -> int | None:
    """Return the capacity on the command line."""
    if given.capacity is None:
        return None
    capacity = parsed_bytes("--capacity", given.capacity)
    if not capacity:
        raise InvalidValueError(f"--capacity: expected more than 0 bytes; got {given.capacity!r}")
    return capacity


def trace_of(operation: str, given: argparse.Namespace) -> Trace:
    """Read the trace in a file."""
    data = read_whole(operation, given.file)
    if not is_trace(data):
        try:
            parse_snapshot(operation, given.file, data)
        except CorruptFileError:
            pass  # neither a trace nor a snapshot
        else:
            problem, remedy = "expected a trace; this is a snapshot", "record one with CachingAllocator.record_trace"
            raise CorruptFileError(operation, given.file, "byte 0", problem, remedy)
    return parse_trace(operation, given.file, data, given.partial)


def replay_text(given: argparse.Namespace) -> tuple[str, int]:
    """Return the output of `replay` and its exit status."""
    trace, capacity, settings = trace_of("replay", given), capacity_of(given), settings_of(given)
    if given.compare:
        rows = list(dict.fromkeys(name for text in given.compare for name in (STANDARD if text is None else (text,))))
        return compared(trace, capacity, settings, rows), 0
    report = replay(trace, settings, capacity=capacity)
    if given.output is not None:
        if os.path.exists(given.output) and os.path.samefile(given.file, given.output):
            raise InvalidValueError(f"replay: expected a page other than FILE itself; got {given.output!r}")
        curve = list(zip(report.curve.event, report.curve.reserved))
        html = render_html(trace, f"Replay of {os.path.basename(given.file)}", reserved=curve)
        write_whole("replay", given.output, html.encode("utf-8", "backslashreplace"))
    text = json.dumps(report.as_dict(), indent=1) if given.json else str(report)
    return text, SHORT if report.events < len(trace.events) else 0


def compared(trace: Trace, capacity: int | None, settings: dict[str, Option], rows: list[str]) -> str:
    """Return a table with one row for the given settings, and one for each of `rows` in addition to them."""
    lines = [HEADING]
    for text in ("", *rows):
        options = settings | parsed_options("--compare", text)
        lines.append(row_of(text or "(as given)", replay(trace, options, capacity=capacity)))
    return "\n".join(lines)


def row_of(name: str, report: ReplayReport) -> str:
    """Return one row of the table."""
    line = (
        f"{name:<32}{format_bytes(report.peak_reserved):>10}{format_bytes(report.peak_allocated):>11}"
        f"{report.fragmentation:>8.1%}{report.stats['num_device_alloc']:>10}{report.retries:>9}"
    )
    short = report.shortfall
    return line if short is None else f"{line}  out of memory at event {short.event}"


def fit_text(given: argparse.Namespace) -> tuple[str, int]:
    """Return the output of `fit` and its exit status."""
    trace, capacity, settings = trace_of("fit", given), capacity_of(given), settings_of(given)
    if capacity is None:
        return str(smallest_capacity(trace, step=STEP, **settings)), 0
    fit = will_it_fit(trace, capacity, settings)
    return str(fit), 0 if fit else SHORT


def add_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add both commands to the parser of `python -m facula_allocator`."""
    names = ", ".join(Options._fields)
    for name, run, text in (("replay", replay_text, REPLAY), ("fit", fit_text, FIT)):
        subcommand = commands.add_parser(name, help=text, description=text, epilog=STATUS, allow_abbrev=False)
        subcommand.set_defaults(run=run)
        subcommand.add_argument("file", metavar="FILE", help="a trace, as CachingAllocator.record_trace writes it")
        subcommand.add_argument("--partial", action="store_true", help="leave out a last line that was cut off")
        default = "the recorded one" if run is replay_text else "find the smallest one"
        subcommand.add_argument(
            "--capacity", metavar="BYTES", help=f"bytes of the device, as 16GiB (default: {default})"
        )
        subcommand.add_argument(
            "--limit", metavar="BYTES", help="the allocator's limit, as 8GiB, or none (default: recorded)"
        )
        subcommand.add_argument(
            "--option", metavar="NAME=VALUE", action="append", default=[],
            help=f"an option of the allocator instead of the recorded one, as max_split_size=64MiB; one of {names}",
        )  # fmt: skip
        if run is replay_text:
            subcommand.add_argument(
                "--compare", metavar="SETTINGS", action="append", nargs="?",
                help="print a table with a row for these settings, as lend=no,large_segment=4MiB; may be given more "
                "than once, and alone compares the usual ones",
            )  # fmt: skip
            subcommand.add_argument("--json", action="store_true", help="print the figures as JSON")
            subcommand.add_argument(
                "-o", "--output", metavar="PAGE", help="also draw live and reserved bytes as an HTML page"
            )
