"""facula.profiler: where the time of a program goes: not there yet. Marks of pieces of a program change nothing."""

from __future__ import annotations

from enum import Enum
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from .._lookup.names import publish
from .._lookup.refusals import Kind, Refusal, Refusals

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function", "schedule",
    "supported_activities", "tensorboard_trace_handler",
]  # fmt: skip

P = ParamSpec("P")
T = TypeVar("T")


_missing = Refusals("profiler", "use utils.benchmark.Timer for a piece, and Python's cProfile for a program")
profile: Kind = _missing.kind("profile")
schedule: Refusal = _missing.function("schedule")
tensorboard_trace_handler: Refusal = _missing.function("tensorboard_trace_handler")


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

    name: str
    args: str | None

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        return self

    def __exit__(self, *exc: object) -> None:
        pass

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*arguments: P.args, **options: P.kwargs) -> T:
            with self:
                return function(*arguments, **options)

        return call


publish(__name__)
