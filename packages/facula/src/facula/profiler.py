"""facula.profiler: where the time of a program goes: not there yet. Marks of pieces of a program change nothing."""

from __future__ import annotations

from enum import Enum
from functools import wraps
from typing import Any

from ._names import publish
from ._refusals import Refusals

__all__ = [
    "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip

_missing = Refusals("profiler", "use utils.benchmark.Timer for a piece, and Python's cProfile for a program")
profile = _missing.kind("profile")
schedule = _missing.function("schedule")
tensorboard_trace_handler = _missing.function("tensorboard_trace_handler")


class ProfilerActivity(Enum):
    """What a profiler looks at."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(Enum):
    """What a profiler does in a step."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def kineto_available() -> bool:
    """Whether there is a profiler: False."""
    return False


def supported_activities() -> set[ProfilerActivity]:
    """What a profiler can look at: nothing."""
    return set()


class record_function:
    """A name for a block, or for a decorated function, in the profile: nothing else, and no profile is taken.

    >>> with record_function("forward"):
    ...     1 + 1
    2
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, function: Any) -> Any:
        @wraps(function)
        def call(*arguments: Any, **options: Any) -> Any:
            with self:
                return function(*arguments, **options)

        return call


publish(__name__)
