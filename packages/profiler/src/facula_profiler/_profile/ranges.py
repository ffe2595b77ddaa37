"""Names for blocks of a program."""

from __future__ import annotations

from functools import wraps
from threading import get_ident
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from facula_errors import InvalidTypeError

from .._recording.recording import running
from .._trace.records import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._recording.recording import Recording

P = ParamSpec("P")
T = TypeVar("T")


class record_function:
    """A name for a block, or for a decorated function, in a profile. It has no effect without a profile.

    Replays of a captured function run no Python code, so names inside it appear only while it runs eagerly.

    Arguments:
        name: the name.
        args: a text that is appended to the name.

    >>> from facula_profiler import profile
    >>> with profile() as prof, record_function("forward"):
    ...     pass
    >>> [event.name for event in prof.events()]
    ['forward']
    """

    __slots__ = ("_open", "args", "name")

    def __init__(self, name: str, args: str | None = None):
        if not isinstance(name, str) or not isinstance(args, str | None):
            wrong, value = ("name, a str", name) if not isinstance(name, str) else ("args, a str or None", args)
            raise InvalidTypeError(f"record_function: expected {wrong}; got {value!r:.60}")
        self.name, self.args = name, args
        self._open: dict[int, list[tuple[Recording, int]]] = {}  # of each thread, since an object may be shared

    def __enter__(self) -> record_function:
        recording = running()
        if recording is not None:
            name = self.name if self.args is None else f"{self.name}: {self.args}"
            opened = recording, recording.begin(Kind.RANGE, name)
            self._open.setdefault(get_ident(), []).append(opened)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._open:
            opened = self._open.get(get_ident())
            if opened is not None:
                recording, token = opened.pop()
                if not opened:
                    del self._open[get_ident()]
                recording.end(token)

    def __call__(self, function: Callable[P, T]) -> Callable[P, T]:
        """Return the function with the name around each call."""
        name, args = self.name, self.args

        @wraps(function)
        def call(*arguments: P.args, **options: P.kwargs) -> T:
            with record_function(name, args):
                return function(*arguments, **options)

        return call
