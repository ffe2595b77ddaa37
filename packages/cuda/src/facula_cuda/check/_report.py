"""What a step finds: checks that hold or fail, and figures."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple


class Report:
    """The results of one step.

    Arguments:
        simulated: whether the devices are simulated: times then mean nothing.
        small: whether the step does less, as on simulated devices and below compute-sanitizer.
        seconds: the time after which the step should not begin more work.
        write: called with each result as a line of JSON, so that it is not lost with the process.
    """

    def __init__(
        self, simulated: bool, small: bool = False, seconds: float = 60, write: Callable[[str], object] | None = None
    ):
        self.simulated, self.small = simulated, small or simulated
        self.checks: list[dict[str, Any]] = []
        self.figures: dict[str, Any] = {}
        self._end, self._write = time.monotonic() + seconds, write

    def check(self, name: str, holds: bool, detail: object = "") -> None:
        """Record a check.

        Arguments:
            name: what is checked, as a sentence that is true if the check holds.
            holds: whether it holds.
            detail: what was found, for a failure.
        """
        self.add({"check": name, "holds": bool(holds), "detail": "" if holds else str(detail)[:2000]})

    def figure(self, name: str, value: object) -> None:
        """Record a figure. Its name ends with the unit."""
        self.add({"figure": name, "value": round(value, 4) if isinstance(value, float) else value})

    def add(self, result: dict[str, Any]) -> None:
        """Record a check or a figure."""
        if "check" in result:
            self.checks.append(result)
        else:
            self.figures[result["figure"]] = result["value"]
        if self._write is not None:
            self._write(json.dumps(result, default=str))

    def is_late(self) -> bool:
        """Return whether the step should end; what it leaves out, it should record as a figure."""
        return time.monotonic() > self._end

    def as_dict(self) -> dict[str, Any]:
        """Return the results for JSON."""
        return {"checks": self.checks, "figures": self.figures}


class Step(NamedTuple):
    """A step: its function, the seconds that it may take, and the packages that it needs."""

    run: Callable[[Report], None]
    seconds: float
    needs: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the function's documentation."""
        return (self.run.__doc__ or "").partition("\n")[0]


STEPS: dict[str, Step] = {}


def step(seconds: float, *needs: str) -> Callable[[Callable[[Report], None]], Callable[[Report], None]]:
    """Decorate the function of a step; steps run in the order of their definitions.

    Arguments:
        seconds: the time limit.
        needs: modules without which the step is left out.
    """

    def add(function: Callable[[Report], None]) -> Callable[[Report], None]:
        STEPS[function.__name__] = Step(function, seconds, needs)
        return function

    return add
