"""Errors that devices report after a launch: the exception that the CPU raises at once, raised at a later wait.

Note [Reports of devices]
~~~~~~~~~~~~~~~~~~~~~~~~~
A device runs a launch after the program has continued, so what a kernel reports is known at the next wait. A backend
makes a `PendingLaunch` for each launch of a plan that may fail, before it queues the launch, and keeps it until a wait
has shown that the launch succeeded. For a launch that failed, it raises `pending.error(status, *details)`. That is the
exception of the CPU, with the name of the function that the user called and "called at file:line (function)" in
place of a traceback that leads there.

A pending launch refers to no tensor and no frame. Making one costs a microsecond for each frame of the library. Checks
of values (`refuse_unless`) describe an element on the CPU. On devices they announce an error without elements by
`refusing`, which replaces that of their launch.
"""

from __future__ import annotations

import sys
from threading import local
from typing import TYPE_CHECKING, Any

from facula_autograd.extend.nodes import describe_call_site
from facula_storage import LaunchError

from .call_sites import user_frame
from .errors import UnmetRequirementError, label_of, launch_error, library_calls, public_name, renamed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType

    from facula_storage import Layout


class _Refusal(local):
    """The error that this thread's launches report for unmet requirements, or None for a general one."""

    error: Exception | None = None


_refusal = _Refusal()


class refusing:
    """Context manager: launches in the block, whose requirements a device finds unmet later, report `error`.

    >>> with refusing(ValueError("normal: expected std of at least 0; got less")):
    ...     pass
    """

    def __init__(self, error: Exception):
        self._error = error

    def __enter__(self) -> None:
        self._before, _refusal.error = _refusal.error, self._error

    def __exit__(self, *exc: object) -> None:
        _refusal.error = self._before


class PendingLaunch:
    """A queued launch that may fail: what its error needs, without tensors and frames. See Note [Reports of devices].

    Arguments:
        operator: the name of the plan's operator.
        layouts: the layouts of its tensor operands, None for an omitted one.
        frame: the frame that calls the operator's kernel; the caller by default.
    """

    __slots__ = ("_calls", "_refusal", "layouts", "operator", "site")

    def __init__(self, operator: str, layouts: Sequence[Layout | None], frame: FrameType | None = None):
        self.operator, self.layouts, self._refusal = operator, layouts, _refusal.error
        self._calls, outer = library_calls(sys._getframe(1) if frame is None else frame)
        if outer is None:
            outer = user_frame(1)
        #: The user's line: a code object and an instruction.
        self.site = outer.f_code, outer.f_lasti

    @property
    def where(self) -> str:
        """The user's line, as "file:line (function)"."""
        return describe_call_site(*self.site)

    def error(self, status: int, *details: int) -> Exception:
        """Return the exception for a kernel's status and its four details. It is not renamed, and not retried."""
        error: Any = launch_error(self.operator, LaunchError(status, *(*details, 0, 0, 0, 0)[:4]), self.layouts)
        if type(error) is UnmetRequirementError and self._refusal is not None:
            error = type(self._refusal)(*self._refusal.args)
            name = public_name(self._calls) if label_of(error) else None
        else:
            name = public_name(self._calls) or self.operator
        if name is not None:
            renamed(error, name)
        if error.args and type(error.args[0]) is str:
            error.args = (f"{error.args[0]}; called at {self.where}", *error.args[1:])
        error.called_at = self.where  # so that the operator that waits does not put its own name in front
        error.launched = True  # so that a fast path that waits does not try again: Note [Observers] in facula_storage
        return error
