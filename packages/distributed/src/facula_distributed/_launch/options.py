"""Options of the launcher, for the command lines that have it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .one_process import run_in_turns
from .run import TIMEOUT, Launcher
from .watch import WARN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _positive(kind: type[int] | type[float], text: str) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = kind(0)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0; got {text!r}")
    return value


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the launcher's options to a command line."""
    group = parser.add_argument_group("several processes")
    group.add_argument(
        "--nproc", type=lambda text: int(_positive(int, text)), metavar="N", help="start N processes on this machine"
    )
    group.add_argument(
        "--one-process", action="store_true", help="run them as threads of one process, in turns, for a debugger"
    )
    for name, default, what in (
        ("--timeout", TIMEOUT, "end a run if a process is late by so much"),
        ("--warn-after", WARN_SECONDS, "report a process that is late by so much"),
    ):
        group.add_argument(
            name, default=default, type=lambda text: _positive(float, text), metavar="SECONDS", help=what
        )
    group.add_argument("--log-dir", metavar="FOLDER", help="also write the output of each process to a file")


def launch(given: argparse.Namespace, command: Sequence[str], program: Callable[[], object]) -> int:
    """Run a program on several ranks with parsed options; return the exit code.

    Arguments:
        given: the options.
        command: the command line of each rank.
        program: the same program as a function, for `--one-process`.
    """
    if given.one_process:
        return run_in_turns(int(given.nproc), program)
    return Launcher(command, given.nproc, given.timeout, given.warn_after, given.log_dir).run()
