"""`python -m facula profile`: runs a program in a profile, and writes the trace when the interpreter ends.

The program has then returned, raised an exception or called `sys.exit`, its threads have ended except for daemons, and
its functions for the end (`atexit`) have run. A signal without a handler and `os._exit` end the interpreter at once:
they leave the records, which `python -m facula_profiler` reads.
"""

from __future__ import annotations

import argparse
import atexit
import os
import sys
import threading
from contextlib import ExitStack, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from weakref import ref

from facula_errors.extend import warn

if TYPE_CHECKING:
    from collections.abc import Callable

DESCRIPTION = """\
Run a program unchanged and record its work: operators with their times, threads, loader workers, devices, memory.
A program that imports torch runs with facula in its place. The trace is written when the program ends, also by an
exception, sys.exit or Ctrl-C; the exit status is the program's own. A program that is killed, or calls os._exit, leaves
records: `python -m facula_profiler show FOLDER/records.bin` and `render` read them.

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
        SystemExit: the folder cannot be written to, or does not have room for the events; the program did not run.
    """
    folder = os.path.abspath(given.output)  # the program may change the current folder
    for name in OBSERVED:
        if find_spec(name) is not None:
            import_module(f"{name}.extend")
    # Imports while Python ends would change the exit status after Ctrl-C, so the outputs are loaded here, too.
    from facula_optim.extend import observe_optimizers
    from facula_profiler import ProfilerAction, Summary, export_html, profile, schedule
    from facula_profiler.extend import give_way

    def record_later(step: int) -> Any:
        return ProfilerAction.RECORD if step >= given.wait else ProfilerAction.NONE

    running = ExitStack()
    try:
        os.makedirs(folder, exist_ok=True)
        made = profile(
            schedule=schedule(wait=given.wait, warmup=0, active=given.active, repeat=1)
            if given.active
            else record_later,
            record_shapes=given.shapes, with_flops=given.shapes, with_stack=given.stacks, profile_memory=given.memory,
            with_modules=given.modules, capacity=max(1, given.events), path=os.path.join(folder, RECORDS),
        )  # fmt: skip
        give_way(made)
        running.enter_context(made)
    except (OSError, ValueError) as error:
        sys.exit(f"{_problem(error)}; choose another folder by --output, or fewer events by --events")
    process, steps = os.getpid(), _Steps(made)
    running.callback(steps.close)
    running.enter_context(observe_optimizers(steps))

    def end() -> None:
        if os.getpid() == process:  # forked children end here, too: the files belong to their parent
            running.close()
            _report(_write(made, folder, Summary, export_html))

    atexit.register(end)  # before those of the program, so it runs after them
    run()


class _Steps:
    """Ends a step of the profile with each step of the first optimizer that is used."""

    def __init__(self, made: Any) -> None:
        self._profile, self._process = made, os.getpid()
        self._first: Callable[[], object] | None = None
        self._lock = threading.RLock()  # threads may end steps while the profile stops
        self._closed = False

    def close(self) -> None:
        """Ignore further steps."""
        with self._lock:
            self._closed = True

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
        if self._first is None or self._first() is not optimizer or os.getpid() != self._process:
            return
        with self._lock:
            if not self._closed:
                try:
                    self._profile.step()
                except OSError as error:  # after --wait there is no room for the events
                    self._closed = True
                    warn(f"{_problem(error)}; no further steps are recorded")


def _write(made: Any, folder: str, summarize: Callable[[Any], object], export_html: Callable[[Any, str], None]) -> str:
    """Write the files, and return the summary, or the reason why there are none."""
    records = os.path.join(folder, RECORDS)
    try:
        os.makedirs(folder, exist_ok=True)  # the program may have removed it
        try:
            trace = made.trace
        except RuntimeError:
            return "profile: the program ended before a step was recorded; see --wait"
        trace.save(os.path.join(folder, "trace.npz"))
        made.export_chrome_trace(os.path.join(folder, "trace.json"))
        export_html(trace, os.path.join(folder, "page.html"))
    except OSError as error:
        return f"{_problem(error)}\n`python -m facula_profiler show {records}` reads what was recorded"
    for name in (records, f"{records}.names"):  # the trace contains them
        with suppress(OSError):
            os.remove(name)
    with suppress(FileNotFoundError):  # the program removed its current folder
        folder = os.path.relpath(folder)
    return f"{summarize(trace)}\n\nwrote trace.npz, trace.json and page.html to {folder}"


def _report(text: str) -> None:
    """Print a text to standard error, unless it is closed or its reader has gone."""
    with suppress(OSError, ValueError):
        if sys.stdout is not None:
            sys.stdout.flush()
    with suppress(OSError, ValueError):
        if sys.stderr is not None:
            print(text, file=sys.stderr, flush=True)


def _problem(error: Exception) -> str:
    """Return what is wrong with files, without the number of the error."""
    text = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) else str(error)
    return text if text.startswith("profile: ") else f"profile: {text}"


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"expected a count of at least 0; got {text!r:.60}")
    return int(text)
