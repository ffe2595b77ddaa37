"""Results of remote calls that are in progress."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._errors import DistTimeoutError
from .._groups.futures import Future

if TYPE_CHECKING:
    from collections.abc import Callable


class CallFuture(Future):
    """The result of a remote call, once there is one.

    Arguments:
        what: a description of the call, for errors.
        seconds: how long `wait` waits; None for any time.
    """

    def __init__(self, what: str, seconds: float | None = None) -> None:
        super().__init__()
        self.what, self._seconds = what, seconds

    def wait(self) -> Any:
        """Wait for the result and return it.

        Raises:
            DistTimeoutError: there is no result in time.
            Exception: that of the call.
        """
        if not self._ended.wait(self._seconds):
            raise DistTimeoutError(f"rpc: {self.what} has no result after {self._seconds:g} s; give a longer timeout")
        return super().wait()


def call_into(future: Future, function: Callable[[], Any]) -> None:
    """Set a future to the result of a function, or if that is a Future, to its value once there is one."""
    try:
        value = function()
    except Exception as error:
        future.set_exception(error)
        return
    if isinstance(value, Future):
        value.add_done_callback(lambda done: call_into(future, done.value))
    else:
        future.set_result(value)
