"""The launcher: it starts ranks, prints their output, and ends all when one fails or is late for too long."""

from __future__ import annotations

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from facula_errors import OperationError

from .._board.slots import STATE_VARIABLE, Slots
from .alone import Alone, InterruptError
from .attempt import Attempt, Plan
from .machines import Machines
from .output import say, set_node

if TYPE_CHECKING:
    from collections.abc import Mapping


KEPT_VARIABLE = "FACULA_KEPT_STATE"  # a descriptor of memory that outlives this launcher
RESTARTS_VARIABLE = "FACULA_RESTARTS"  # how often other launchers have started the ranks before


class Launcher:
    """A run of a program on several ranks of this machine, and perhaps of others, with restarts.

    A rank that fails ends all ranks. They are started again up to `max_restarts` times; each time that they got further
    than before, as the state that they keep tells, the count begins again.

    Arguments:
        plan: what to start.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        nnodes = 1 if plan.place is None else plan.place.nnodes
        kept = os.environ.pop(KEPT_VARIABLE, None)
        self._restarts = int(os.environ.pop(RESTARTS_VARIABLE, "0"))
        self._slots: Slots | None = None
        if plan.max_restarts:
            self._slots = Slots.create(nnodes * plan.nproc, None if kept is None else int(kept))
            os.set_inheritable(self._slots.fd, False)
        self._machines: Alone = Alone() if plan.place is None else Machines(plan.place, plan.nproc, _about(plan))
        self._attempt: Attempt | None = None
        self._signal: int | None = None

    def run(self) -> int:
        """Run until the end, and return the exit code: 0, or that of the rank that failed last."""
        former = {number: signal.signal(number, self._note_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            if self._plan.log_dir is not None:
                _make_folder(self._plan.log_dir)
            self._machines.join()
            return self._run()
        except InterruptError:
            return 128 + (self._machines.signal or 0)
        except OperationError as error:
            say(str(error).removeprefix("facula run: "))
            return 1
        finally:
            self._machines.close()
            for number, handler in former.items():
                signal.signal(number, handler)
            if self._slots is not None:
                self._slots.close()

    def _note_signal(self, number: int, frame: Any) -> None:
        self._signal = number
        self._machines.interrupt(number)
        if self._attempt is not None:
            self._attempt.interrupt(number)

    def _run(self) -> int:
        step, number, failures = None, self._restarts, 0
        machines, nproc = self._machines, self._plan.nproc
        own = range(machines.node * nproc, (machines.node + 1) * nproc)
        if number and self._slots is not None:
            step = self._common_step(own, "steps kept by former launchers")
            say(_restarted(number, step))
        while True:
            fds = [] if self._slots is None else [self._slots.fd]
            self._attempt = Attempt(self._plan, self._variables(step), fds, number, machines)
            if self._signal is not None:  # it came while they were started
                self._attempt.interrupt(self._signal)
            code = self._attempt.run()
            self._attempt = None
            if not code or self._slots is None or self._signal is not None or machines.is_broken or machines.signal:
                return code
            former, step = step, self._common_step(own, f"steps of attempt {number}")
            failures = 1 if step != former else failures + 1
            if failures > self._plan.max_restarts:
                say(f"the run ends: it failed {failures} times without progress; --max-restarts sets the limit")
                return code
            number += 1
            say(_restarted(number, step))

    def _common_step(self, own: range, name: str) -> int | None:
        """Return the last step that all ranks of all machines have kept, and make slots of other steps invalid."""
        assert self._slots is not None
        found = self._machines.gather(name, self._slots.common_steps(own))
        step = max(set.intersection(*map(set, found)), default=None)
        self._slots.keep(step)
        return step

    def _variables(self, step: int | None) -> Mapping[str, str]:
        return {} if self._slots is None else {STATE_VARIABLE: self._slots.described(step)}


def _restarted(number: int, step: int | None) -> str:
    where = "from the beginning" if step is None else f"after step {step}, whose state they kept"
    return f"restart {number}: all ranks go on {where}"


def _make_folder(path: str) -> None:
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OperationError(
            f"facula run: expected --log-dir to be a folder for files; got {path!r} ({error})"
        ) from None


def _about(plan: Plan) -> dict[str, Any]:
    """Return what all machines must have in common, and an error of this one."""
    assert plan.place is not None
    set_node(plan.place.node)
    error = ""
    if find_spec("mpi4py") is None:
        error = "expected mpi4py, for several machines; it is missing; pip install mpi4py mpich"
    return {
        "version": sys.modules["facula_distributed"].__version__,
        "facula": getattr(sys.modules.get("facula"), "__version__", ""),
        "nnodes": plan.place.nnodes, "nproc": plan.nproc, "max_restarts": plan.max_restarts, "error": error,
    }  # fmt: skip
