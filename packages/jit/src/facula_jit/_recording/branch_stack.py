"""The branches of a capture that are under way: each is told what the recorder is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


class BranchStack(list[Any]):
    """Branches of conditions and loops, the innermost last; see `Branch`, which has these methods."""

    __slots__ = ()

    def sees(self, operands: Sequence[object]) -> None:
        """An operator is about to look at these."""
        for branch in self:
            branch.sees(operands)

    def writes(self, places: Sequence[Any]) -> None:
        """A launch is about to write to these places."""
        for branch in self:
            branch.writes(places)

    def grad_set(self, leaf: Any) -> None:
        """`.grad` of a leaf is about to be set."""
        for branch in self:
            branch.grad_set(leaf)

    def refuse(self, what: str) -> None:
        """What no branch may do is about to be done."""
        for branch in self:
            branch.refuse(what)
