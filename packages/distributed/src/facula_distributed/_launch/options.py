"""Options of the launcher, for the command lines that have it."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING

from facula_errors import MissingPackageError, OperationError

from .._errors import DistNetworkError
from .attempt import Plan
from .one_process import run_in_turns
from .output import say
from .places import find_place
from .run import Launcher
from .watch import WARN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TIMEOUT = 1800.0
_JOIN_TIMEOUT = 300.0
_LOST_AFTER = 10.0


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


class _OfLauncher(argparse.Action):
    """Set an option that needs a launcher, also for one process."""

    def __call__(
        self, parser: object, namespace: argparse.Namespace, values: object, option: str | None = None
    ) -> None:
        setattr(namespace, self.dest, True if self.nargs == 0 else values)
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
        "--max-restarts", type=_count, default=0, metavar="K", action=_OfLauncher,
        help="if a process fails, start all again, from the state that they kept with resumable(); end the run after K "
        "restarts without progress",
    )  # fmt: skip
    nodes = parser.add_argument_group(
        "several machines", "The same command starts on each machine. Under srun, --nproc is enough."
    )
    nodes.add_argument(
        "--nnodes", type=lambda text: int(_positive(int, text)), metavar="N", action=_OfLauncher,
        help="run on N machines",
    )  # fmt: skip
    nodes.add_argument(
        "--ray", nargs=0, default=False, action=_OfLauncher,
        help="run on N machines of a Ray cluster, started once for all; replace lost ones, with --max-restarts",
    )  # fmt: skip
    nodes.add_argument("--node-rank", type=_count, metavar="I", help="the number of this machine, from 0")
    nodes.add_argument(
        "--master", metavar="HOST:PORT", help="the name or address of machine 0, and a port of it that is free"
    )
    nodes.add_argument(
        "--token", metavar="TEXT",
        help="a secret of this run, equal on all machines; better set FACULA_JOB_TOKEN, which other users do not see",
    )  # fmt: skip
    for name, default, what in (
        ("--join-timeout", _JOIN_TIMEOUT, "wait so long for the other machines at the start"),
        ("--lost-after", _LOST_AFTER, "end a run if the launcher of a machine does not answer for so long"),
    ):
        nodes.add_argument(
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
    if given.one_process and given.max_restarts:
        say("expected --one-process or --max-restarts; got both; threads of one process are not restarted")
        return 2
    if given.ray:
        return _launch_on_ray(given)
    try:
        place = find_place(given, os.environ)
    except OperationError as error:
        say(str(error).removeprefix("facula run: "))
        return 2
    if given.one_process and place is not None:
        say("expected --one-process or several machines; got both; threads of one process run on one machine")
        return 2
    if given.one_process:
        return run_in_turns(int(given.nproc), program)
    plan = Plan(command, given.nproc, given.timeout, given.warn_after, given.log_dir, given.max_restarts, place)
    return Launcher(plan).run()


def _launch_on_ray(given: argparse.Namespace) -> int:
    for name in ("one_process", "node_rank", "master"):
        if getattr(given, name) not in (None, False):
            say(f"expected --ray or --{name.replace('_', '-')}; got both; Ray chooses the machines; leave it out")
            return 2
    from .ray_run import RayRun

    try:
        run = RayRun(given, sys.orig_argv[1:])
    except (MissingPackageError, DistNetworkError) as error:
        say(str(error).removeprefix("facula run: "))
        return 2
    return run.run()
