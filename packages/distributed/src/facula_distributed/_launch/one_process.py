"""All ranks in one process, in turns, for debuggers. Note [Turns] in _turns.py."""

from __future__ import annotations

import os
import random
import socket
import sys
import traceback
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any

from facula_tensor.extend import default_states, restore_default_states

from .._turns import Turns, lists_of_ranks, set_turns, turns
from .output import say
from .rank import lines_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

_VARIABLES = ("RANK", "LOCAL_RANK")


class _State:
    """The state of one rank: lists of groups, variables, random numbers, arguments, and the main module."""

    def __init__(self) -> None:
        self.lists = [list(one) for one in lists_of_ranks]
        self.variables = {name: os.environ[name] for name in _VARIABLES}
        self.generators, self.python_random = default_states(), random.getstate()
        numpy = sys.modules.get("numpy")
        self.numpy_random: Any = None if numpy is None else numpy.random.get_state()
        self.arguments, self.path, self.main = sys.argv, list(sys.path), sys.modules.get("__main__")

    def restore(self) -> None:
        for one, values in zip(lists_of_ranks, self.lists, strict=False):
            one[:] = values
        os.environ.update(self.variables)
        restore_default_states(self.generators)
        random.setstate(self.python_random)
        if self.numpy_random is not None:
            sys.modules["numpy"].random.set_state(self.numpy_random)
        sys.argv, sys.path[:] = self.arguments, self.path
        if self.main is not None:
            sys.modules["__main__"] = self.main


class _Prefixed:
    """A stream that begins each line with the rank that writes it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream, self._at_start = stream, True

    def write(self, text: str) -> int:
        now = turns()
        for line in text.splitlines(keepends=True):
            if self._at_start and now is not None:
                self._stream.write(f"[rank {now.rank}] ")
            self._stream.write(line)
            self._at_start = line.endswith("\n")
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def run_in_turns(size: int, program: Callable[[], object]) -> int:
    """Run a program on several ranks, which are threads of this process; return the exit code.

    Each rank runs until it waits for others. Imported modules, and values that the program stores in them, are those of
    all ranks. The first error ends the run.

    Arguments:
        size: the number of ranks.
        program: the program.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    before = dict(os.environ)
    os.environ |= {
        "WORLD_SIZE": str(size), "LOCAL_WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        "RANK": "0", "LOCAL_RANK": "0",
    }  # fmt: skip
    taking = Turns(size, _State, lambda state: state.restore())  # type: ignore[attr-defined]
    at_first, results = _State(), SimpleQueue[int | None]()

    def run(rank: int) -> None:
        taking.begin(rank)
        at_first.restore()
        os.environ |= dict.fromkeys(_VARIABLES, str(rank))
        code = _code_of(program)
        if code:
            say(f"rank {rank} failed, so the run ends")
            results.put(code)  # the other ranks never run again
            return
        taking.end()
        results.put(None)

    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Prefixed(streams[0]), _Prefixed(streams[1])  # type: ignore[assignment]
    set_turns(taking)
    try:
        for rank in range(size):
            Thread(target=run, args=(rank,), daemon=True, name=f"rank {rank}").start()
        taking.start()
        return next((code for code in (results.get() for _ in range(size)) if code), 0)
    finally:
        set_turns(None)
        at_first.restore()
        os.environ.clear()
        os.environ |= before
        sys.stdout, sys.stderr = streams


def _code_of(program: Callable[[], object]) -> int:
    """Run a program; return its exit code."""
    try:
        program()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        lines = list(lines_of(error))
        traceback.print_exception(error.with_traceback(lines[0] if lines else None))
        return 1
    return 0
