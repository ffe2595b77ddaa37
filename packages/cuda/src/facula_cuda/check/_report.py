"""What a step finds: checks that hold or fail, and figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Report:
    """The results of one step.

    Arguments:
        simulated: whether the devices are simulated: steps then do less, and times mean nothing.
    """

    def __init__(self, simulated: bool):
        self.simulated = simulated
        self.checks: list[dict[str, Any]] = []
        self.figures: dict[str, Any] = {}

    def check(self, name: str, holds: bool, detail: object = "") -> None:
        """Record a check.

        Arguments:
            name: what is checked, as a sentence that is true if the check holds.
            holds: whether it holds.
            detail: what was found, for a failure.
        """
        self.checks.append({"check": name, "holds": bool(holds), "detail": "" if holds else str(detail)[:2000]})

    def figure(self, name: str, value: object) -> None:
        """Record a figure. Its name ends with the unit."""
        self.figures[name] = round(value, 4) if isinstance(value, float) else value

    def as_dict(self) -> dict[str, Any]:
        """Return the results for JSON."""
        return {"checks": self.checks, "figures": self.figures}


class Step(NamedTuple):
    """A step: its function, the seconds that it may take, and the packages that it needs."""

    run: Callable[[Report], None]
    seconds: float
    needs: tuple[str, ...] = ()


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
