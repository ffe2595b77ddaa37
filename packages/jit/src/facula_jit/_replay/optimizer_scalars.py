"""Numbers of optimizers' steps, which change from replay to replay: learning rates, betas, decays.

A replay compares each group's options with what they were. Where one was changed, the part of the step
that reads them is done again with nothing launched, and says the numbers that its operators would take.
"""

from __future__ import annotations

from itertools import repeat
from threading import get_ident
from typing import TYPE_CHECKING, cast

from facula_autograd.extend import replace_mode
from facula_errors.extend import exhaust
from facula_storage.extend import ANY, CheckKind, collecting, recorders

from .._recording.records import made_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence as Many

    from facula_storage.extend import Recorder, Sequence

    from .._guards.guards import Check
    from .._recording.records import Numbers


class ScalarUpdate:
    """One group of one optimizer, and the launches that take its numbers."""

    def __init__(self, numbers: Numbers):
        self.numbers = numbers
        self.options = dict(numbers.options)
        self.found: list[Many[float]] | None = None  # the numbers, where they are not those that were recorded

    def check(self) -> Check:
        """A check of all options of the group; its parameters have checks of their own."""
        values = [(name, ANY if name == "params" else value) for name, value in self.options.items()]
        return CheckKind.ENTRIES, self.numbers.group, None, tuple([part for pair in values for part in pair])

    def renew(self, found: list[Many[float]]) -> None:
        """Take these as the numbers that follow from the present options."""
        self.found = found
        self.options = dict(self.numbers.group)

    def put(self, sequence: Sequence, step_of: dict[int, int]) -> None:
        """Put the numbers into the launches.

        Arguments:
            sequence: the launches.
            step_of: where in it each launch is.
        """
        for numbers, launches in zip(self.found or (), self.numbers.launches, strict=False):
            for launch in launches:
                for place, number in enumerate(numbers):
                    sequence.set(step_of[launch], 1 + place, number)

    def present_numbers(self) -> list[Many[float]] | None:
        """The numbers of each operator that the step would call; None where it would do anything else."""
        thread, dry = get_ident(), ScalarRecorder()
        leaves = list(self.numbers.group["params"])
        back = map(setattr, leaves, repeat("_grad"), [leaf._grad for leaf in leaves])
        collecting[dry] = None
        try:
            for leaf, layout in zip(leaves, self.numbers.grads, strict=False):  # as it is when the step comes
                leaf._grad = None if layout is None else made_tensor(layout, leaf._storage, 0, None)
            with replace_mode(capture=dry):
                try:
                    recorders[thread] = cast("Recorder", dry)
                    self.numbers.refill()
                finally:
                    recorders.pop(thread, None)
        finally:
            exhaust(back)  # one call, which no Ctrl-C interrupts
            collecting.pop(dry, None)
        return None if dry.failed or dry.rows != self.numbers.rows else dry.found


class ScalarRecorder:
    """Answers an optimizer's operators with "do nothing", and keeps their numbers."""

    def __init__(self) -> None:
        self.found: list[Many[float]] = []
        self.rows: list[tuple[int, int, int]] = []
        self.failed = False

    def stepped(self, rows: Many[Many[object]], numbers: Many[float]) -> bool:
        """Keep the numbers."""
        self.rows.append((len(rows), len(rows[0]), len(numbers)))
        self.found.append(tuple(numbers))
        return False

    def _fail(self, *_: object) -> None:
        self.failed = True

    allocated = launching = launched = mutated = read = operands = stepping = numbered = entered = left = act = _fail
    filled = constant = seeded = optimizes = reads_groups = reads_whole = skipping = holds = state_of = _fail
    grad_set = grad_added = passes_end = _fail

    def grad_read(self, _leaf: object) -> None:
        """An optimizer looks at gradients."""

    def sizes(self, sizes: tuple[int, ...], _is_length: bool) -> tuple[int, ...]:
        """An optimizer looks at sizes."""
        return sizes

    def bounded(self, _length: int) -> None:
        """An optimizer takes a part of a tensor."""

    def drawn(self, _generator: object, key: int, start: int, _count: int) -> tuple[int, int]:
        """A step that draws is none whose numbers can be taken alone."""
        self.failed = True
        return key, start
