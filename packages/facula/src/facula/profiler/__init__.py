"""facula.profiler: profiles of programs, which are not supported yet. Marks have no effect."""

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
    """The activities that a profiler observes."""

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(Enum):
    """The actions of a profiler in a step."""

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def kineto_available() -> bool:
    """Return whether there is a profiler: False."""
    return False


def supported_activities() -> set[ProfilerActivity]:
    """Return the activities that a profiler can observe: none."""
    return set()


class record_function:
    """A name for a block, or for a decorated function, in a profile. It has no effect, as there is no profiler.

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
