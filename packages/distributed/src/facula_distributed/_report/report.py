"""The part of a program's time was compute, transfer, and waiting for which rank, at which line."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .._groups.groups import all_groups, default_group
from .model import Model, Point, model_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_MAX_RANKS = 3  # of a line's ranks that are shown
_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6))


class Line(NamedTuple):
    """The calls of one collective at one line of the program. Times are in seconds, of all calls together.

    Fields:
        operation: the collective.
        line: the file and the line.
        is_async: whether the calls ran in the background.
        calls: their number.
        nbytes: the bytes of their tensors.
        waited: until other ranks arrived.
        transfer: the rest of the calls, copying and reducing.
        blocked: until calls in the background ended.
        waited_for: `waited` by rank, those with the most first.
    """

    operation: str
    line: str
    is_async: bool
    calls: int
    nbytes: int
    waited: float
    transfer: float
    blocked: float
    waited_for: tuple[tuple[int, float], ...]

    @property
    def lost(self) -> tuple[float, float]:
        """The program's time without compute: waiting, and transfer. Calls in the background cost only `blocked`."""
        inside = self.waited + self.transfer
        share = 1.0 if not self.is_async else self.blocked / inside if inside else 0.0
        return share * self.waited, share * self.transfer


class Report(NamedTuple):
    """How this rank spent its time. Times are in seconds, of all steps together; print it for a table of one step.

    Fields:
        rank: this rank.
        size: the number of ranks.
        steps: the number of steps.
        seconds: the time since `init_process_group` or the last report.
        compute: the time outside of collectives.
        waited: the time until other ranks arrived.
        transfer: the time in which collectives copied and reduced.
        lines: the collectives of each line, those with the most time first.
        model: the speed with more ranks, according to a model; None unless requested.
    """

    rank: int
    size: int
    steps: int
    seconds: float
    compute: float
    waited: float
    transfer: float
    lines: tuple[Line, ...]
    model: Model | None = None

    def __repr__(self) -> str:
        unit, factor = next((one for one in _UNITS if self.seconds / self.steps >= one[1]), _UNITS[-1])

        def shown(seconds: float) -> str:
            return f"{seconds / self.steps / factor:.2f}"

        what = f"{self.steps} steps, each" if self.steps > 1 else "step"
        about = f" ({self._worst(shown)})" if self.waited and self.lines else ""
        found = [
            f"rank {self.rank} of {self.size}: {what} {shown(self.seconds)} {unit}: compute {shown(self.compute)}, "
            f"waited {shown(self.waited)}{about}, transfer {shown(self.transfer)}"
        ]
        if self.lines:
            rows = [("line", "operation", "calls", f"waited {unit}", f"transfer {unit}", "MB", "waited for"), *[
                (
                    one.line, one.operation + (", async" if one.is_async else ""), f"{one.calls / self.steps:g}",
                    shown(one.lost[0]), shown(one.lost[1]), f"{one.nbytes / self.steps / 1e6:.2f}",
                    ", ".join(f"rank {rank}: {shown(waited)}" for rank, waited in one.waited_for[:_MAX_RANKS]),
                )
                for one in self.lines
            ]]  # fmt: skip
            found += table(rows)
        if self.model is not None:
            found.append(repr(self.model))
        return "\n".join(found)

    def _worst(self, shown: object) -> str:
        one = max(self.lines, key=lambda line: line.waited_for[0][1] if line.waited_for else 0.0)
        rank, waited = one.waited_for[0]
        return f"of it {shown(min(waited, one.lost[0]))} for rank {rank} at {one.line}"  # type: ignore[operator]


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return lines of aligned columns: the first two and the last to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    ends = {0, 1, len(widths) - 1}
    return [
        "  " + "  ".join(
            cell.ljust(width) if place in ends else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]  # fmt: skip


@boundary
def report(steps: int = 1, model: bool = False) -> Report:
    """Report how much of this process's time was compute, transfer, and waiting for other processes, at which line.

    The times are those since `init_process_group` or the last report. Printed, they are divided by `steps`. A late
    process is one for which others wait: its own report has more compute. Other processes are not asked; gather their
    reports with `all_gather_object`. Time in background operations counts only while the program waits for them.

    Arguments:
        steps: the number of training steps since then. The model assumes that each overlaps its own transfers.
        model: also estimate the speed with 8 to 1,024 processes on several machines, from the measured times.

    Raises:
        ValueError: there is no process group, or `steps` is not a positive integer.

    >>> from facula_distributed import HashStore, all_reduce, destroy_process_group, init_process_group
    >>> from facula_tensor import ones
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> for step in range(3):
    ...     all_reduce(ones(10))
    >>> found = report(steps=3)
    >>> [(line.operation, line.calls, line.nbytes) for line in found.lines]
    [('all_reduce', 3, 120)]
    >>> destroy_process_group()
    """
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise InvalidValueError(f"report: expected steps to be a positive integer; got {steps!r}")
    default = default_group()
    seconds = time.monotonic() - default._member.ledger.since
    lines: list[Line] = []
    for group in all_groups():
        ranks = group._member.ranks
        for key, costs in group._member.ledger.take():
            totals = costs.totals
            by_rank = sorted(zip(ranks, costs.waits, strict=True), key=lambda pair: -pair[1])
            lines.append(Line(
                key.operation, key.line.decode(errors="replace"), key.is_async, int(totals.calls), int(totals.bytes),
                float(totals.waited), max(0.0, float(totals.seconds - totals.waited)), max(0.0, float(totals.blocked)),
                tuple((rank, float(waited)) for rank, waited in by_rank if waited > 0),
            ))  # fmt: skip
    lines.sort(key=lambda line: -sum(line.lost))
    waited, transfer = (sum(line.lost[place] for line in lines) for place in (0, 1))
    compute = max(0.0, seconds - waited - transfer)
    found = Report(default.rank(), default.size(), steps, seconds, compute, waited, transfer, tuple(lines))
    if not model:
        return found
    points = [Point(line.nbytes / line.calls, line.transfer / line.calls, line.calls) for line in lines if line.calls]
    return found._replace(model=model_of(points, compute, seconds, default.size(), steps))
