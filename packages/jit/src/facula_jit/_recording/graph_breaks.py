"""What cannot be captured: said by the line that did it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_autograd.extend import describe_call_site
from facula_errors import FaculaError

if TYPE_CHECKING:
    from types import CodeType

# Why a backward pass needs the function itself: Note [Eager backward].
RECORDED = "a backward pass with create_graph=True goes through its result"
CHANGED = "what its backward pass reads has changed since the call"
WRAPPED = "a backward pass of a transform, as vmap, goes through its result"

HOOKS_RUN = (
    "a backward pass inside of the function runs the hooks of an argument",
    "register them on a tensor that is computed inside, or call backward() outside",
)

RATES_READ = (
    "a schedule steps in the function, which also reads the options of its optimizer: a replay sees other ones",
    "step the schedule outside of the function, or read the options there",
)


class GraphBreak(NamedTuple):
    """Why a run was not recorded: the problem, what to do, and the program's line."""

    problem: str
    remedy: str
    site: tuple[CodeType, int] | None

    def __str__(self) -> str:
        line = "" if self.site is None else f" (at {describe_call_site(*self.site)})"
        return f"{self.problem}{line}; {self.remedy}"


class CaptureError(FaculaError, RuntimeError):
    """A function did something that no replay can do.

    `where` is the program's line, "file:line (function)".
    """

    def __init__(self, why: GraphBreak | str, where: str = ""):
        super().__init__(f"capture: {why}", where)
        self.where = where if isinstance(why, str) or why.site is None else describe_call_site(*why.site)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.args[0], self.where)


def _restored(message: str, where: str) -> CaptureError:
    """The inverse of pickling."""
    return CaptureError(message.removeprefix("capture: "), where)
