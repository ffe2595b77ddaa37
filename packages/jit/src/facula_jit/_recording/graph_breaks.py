"""Graph breaks: reasons why a run could not be captured, with the line of the program."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from facula_autograd.extend.nodes import describe_call_site
from facula_errors import FaculaError

if TYPE_CHECKING:
    from types import CodeType

# Reasons why a backward pass must run the function itself: Note [Eager backward].
RECORDED = "a backward pass with create_graph=True runs through its result"
CHANGED = "state that its backward pass reads has changed since the call"
WRAPPED = "a backward pass of a transform such as vmap runs through its result"

HOOKS_RUN = (
    "a backward pass inside of the function runs the hooks of an argument",
    "register them on a tensor that is computed inside, or call backward() outside",
)

RATES_READ = (
    "a schedule steps in the function, which also reads the options of its optimizer: a replay would see "
    "different ones",
    "step the schedule outside of the function, or read the options there",
)


class GraphBreak(NamedTuple):
    """The reason why a run was not recorded: the problem, the remedy, and the line of the program."""

    problem: str
    remedy: str
    site: tuple[CodeType, int] | None

    def __str__(self) -> str:
        line = "" if self.site is None else f" (at {describe_call_site(*self.site)})"
        return f"{self.problem}{line}; {self.remedy}"


class CaptureError(FaculaError, RuntimeError):
    """A function performed an operation that cannot be replayed.

    `where` is the line of the program, as "file:line (function)".
    """

    def __init__(self, why: GraphBreak | str, where: str = ""):
        super().__init__(f"capture: {why}", where)
        self.where = where if isinstance(why, str) or why.site is None else describe_call_site(*why.site)

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _restored, (self.args[0], self.where)


def _restored(message: str, where: str) -> CaptureError:
    """Recreate an error from its pickled arguments."""
    return CaptureError(message.removeprefix("capture: "), where)
