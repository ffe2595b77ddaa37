"""Errors in backward passes that concern all ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._board.lines import program_line
from .._collectives.objects import all_gather_object
from .._errors import DistBackendError, DistError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._groups.groups import ProcessGroup

_MOST_NAMES = 20  # parameters that an error names


def fail_pass(group: ProcessGroup, error: BaseException) -> None:
    """Make all ranks raise RankError after an error in a backward pass: they would wait for this one.

    Arguments:
        group: the process group.
        error: the error.
    """
    if group.size() > 1 and not isinstance(error, DistError):
        member = group._member
        where, rank = program_line().decode(), member.world.rank
        text = f"rank {rank} failed in a backward pass at {where}: {type(error).__name__}: {error}"
        member.world.board.fail(rank, text)


def missing_gradients(operation: str, group: ProcessGroup, missing: Sequence[str], asks: bool) -> DistBackendError:
    """Return the error of gradients that a backward pass did not compute.

    Arguments:
        operation: the beginning of the message.
        group: the process group.
        missing: the names of the parameters that this rank has no gradients of.
        asks: also name those of other ranks, all of which call this.
    """
    lists: list[Any] = [missing]
    if asks:
        lists = [None] * group.size()
        all_gather_object(lists, missing, group)
    where: dict[str, list[int]] = {}
    for rank, names in zip(group._member.ranks if asks else [group._member.world.rank], lists, strict=True):
        for name in names:
            where.setdefault(name, []).append(rank)
    shown = [f"{name} on {'ranks' if len(ranks) > 1 else 'rank'} {', '.join(map(str, ranks))}"
             for name, ranks in where.items()]  # fmt: skip
    rest = f" and {len(shown) - _MOST_NAMES} others" if len(shown) > _MOST_NAMES else ""
    return DistBackendError(
        f"{operation}: expected a gradient of each parameter; the backward pass did not compute those of "
        f"{'; '.join(shown[:_MOST_NAMES])}{rest}; use all results of the module in the loss, or pass "
        "find_unused_parameters=True"
    )
