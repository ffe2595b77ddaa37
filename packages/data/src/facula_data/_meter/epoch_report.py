"""`EpochReport`: the time of each stage of an epoch, the bottleneck, and settings that would help."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from math import ceil
from typing import Any

from facula_errors.extend import boundary

from .._shared.shared_list import readable

NEGLIGIBLE_WAIT = 0.1  # a loader keeps up if the program waits for at most this share of the time
IMBALANCE = 1.25  # times the mean: a worker above it has more work than the others
SATURATED = 0.7  # workers that are busy for at least this share of their time have no capacity left
DOMINANT_SHARE = 0.5  # the share above which a part dominates
SMALL_BATCH_SECONDS = 1e-3  # seconds: sending a batch that takes less costs more than making it


@dataclass(frozen=True)
class Settings:
    """The settings of a loader that suggestions refer to.

    Arguments:
        workers: the number of workers; 0 for the calling process.
        kind: "inline", "processes" or "threads".
        prefetch_factor: batches that are requested in advance from each worker; None if unknown.
        processors: the number of processors that this process may use.
    """

    workers: int
    kind: str
    prefetch_factor: int | None
    processors: int


@boundary
@dataclass(frozen=True)
class EpochReport:
    """The time of each stage of one epoch, in seconds.

    Arguments:
        epoch: the number of the epoch among those of the meter, from 0.
        ended: whether the epoch ended; otherwise it is still running.
        settings: the settings of the loader.
        batches: the number of delivered batches.
        samples: the number of samples in them.
        nbytes: the number of bytes in them.
        waited: the time that the program waited for batches.
        first_wait: the time that it waited for the first batch.
        program: the time that the program spent between batches.
        busy: the time that each worker spent on batches, including collation.
        collate: the time that each worker spent on collation.
        batch_seconds: the mean time in which a worker made a batch.
        batch_deviation: the standard deviation of that time.
    """

    epoch: int
    ended: bool
    settings: Settings
    batches: int
    samples: int
    nbytes: int
    waited: float
    first_wait: float
    program: float
    busy: tuple[float, ...]
    collate: tuple[float, ...]
    batch_seconds: float
    batch_deviation: float

    @property
    def seconds(self) -> float:
        """The duration of the epoch: waiting and the program."""
        return self.waited + self.program

    @property
    def waiting(self) -> float:
        """The share of the time that the program waited, from 0 to 1."""
        return self.waited / self.seconds if self.seconds else 0.0

    @property
    def workers_busy(self) -> float:
        """The share of their time that the workers made batches, from 0 to 1."""
        return min(1.0, sum(self.busy) / (len(self.busy) * self.seconds)) if self.seconds else 0.0

    @property
    def collating(self) -> float:
        """The share of the workers' busy time spent on collation, from 0 to 1."""
        return sum(self.collate) / sum(self.busy) if sum(self.busy) else 0.0

    @cached_property
    def bottleneck(self) -> str:
        """The bottleneck of the epoch in one or two words, for example "reading"."""
        workers = self.settings.workers
        if not self.batches:
            return "nothing"
        if self.waiting <= NEGLIGIBLE_WAIT:
            return "program"
        if workers and self.first_wait > DOMINANT_SHARE * self.waited and self.first_wait > 3 * self.batch_seconds:
            return "start"
        making = "collation" if self.collating > DOMINANT_SHARE else "reading"
        if not workers or self.workers_busy >= SATURATED or not sum(self.busy):
            return making
        if workers > 1 and max(self.busy) >= max(SATURATED * self.seconds, IMBALANCE * sum(self.busy) / workers):
            return "one worker"
        if self.batch_seconds < SMALL_BATCH_SECONDS:
            return "small batches"
        return "uneven batches" if self.batch_deviation > self.batch_seconds else "transfer"

    @property
    def sentence(self) -> str:
        """A sentence that describes the bottleneck with its figures."""
        return BOTTLENECKS[self.bottleneck][0](self)

    @property
    def suggestions(self) -> list[str]:
        """Settings and changes that would help, the most effective one first."""
        return BOTTLENECKS[self.bottleneck][1](self)

    def to_dict(self) -> dict[str, Any]:
        """Return figures, shares, bottleneck and suggestions as values that JSON supports."""
        shares = ("seconds", "waiting", "workers_busy", "collating", "bottleneck", "sentence", "suggestions")
        figures = {**asdict(self), "busy": list(self.busy), "collate": list(self.collate)}
        return {**figures, **{name: getattr(self, name) for name in shares}}


def _wanted_workers(epoch: EpochReport) -> int:
    """Return the number of workers that would keep up with the program, limited by the number of processors."""
    needed = ceil(sum(epoch.busy) / epoch.program) if epoch.program > 0 else epoch.settings.processors
    return max(1, min(needed, epoch.settings.processors))


def _more_workers(epoch: EpochReport) -> list[str]:
    wanted, workers = _wanted_workers(epoch), epoch.settings.workers
    if wanted <= workers:
        return []
    return [f"num_workers={wanted}" + (", so that batches are made while the program computes" if not workers else "")]


def _program(epoch: EpochReport) -> str:
    return (
        f"The program is the bottleneck: it waited for {epoch.waiting:.0%} of the time, "
        "so a faster loader would hardly help."
    )


def _fewer_workers(epoch: EpochReport) -> list[str]:
    workers = epoch.settings.workers
    enough = max(1, ceil(1.25 * sum(epoch.busy) / epoch.seconds)) if epoch.seconds and sum(epoch.busy) else workers
    return [f"num_workers={enough} would do, and leaves processors to the program"] if enough < workers else []


def _slow_start(epoch: EpochReport) -> str:
    return (
        f"Starting is the bottleneck: the first batch took {epoch.first_wait:.2g} of the {epoch.waited:.2g} seconds of "
        "waiting."
    )


def _quicker_start(epoch: EpochReport) -> list[str]:
    found = (
        ["persistent_workers=True, where later epochs begin as slowly"] if epoch.settings.kind == "processes" else []
    )
    return [*found, "a dataset that is quick to open and to send: SharedList(..., file=...), memory-mapped arrays",
            "a smaller batch_size, as a worker makes the whole of the first batch"]  # fmt: skip


def _load_text(epoch: EpochReport) -> str:
    if epoch.settings.workers:
        return f"the {epoch.settings.workers} workers were busy for {epoch.workers_busy:.0%} of the time"
    return "batches are made in the program's process"


def _reading(epoch: EpochReport) -> str:
    subject, base = ("and the program", "it") if epoch.settings.workers else ("which", "the time")
    start = f"Reading samples is the bottleneck: {_load_text(epoch)}"
    return f"{start}, {subject} waited for {epoch.waiting:.0%} of {base}."


def _quicker_reading(epoch: EpochReport) -> list[str]:
    return [*_more_workers(epoch), "a transform of single samples moved to whole batches, or to after the loader",
            "samples stored as they are used (decoded, resized), or whole batches by get_batch(indices)"]  # fmt: skip


def _collation(epoch: EpochReport) -> str:
    return (
        f"Collation is the bottleneck: it took {epoch.collating:.0%} of the time in which batches were made, and the "
        f"program waited for {epoch.waiting:.0%} of its time."
    )


def _quicker_collation(epoch: EpochReport) -> list[str]:
    return ["get_batch(indices) in the dataset, which takes whole batches from arrays",
            "arrays of one dtype and shape in place of nested containers, and a collate_fn that does less",
            *_more_workers(epoch)]  # fmt: skip


def _one_worker(epoch: EpochReport) -> str:
    slowest = max(range(len(epoch.busy)), key=epoch.busy.__getitem__)
    return (
        f"One worker is the bottleneck: worker {slowest} was busy for {epoch.busy[slowest]:.2g} seconds, the mean of "
        f"all is {sum(epoch.busy) / len(epoch.busy):.2g}."
    )


def _small(epoch: EpochReport) -> str:
    size, microseconds = epoch.samples / epoch.batches, epoch.batch_seconds * 1e6
    return (
        f"Small batches are the bottleneck: a worker makes one of {size:.3g} samples in {microseconds:.0f} "
        "microseconds, less than it takes to hand it over."
    )


def _uneven(epoch: EpochReport) -> str:
    return (
        f"Uneven batches are the bottleneck: workers were idle for {1 - epoch.workers_busy:.0%} of the time, but some "
        f"batches took far longer than the mean of {epoch.batch_seconds:.2g} seconds."
    )


def _transfer(epoch: EpochReport) -> str:
    each = readable(epoch.nbytes // epoch.batches)
    return (
        f"The way from the workers is the bottleneck: they were idle for {1 - epoch.workers_busy:.0%} of the time, but "
        f"the program waited for {epoch.waiting:.0%} of its time, for batches of {each}."
    )


def _less_transfer(epoch: EpochReport) -> list[str]:
    ahead = epoch.settings.prefetch_factor
    found = ["workers as threads, which send nothing"] if epoch.settings.kind == "processes" else []
    if ahead is not None and ahead < 4:
        found.append(f"prefetch_factor={ahead * 2}")
    return [*found, "smaller batches in bytes: numbers as they are stored (uint8), converted after the loader"]


def _more_ahead(epoch: EpochReport) -> list[str]:
    return [f"prefetch_factor={(epoch.settings.prefetch_factor or 2) * 2}", *_more_workers(epoch)]


#: The possible bottlenecks: a function of the sentence and one of the suggestions for each.
BOTTLENECKS: dict[str, tuple[Callable[[EpochReport], str], Callable[[EpochReport], list[str]]]] = {
    "nothing": (lambda epoch: "No batch was delivered.", lambda epoch: []),
    "program": (_program, _fewer_workers),
    "start": (_slow_start, _quicker_start),
    "reading": (_reading, _quicker_reading),
    "collation": (_collation, _quicker_collation),
    "one worker": (_one_worker, lambda epoch: ["parts of one size for all workers, and more of them than workers"]),
    "small batches": (_small, lambda epoch: ["a larger batch_size", "fewer workers, or num_workers=0"]),
    "uneven batches": (_uneven, _more_ahead),
    "transfer": (_transfer, _less_transfer),
}
