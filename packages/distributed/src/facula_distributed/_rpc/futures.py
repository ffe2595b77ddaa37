"""Results of remote calls that are in progress."""

from __future__ import annotations

from typing import Any

from .._errors import DistTimeoutError
from .._groups.futures import Future


class CallFuture(Future):
    """The result of a remote call, once there is one.

    Arguments:
        what: a description of the call, for errors.
        seconds: how long `wait` waits; None for any time.
    """

    def __init__(self, what: str, seconds: float | None = None) -> None:
        super().__init__()
        self._what, self._seconds = what, seconds

    def wait(self) -> Any:
        """Wait for the result and return it.

        Raises:
            DistTimeoutError: there is no result in time.
            Exception: that of the call.
        """
        if not self._ended.wait(self._seconds):
            raise DistTimeoutError(f"rpc: {self._what} has no result after {self._seconds:g} s; give a longer timeout")
        return super().wait()
