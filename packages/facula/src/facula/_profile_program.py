"""`python -m facula profile`: runs a program in a profile, and writes the trace however the program ends."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_errors import DirectoryError, InvalidValueError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

DESCRIPTION = """\
Run a program unchanged and record its work: operators with their times, threads, loader workers, devices, memory.
A program that imports torch runs with facula in its place. The trace is written when the program ends, also by an
exception, sys.exit or Ctrl-C; the exit status is the program's own.

The folder then contains trace.npz (for `python -m facula_profiler show` and `compare`), trace.json (for
https://ui.perfetto.dev) and page.html (for any browser). A summary is printed to standard error."""
#: Packages with sources of events. They are imported before the program, so that the profile observes them.
OBSERVED = ("facula_data", "facula_optim", "facula_nn", "facula_jit", "facula_cuda")
#: The newest records are in this file while the program runs, also after it was killed.
RECORDS = "records.bin"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--output", metavar="FOLDER", default="facula-profile", help="default: facula-profile")
    parser.add_argument("--shapes", action="store_true", help="record the shapes of operands, and count FLOP")
    parser.add_argument("--stacks", action="store_true", help="record the lines that call operators")
    parser.add_argument("--memory", action="store_true", help="record allocations and what memory contains")
    parser.add_argument("--modules", action="store_true", help="record the calls of modules, with their paths")
    steps = parser.add_argument_group(
        "steps", "A step ends with each step() of the first optimizer that is used. By default all steps are recorded."
    )
    steps.add_argument("--wait", metavar="N", type=_count, default=0, help="run N steps without recording")
    steps.add_argument("--active", metavar="N", type=_count, default=0, help="record N steps; 0: until the end")
    parser.add_argument(
        "--events", metavar="N", type=_count, default=1 << 20, help="keep the newest N events; default: 1048576"
    )


def profile_program(given: argparse.Namespace, run: Callable[[], None]) -> None:
    """Run a program in a profile, and write what was recorded.

    Arguments:
        given: the options of `add_arguments`.
        run: runs the program.

    Raises:
        OSError: the folder cannot be written to, before the program runs.
    """
    folder = os.path.abspath(given.output)  # the program may change the current folder
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        problem = f"profile: {error.strerror}; choose another folder by --output"
        raise DirectoryError(error.errno, problem, folder) from None
    for name in OBSERVED:
        if find_spec(name) is not None:
            import_module(f"{name}.extend")
    from facula_optim.extend import observe_optimizers
    from facula_profiler import ProfilerAction, profile, schedule
    from facula_profiler.extend import give_way

    def record_later(step: int) -> Any:
        return ProfilerAction.RECORD if step >= given.wait else ProfilerAction.NONE

    records = os.path.join(folder, RECORDS)
    made = profile(
        schedule=schedule(wait=given.wait, warmup=0, active=given.active, repeat=1)
        if given.active
        else record_later,
        record_shapes=given.shapes, with_flops=given.shapes, with_stack=given.stacks, profile_memory=given.memory,
        with_modules=given.modules, capacity=max(1, given.events), path=records,
    )  # fmt: skip
    give_way(made)
    process = os.getpid()
    try:
        with observe_optimizers(_Steps(made)), made:
            run()
    finally:
        if os.getpid() == process:  # forked children end here, too: the files belong to their parent
            summary = _write(made, folder)
            for name in os.listdir(folder):
                if name.startswith(RECORDS):  # the trace contains them
                    os.remove(os.path.join(folder, name))
            with suppress(BrokenPipeError):  # the reader has gone
                sys.stdout.flush()
                print(summary, file=sys.stderr, flush=True)


class _Steps:
    """Ends a step of the profile with each step of the first optimizer that is used."""

    def __init__(self, made: Any) -> None:
        self._profile, self._process = made, os.getpid()
        self._first: Callable[[], object] | None = None

    def begin(self, optimizer: object, method: str) -> None:
        """Note the first optimizer."""
        if self._first is None and method == "step":
            self._first = ref(optimizer)

    def end(self, optimizer: object, method: str) -> None:
        """End a step."""
        if method == "step":
            self.replayed(optimizer)

    def replayed(self, optimizer: object) -> None:
        """End a step of a captured function, or any other. Steps of forked children are not recorded."""
        if self._first is not None and self._first() is optimizer and os.getpid() == self._process:
            self._profile.step()


def _write(made: Any, folder: str) -> str:
    """Write the files, and return the summary."""
    from facula_profiler import Summary, export_html

    try:
        trace = made.trace
    except RuntimeError:
        return "profile: the program ended before a step was recorded; see --wait"
    trace.save(os.path.join(folder, "trace.npz"))
    made.export_chrome_trace(os.path.join(folder, "trace.json"))
    export_html(trace, os.path.join(folder, "page.html"))
    with suppress(FileNotFoundError):  # the program removed its current folder
        folder = os.path.relpath(folder)
    return f"{Summary(trace)}\n\nwrote trace.npz, trace.json and page.html to {folder}"


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise InvalidValueError(f"profile: expected a count of at least 0; got {number}")  # argparse names the option
    return number
