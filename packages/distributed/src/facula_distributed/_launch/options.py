"""Options of the launcher, for the command lines that have it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .run import TIMEOUT, Launcher
from .watch import WARN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    for name, default, what in (
        ("--timeout", TIMEOUT, "end a run if a process is late by so much"),
        ("--warn-after", WARN_SECONDS, "report a process that is late by so much"),
    ):
        group.add_argument(
            name, default=default, type=lambda text: _positive(float, text), metavar="SECONDS", help=what
        )
    group.add_argument("--log-dir", metavar="FOLDER", help="also write the output of each process to a file")


def launch(given: argparse.Namespace, command: Sequence[str]) -> int:
    """Run a command on several ranks with parsed options; return the exit code."""
    return Launcher(command, given.nproc, given.timeout, given.warn_after, given.log_dir).run()
