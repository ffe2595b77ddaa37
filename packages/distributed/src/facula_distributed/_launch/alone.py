"""The launcher of a run on one machine, with the interface of those of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import FaculaError

from .stacks import LocalRanks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._board.board import Board
    from .links import Link


class Failure(NamedTuple):
    """The end of a run because of a rank, or of a machine (then the rank is -1).

    Fields:
        rank: the rank that failed.
        text: how.
        code: the exit code of the launcher.
        is_killed: whether a signal ended it, so that it is the cause of others' failures.
    """

    rank: int
    text: str
    code: int
    is_killed: bool = False


class InterruptError(FaculaError):
    """A signal to one of the launchers."""


class Alone:
    """The interface of `Machines` for a single machine."""

    node, nnodes, is_broken = 0, 1, False
    verdict: Failure | None = None
    links: tuple[Link, ...] = ()
    signal: int | None = None

    def join(self) -> None:
        """Meet the launchers of all machines.

        Raises:
            OperationError: some do not come in time, or differ.
            InterruptError: a signal ended the run.
        """

    def begin(self, number: int, board: Board, own: Sequence[int], interval: float) -> LocalRanks:
        """Begin an attempt on all machines, when all launchers call this.

        Arguments:
            number: the number of the attempt.
            board: the board of this machine.
            own: the ranks of this machine.
            interval: seconds between two looks at the board of node 0.

        Returns:
            The ranks whose states and stacks this launcher can find.

        Raises:
            OperationError: a machine was lost.
            InterruptError: a signal ended the run.
        """
        self.verdict = None
        return LocalRanks(board)

    def fail(self, failure: Failure) -> None:
        """Report the failure of a rank of this machine."""
        self.verdict = failure

    def offer(self, name: str, value: Any) -> None:
        """Offer this machine's value of a name."""
        self._value = value

    def values(self, name: str) -> list[Any] | None:
        """Return the values of all machines once all have offered them."""
        return [self._value]

    def gather(self, name: str, value: Any) -> list[Any]:
        """Offer a value, and wait for those of all machines.

        Raises:
            OperationError: a machine was lost.
            InterruptError: a signal ended the run.
        """
        return [value]

    def interrupt(self, number: int) -> None:
        """Let the other launchers end because of a signal to this one, later."""

    def poll(self, seconds: float = 0) -> None:
        """Handle messages, which set `verdict` and `signal`; wait up to so many seconds for the first one."""

    def end(self) -> None:
        """End the attempt on this machine."""

    def close(self) -> None:
        """Leave the others."""
