"""The stack of branches that are running during a capture; it forwards the recorder's events to each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class BranchStack(list[Any]):
    """The branches of conditions and loops that are running, innermost last; see `Branch`, which has the same
    methods.
    """

    __slots__ = ()

    def sees(self, operands: Sequence[object]) -> None:
        """Notify all branches that an operator is about to read these operands."""
        for branch in self:
            branch.sees(operands)

    def writes(self, places: Sequence[Any]) -> None:
        """Notify all branches that a launch is about to write to these places."""
        for branch in self:
            branch.writes(places)

    def grad_set(self, leaf: Any) -> None:
        """Notify all branches that `.grad` of a leaf is about to be set."""
        for branch in self:
            branch.grad_set(leaf)

    def refuse(self, what: str) -> None:
        """Notify all branches of an operation that no branch may perform."""
        for branch in self:
            branch.refuse(what)
