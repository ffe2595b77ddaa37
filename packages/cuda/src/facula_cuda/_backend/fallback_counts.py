"""Counts of the operators that ran on the CPU for lack of a CUDA kernel, and the other effects of such a call."""

from __future__ import annotations

import os
from collections import Counter
from threading import Lock

from facula_errors import InvalidValueError, UnsupportedError
from facula_errors.extend import boundary, warn

VARIABLE = "FACULA_CUDA_FALLBACK"
MODES = ("warn", "quiet", "error")  # the first is the default

_lock = Lock()
_counts: Counter[str] = Counter()
_warned: set[str] = set()


@boundary
def fallbacks() -> dict[str, int]:
    """Return how often each operator has run on the CPU for lack of a CUDA kernel, the most frequent first.

    The environment variable FACULA_CUDA_FALLBACK decides what such a call does. "warn", the default, warns once for
    each operator; "quiet" only counts; "error" raises NotImplementedError.

    >>> before = fallbacks()
    >>> fallbacks() == before
    True
    """
    with _lock:
        return dict(_counts.most_common())


def fallback_mode() -> str:
    """Return the value of FACULA_CUDA_FALLBACK. Raises InvalidValueError if there is no such mode."""
    mode = os.environ.get(VARIABLE) or MODES[0]
    if mode not in MODES:
        raise InvalidValueError(f"{VARIABLE}: expected 'warn', 'quiet' or 'error'; got {mode!r}")
    return mode


def report_fallback(operator: str) -> None:
    """Count a launch on the CPU; warn or raise as the mode says."""
    mode = fallback_mode()
    if mode == "error":
        raise UnsupportedError(
            f"{operator}: expected a CUDA kernel, since {VARIABLE}=error; got none. Set it to 'warn' or 'quiet' to run "
            "the operator on the CPU"
        )
    with _lock:
        _counts[operator] += 1
        first = operator not in _warned
        _warned.add(operator)
    if first and mode == "warn":
        warn(f"{operator}: no CUDA kernel yet, it runs on the CPU; set {VARIABLE}=quiet to hide this warning")


os.register_at_fork(after_in_child=_lock._at_fork_reinit)  # type: ignore[attr-defined]
