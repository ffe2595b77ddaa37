"""The synchronization debug mode: a warning or an error where the host waits for a stream."""

from __future__ import annotations

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary, warn

from .waits import SOME_WORK, on_wait

MODES = ("default", "warn", "error")
_mode: list[int] = []  # contains the index of the mode, once it was set


@boundary
def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Select what happens where the host waits for a stream: in `item`, copies to the host, and operators on the CPU.

    Calls of `synchronize()` and of `Event.synchronize()`, which wait on purpose, are not affected.

    Arguments:
        debug_mode: "default" or 0 for no check, "warn" or 1 for a warning, "error" or 2 for an error.
    """
    if debug_mode not in (*MODES, 0, 1, 2) or isinstance(debug_mode, bool):
        expected = "debug_mode, one of 'default', 'warn', 'error', 0, 1, 2"
        raise InvalidValueError(f"set_sync_debug_mode: expected {expected}; got {debug_mode!r:.60}")
    if not _mode:
        _mode.append(0)
        on_wait(_notice)
    _mode[0] = MODES.index(debug_mode) if isinstance(debug_mode, str) else debug_mode


@boundary
def get_sync_debug_mode() -> int:
    """Return the mode that `set_sync_debug_mode` selected: 0, 1 or 2.

    >>> set_sync_debug_mode("warn")
    >>> get_sync_debug_mode()
    1
    >>> set_sync_debug_mode(0)
    """
    return _mode[0] if _mode else 0


def _notice(index: int, stream: int | None) -> None:
    if stream is None or stream == SOME_WORK or not _mode[0]:
        return
    text = f"cuda: the host waits for a stream of cuda:{index}"
    if _mode[0] == 1:
        warn(text)
        return
    raise OperationError(f"{text}; set_sync_debug_mode('error') forbids that; keep the values on the device")
