"""The launcher: it starts ranks, prints their output, and ends all when one fails or is late for too long."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._board.slots import STATE_VARIABLE, Slots
from .attempt import Attempt, Plan
from .output import say

if TYPE_CHECKING:
    from collections.abc import Mapping


class Launcher:
    """A run of a program on several ranks of this machine, with restarts.

    A rank that fails ends all ranks. They are started again up to `max_restarts` times; each time that they got further
    than before, as the state that they keep tells, the count begins again.

    Arguments:
        plan: what to start.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._slots = Slots.create(plan.nproc) if plan.max_restarts else None
        self._attempt: Attempt | None = None
        self._signal: int | None = None
        if plan.log_dir is not None:
            Path(plan.log_dir).mkdir(parents=True, exist_ok=True)

    def run(self) -> int:
        """Run until the end, and return the exit code: 0, or that of the rank that failed last."""
        former = {number: signal.signal(number, self._note_signal) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            return self._run()
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
            if self._slots is not None:
                self._slots.close()

    def _note_signal(self, number: int, frame: Any) -> None:
        self._signal = number
        if self._attempt is not None:
            self._attempt.interrupt(number)

    def _run(self) -> int:
        step, number, failures = None, 0, 0
        while True:
            fds = [] if self._slots is None else [self._slots.fd]
            self._attempt = Attempt(self._plan, self._variables(step), fds, number)
            if self._signal is not None:  # it came while they were started
                self._attempt.interrupt(self._signal)
            code = self._attempt.run()
            self._attempt = None
            if not code or self._slots is None or self._signal is not None:
                return code
            former, step = step, self._slots.keep_common_step()
            failures = 1 if step != former else failures + 1
            if failures > self._plan.max_restarts:
                say(f"the run ends: it failed {failures} times without progress; --max-restarts sets the limit")
                return code
            number += 1
            where = "from the beginning" if step is None else f"after step {step}, whose state they kept"
            say(f"restart {number}: all ranks go on {where}")

    def _variables(self, step: int | None) -> Mapping[str, str]:
        return {} if self._slots is None else {STATE_VARIABLE: self._slots.described(step)}
