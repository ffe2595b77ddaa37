"""Scalars of optimizer steps that change between replays: learning rates, betas, decays.

A replay compares the options of each group with their previous values. If one has changed, the part of the step that
reads them repeats as a dry run, which returns the scalars of its operators without launching them.
"""

from __future__ import annotations

from itertools import repeat
from threading import get_ident
from typing import TYPE_CHECKING, cast

from facula_autograd.extend.modes import replace_mode
from facula_errors.extend import exhaust
from facula_storage.extend.recording import collecting, recorders
from facula_storage.extend.replay import ANY, CheckKind

from .._recording.records import made_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence as Many

    from facula_storage.extend.recording import Recorder
    from facula_storage.extend.replay import Sequence

    from .._guards.guards import Check
    from .._recording.records import Numbers


class ScalarUpdate:
    """One group of one optimizer, and the launches that use its scalars."""

    def __init__(self, numbers: Numbers):
        self.numbers = numbers
        self.options = dict(numbers.options)
        self.found: list[Many[float]] | None = None  # the scalars, if they differ from the recorded ones

    def check(self) -> Check:
        """Return a check of all options of the group; its parameters have checks of their own."""
        values = [(name, ANY if name == "params" else value) for name, value in self.options.items()]
        return CheckKind.ENTRIES, self.numbers.group, None, tuple([part for pair in values for part in pair])

    def renew(self, found: list[Many[float]]) -> None:
        """Store the scalars that result from the present options."""
        self.found = found
        self.options = dict(self.numbers.group)

    def put(self, sequence: Sequence, step_of: dict[int, int]) -> None:
        """Write the scalars to the launches.

        Arguments:
            sequence: the launches.
            step_of: the index of each launch in the sequence.
        """
        for numbers, launches in zip(self.found or (), self.numbers.launches, strict=False):
            for launch in launches:
                for place, number in enumerate(numbers):
                    sequence.set(step_of[launch], 1 + place, number)

    def present_numbers(self) -> list[Many[float]] | None:
        """Return the scalars of each operator that the step would call; None if the step would do anything else."""
        thread, dry = get_ident(), ScalarRecorder()
        leaves = list(self.numbers.group["params"])
        back = map(setattr, leaves, repeat("_grad"), [leaf._grad for leaf in leaves])
        collecting[dry] = None
        try:
            for leaf, layout in zip(leaves, self.numbers.grads, strict=False):  # the state in which the step runs
                leaf._grad = None if layout is None else made_tensor(layout, leaf._storage, 0, None)
            with replace_mode(capture=dry):
                try:
                    recorders[thread] = cast("Recorder", dry)
                    self.numbers.refill()
                finally:
                    recorders.pop(thread, None)
        finally:
            exhaust(back)  # one call, which Ctrl-C cannot interrupt
            collecting.pop(dry, None)
        return None if dry.failed or dry.rows != self.numbers.rows else dry.found


class ScalarRecorder:
    """A recorder of a dry run: it stores the scalars of an optimizer's operators, which do not run."""

    def __init__(self) -> None:
        self.found: list[Many[float]] = []
        self.rows: list[tuple[int, int, int]] = []
        self.failed = False

    def stepped(self, rows: Many[Many[object]], numbers: Many[float]) -> bool:
        """Store the scalars of an operator, and return False to skip it."""
        self.rows.append((len(rows), len(rows[0]), len(numbers)))
        self.found.append(tuple(numbers))
        return False

    def _fail(self, *_: object) -> None:
        self.failed = True

    allocated = launching = launched = mutated = read = operands = stepping = numbered = entered = left = act = _fail
    filled = constant = seeded = optimizes = reads_groups = reads_whole = skipping = holds = state_of = _fail
    grad_set = grad_added = passes_end = setting = _fail

    def grad_read(self, _leaf: object) -> None:
        """Accept a read of a gradient."""

    def sizes(self, sizes: tuple[int, ...], _is_length: bool) -> tuple[int, ...]:
        """Accept a read of sizes."""
        return sizes

    def bounded(self, _length: int) -> None:
        """Accept a slice of a tensor."""

    def drawn(self, _generator: object, key: int, start: int, _count: int) -> tuple[int, int]:
        """Reject a random draw, because the scalars of such a step cannot be computed alone."""
        self.failed = True
        return key, start
