"""Options of the launcher, for the command lines that have it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .attempt import Plan
from .one_process import run_in_turns
from .output import say
from .run import Launcher
from .watch import WARN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TIMEOUT = 1800.0


def _positive(kind: type[int] | type[float], text: str) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = kind(0)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0; got {text!r}")
    return value


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 on; got {text!r}")
    return int(text)


class _Restarts(argparse.Action):
    """Set the number of restarts; there is a launcher, also for one process."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        namespace.max_restarts = values
        if namespace.nproc is None:
            namespace.nproc = 1


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
        ("--timeout", _TIMEOUT, "end a run if a process is late by so much"),
        ("--warn-after", WARN_SECONDS, "report a process that is late by so much"),
    ):
        group.add_argument(
            name, default=default, type=lambda text: _positive(float, text), metavar="SECONDS", help=what
        )
    group.add_argument(
        "--max-restarts", type=_count, default=0, metavar="K", action=_Restarts,
        help="if a process fails, start all again, from the state that they kept with resumable(); end the run after K "
        "restarts without progress",
    )  # fmt: skip
    group.add_argument("--log-dir", metavar="FOLDER", help="also write the output of each process to a file")


def launch(given: argparse.Namespace, command: Sequence[str], program: Callable[[], object]) -> int:
    """Run a program on several ranks with parsed options; return the exit code.

    Arguments:
        given: the options.
        command: the command line of each rank.
        program: the same program as a function, for `--one-process`.
    """
    if given.one_process and given.max_restarts:
        say("expected --one-process or --max-restarts; got both; threads of one process are not restarted")
        return 2
    if given.one_process:
        return run_in_turns(int(given.nproc), program)
    plan = Plan(command, given.nproc, given.timeout, given.warn_after, given.log_dir, given.max_restarts)
    return Launcher(plan).run()
