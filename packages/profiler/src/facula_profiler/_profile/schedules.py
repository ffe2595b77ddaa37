"""Activities, actions, and schedules: which steps a profile records."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

if TYPE_CHECKING:
    from collections.abc import Callable


class ProfilerActivity(Enum):
    """The activities that a profile observes."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(Enum):
    """The action of a profile in a step."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def kineto_available() -> bool:
    """Return whether a profiler is available: True. It is facula's own, Kineto is not used."""
    return True


def supported_activities() -> set[ProfilerActivity]:
    """Return the activities that a profile can observe: those of the CPU, and of CUDA with facula-cuda."""
    import sys

    return {ProfilerActivity.CPU} | ({ProfilerActivity.CUDA} if "facula_cuda" in sys.modules else set())


@boundary
def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return a schedule for `profile`: cycles of steps that are skipped, warmed up and recorded.

    Arguments:
        wait: steps of each cycle that are not recorded.
        warmup: steps after them in which the profile is ready but does not record.
        active: steps after them that are recorded.
        repeat: the number of cycles; 0 for all steps of the program.
        skip_first: steps before the first cycle.
        skip_first_wait: 1 to leave out the first cycle's `wait`.

    Raises:
        ValueError: a negative number, or no active step.

    >>> plan = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    given = {
        "wait": wait, "warmup": warmup, "active": active, "repeat": repeat, "skip_first": skip_first,
        "skip_first_wait": skip_first_wait,
    }  # fmt: skip
    for name, value in given.items():
        if not isinstance(value, int):
            raise InvalidTypeError(f"schedule: expected {name}, an int; got {value!r:.60}")
        if value < 0:
            raise InvalidValueError(f"schedule: expected {name} >= 0 steps; got {value}")
    if active < 1:
        raise InvalidValueError(f"schedule: expected active >= 1 steps; got {active}")
    length = wait + warmup + active

    def action_of(step: int) -> ProfilerAction:
        if step < 0:
            raise InvalidValueError(f"schedule: expected step >= 0; got {step}")
        step -= skip_first
        if step >= 0 and skip_first_wait:
            step += wait
        if step < 0 or (repeat > 0 and step >= repeat * length):
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action_of


def record_always(step: int) -> ProfilerAction:
    """Return the action of a profile without a schedule: record every step."""
    return ProfilerAction.RECORD
