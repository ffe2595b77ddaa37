"""`LoaderReport`: the epochs of a loader as a table, a sentence and a plot."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from facula_errors import MissingPackageError
from facula_errors.extend import boundary

from .._shared.shared_list import readable
from .epoch_report import EpochReport

Axes = Any  # matplotlib's class; only `plot` needs matplotlib

HEADINGS = ("epoch", "batches", "samples/s", "per s", "seconds", "waiting", "workers busy", "collating", "bottleneck")


@boundary
@dataclass(frozen=True)
class LoaderReport:
    """The time of each stage per epoch, as a table and a sentence; created by `Meter.report`.

    Arguments:
        epochs: a report for each epoch, in order; the last may still be running.

    >>> from facula_data._meter.epoch_report import Settings
    >>> settings = Settings(workers=0, kind="inline", prefetch_factor=None, processors=4)
    >>> epoch = EpochReport(0, True, settings, 10, 320, 1 << 20, 3.0, 0.3, 1.0, (3.0,), (0.5,), 0.3, 0.0)
    >>> print(LoaderReport((epoch,)))
    epoch  batches  samples/s    per s  seconds  waiting  workers busy  collating  bottleneck
        0       10         80  256 KiB        4      75%           75%        17%  reading
    Reading samples is the bottleneck: batches are made in the program's process, which waited for 75% of the time.
    Try: num_workers=3, so that batches are made while the program computes; a transform of single samples moved to \
whole batches, or to after the loader; samples stored as they are used (decoded, resized), or whole batches by \
get_batch(indices)
    """

    epochs: tuple[EpochReport, ...]

    def __str__(self) -> str:
        if not self.epochs:
            return "no batches yet"
        rows = [HEADINGS, *map(_row, self.epochs)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADINGS) - 1)]
        lines = ["  ".join([*map(str.rjust, row, widths), row[-1]]) for row in rows]
        last = self.epochs[-1]
        lines.append(last.sentence)
        if last.suggestions:
            lines.append(f"Try: {'; '.join(last.suggestions)}")
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        """Return the reports of the epochs as values that JSON supports."""
        return {"epochs": [epoch.to_dict() for epoch in self.epochs]}

    def plot(self, ax: Axes = None) -> Axes:
        """Draw a bar for each epoch with matplotlib: waiting below, the program above.

        Arguments:
            ax: the axes to draw in; new axes if None.

        Raises:
            ImportError: matplotlib is not installed.
        """
        if ax is None:
            try:
                pyplot = import_module("matplotlib.pyplot")
            except ImportError as error:
                raise MissingPackageError(
                    "LoaderReport.plot: expected matplotlib, which is not installed; `pip install matplotlib`, or use "
                    "to_dict()"
                ) from error
            ax = pyplot.subplots()[1]
        numbers, waited = [epoch.epoch for epoch in self.epochs], [epoch.waited for epoch in self.epochs]
        ax.bar(numbers, waited, label="waiting for data", color="tab:red")
        ax.bar(numbers, [epoch.program for epoch in self.epochs], bottom=waited, label="program", color="tab:blue")
        ax.set_xlabel("epoch")
        ax.set_ylabel("seconds")
        ax.legend()
        return ax


def _row(epoch: EpochReport) -> tuple[str, ...]:
    seconds = epoch.seconds or float("inf")
    return (
        str(epoch.epoch),
        f"{epoch.batches}",
        f"{epoch.samples / seconds:.4g}",
        readable(int(epoch.nbytes / seconds)),
        f"{epoch.seconds:.3g}",
        f"{epoch.waiting:.0%}",
        f"{epoch.workers_busy:.0%}",
        f"{epoch.collating:.0%}",
        epoch.bottleneck if epoch.ended else f"{epoch.bottleneck} (under way)",
    )
