"""Errors that devices report after a launch, for backends.

A backend makes a `PendingLaunch` for each launch that may fail, and raises its `error` at the wait that finds that the
launch failed. `refusing` announces the error of launches that check values.
"""

from .._core.reports import PendingLaunch, refusing

__all__ = [
    "PendingLaunch",
    "refusing",
]
