"""The ranks that save or load a checkpoint together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._collectives.objects import all_gather_object
from .._errors import RankError
from .._groups.groups import group_of, is_initialized

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._groups.groups import ProcessGroup


class Ranks:
    """The ranks of a group, or this process alone.

    Arguments:
        group: the group, or None.
    """

    def __init__(self, group: ProcessGroup | None) -> None:
        self.group = group
        self.rank, self.size = (0, 1) if group is None else (group.rank(), group.size())

    @classmethod
    def of(cls, operation: str, group: ProcessGroup | None, *, is_alone: bool) -> Ranks:
        """Return the ranks of a group, by default of all; this process alone if there is no group."""
        if is_alone or (group is None and not is_initialized()):
            return cls(None)
        return cls(group_of(operation, group))

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all ranks."""
        if self.group is None or self.size == 1:
            return [value]
        found: list[Any] = [None] * self.size
        all_gather_object(found, value, self.group)
        return found

    def agree(self, operation: str, error: Exception | None, undo: Callable[[], object] | None = None) -> None:
        """Raise on all ranks if one has an error: its own, or that of the first rank that has one.

        Arguments:
            operation: the beginning of errors.
            error: the error of this rank, or None.
            undo: called before this raises, when all ranks know of an error.
        """
        texts = self.gather(None if error is None else f"{type(error).__name__}: {error}")
        if undo is not None and any(text is not None for text in texts):
            undo()
        if error is not None:
            raise error
        for rank, text in enumerate(texts):
            if text is not None:
                raise RankError(f"{operation}: rank {rank} failed: {text}", rank)
