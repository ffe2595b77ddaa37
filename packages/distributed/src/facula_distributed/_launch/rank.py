"""A rank that the launcher started: its failure is written to the board, and it ends with the launcher."""

from __future__ import annotations

import os
import sys
import traceback
from threading import Thread
from typing import TYPE_CHECKING

from facula_errors.extend import in_library

from .._board.board import Board
from .._board.world import launched, stacks_of_this_process
from .._errors import RankError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

LIFE_VARIABLE = "FACULA_LAUNCHER_LIFE"  # the descriptor of a pipe that the launcher never writes to


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
        board.fail(error.rank, str(error))
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
    text = os.environ.get(LIFE_VARIABLE)
    if text is None:
        return

    def wait() -> None:
        try:
            os.read(int(text), 1)
            os.write(2, b"rank %d: the launcher has ended, so this process ends\n" % rank)
        finally:
            os._exit(1)

    Thread(target=wait, daemon=True, name="facula: end with the launcher").start()
