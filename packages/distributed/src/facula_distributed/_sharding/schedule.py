"""The order in which the units of a model are used, and what happens in the background."""

from __future__ import annotations

from typing import TYPE_CHECKING

from facula_tensor.extend import after_backward

from .._errors import DistError
from .._parallel.failures import fail_pass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .gradients import Reduction
    from .unit import Unit


class Schedule:
    """The units of a model, whose outermost module is called by the program.

    Arguments:
        units: the units, the outermost one first.
    """

    def __init__(self, units: Sequence[Unit]) -> None:
        self.units = list(units)
        for unit in units:
            unit.schedule = self
        self._order: list[Unit] = []  # of the last forward pass
        self._present: list[Unit] = []  # of this one, so far
        self._is_in_pass = False
        self._reductions: list[Reduction] = []

    def is_root(self, unit: Unit) -> bool:
        """Return whether a unit is the outermost one."""
        return unit is self.units[0]

    # --------------------------------------------------------------------------------------------- in the background
    def prefetch_forward(self, unit: Unit) -> None:
        """Gather the unit that the last forward pass used after this one."""
        if self.is_root(unit):
            self._present = []
        place = len(self._present)
        self._present.append(unit)
        following = unit.next_in_forward
        if following is None:
            following = self._order[place + 1 : place + 2] if self._order[place : place + 1] == [unit] else []
        for other in following:
            if not other.is_whole:
                other.begin_gathering()

    def left_forward(self, unit: Unit) -> None:
        """Keep the order of a forward pass that has ended; free what was gathered and not used."""
        if self.is_root(unit):
            self._order = self._present
            for other in self.units:
                if other._work is not None:
                    other.free()

    def prefetch_backward(self, unit: Unit) -> None:
        """Gather the unit that the last forward pass used before this one."""
        following = unit.next_in_backward
        if following is None:
            place = self._order.index(unit) if unit in self._order else 0
            following = self._order[max(place - 1, 0) : place]
        for other in following:
            if not other.is_whole and other.gathers_in_backward:
                other.begin_gathering()

    # ------------------------------------------------------------------------------------------------ backward passes
    def enter_pass(self) -> None:
        """Note that a backward pass runs."""
        if not self._is_in_pass:
            self._is_in_pass = True
            after_backward(self._end)

    def add_reductions(self, reductions: Sequence[Reduction]) -> None:
        """Note reductions in the background."""
        self._reductions += reductions

    def finish_reductions(self, keeps: int = 0) -> None:
        """Wait for reductions, except the last `keeps`, and add their results to the gradients."""
        while len(self._reductions) > keeps:
            self._reductions.pop(0).finish()

    def _end(self, error: BaseException | None) -> None:
        self._is_in_pass = False
        try:
            if error is None:
                for unit in self.units:
                    unit.reduce()
                self.finish_reductions()
                for unit in self.units:
                    unit.end_pass()
            else:
                self._fail(error)
        except DistError:  # also on other ranks
            raise
        except BaseException as own:
            self._fail(own)
            raise

    def _fail(self, error: BaseException) -> None:
        self._reductions.clear()
        fail_pass(self.units[0].group, error)
