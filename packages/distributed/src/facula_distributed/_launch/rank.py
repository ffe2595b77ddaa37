"""A rank that the launcher started: its failure is written to the board, and it ends with the launcher."""

from __future__ import annotations

import os
import sys
import traceback
from typing import TYPE_CHECKING

from facula_errors import OperationError
from facula_errors.extend import in_library

from .._board.board import Board
from .._board.world import launched, stacks_of_this_process
from .._errors import RankError
from .._shm import lib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

LIFE_VARIABLE = "FACULA_LAUNCHER_LIFE"  # "5:6": a pipe that the launcher never writes to, and its stderr


def run_rank(program: Callable[[], object]) -> None:
    """Run a program in a process that a launcher started.

    An exception makes the other ranks raise RankError. A RankError itself is printed without its traceback, because it
    is the other rank's that matters.

    Arguments:
        program: the program.
    """
    started = launched()
    if started is None:
        program()
        return
    rank = int(os.environ["RANK"])
    board = Board(started.fd, started.world)
    place = board.place(rank)
    place.pid, place.stacks = os.getpid(), stacks_of_this_process().fileno()
    _end_with_launcher(rank)
    try:
        program()
    except SystemExit:
        raise
    except RankError as error:
        board.fail(error.rank, str(error).split(": ", 1)[-1])  # each rank puts its operation before it
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        sys.exit(1)
    except BaseException as error:
        lines = list(lines_of(error))
        line = f"{lines[-1].tb_frame.f_code.co_filename}:{lines[-1].tb_lineno}" if lines else "an unknown line"
        text = f"{type(error).__name__}: {error}"
        board.fail(rank, f"rank {rank} failed at {line.removeprefix(os.getcwd() + os.sep)}: {text}")
        traceback.print_exception(error.with_traceback(lines[0] if lines else None))
        sys.exit(1)


def lines_of(error: BaseException) -> Iterator[TracebackType]:
    """Yield the program's own entries of an error's traceback, outermost first."""
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith("<") and not name.endswith(f"{os.sep}__main__.py") and not in_library(trace.tb_frame):
            yield trace
        trace = trace.tb_next


def _end_with_launcher(rank: int) -> None:
    """End this process when the launcher ends. Note [The end of the launcher] in csrc/life.c."""
    life, _, output = os.environ.get(LIFE_VARIABLE, "").partition(":")
    if not output:
        return
    for fd in (int(life), int(output)):
        os.set_inheritable(fd, False)
    line = b"[facula run] rank %d: the launcher has ended; this process ends\n" % rank
    error = lib.end_with(int(life), int(output), line)
    if error:
        raise OperationError(f"facula run: expected to start a thread; got: {os.strerror(error)}; run fewer processes")
