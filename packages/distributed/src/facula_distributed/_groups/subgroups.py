"""Division of a group into several."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidValueError
from facula_errors.extend import boundary

from .groups import GroupMember, ProcessGroup, default_group, group_of, new_group

if TYPE_CHECKING:
    from datetime import timedelta


@boundary
def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Return this process's group, and all groups, of `group_size` successive processes each.

    Arguments:
        group_size: the number of processes in each group; LOCAL_WORLD_SIZE if None. It divides the number of all.
        group: the group to divide; the default group if None.
        timeout, backend, pg_options, group_desc: as for `new_group`.

    Raises:
        ValueError: a size that does not divide the number of processes.
    """
    found = group_of("new_subgroups", group) or default_group()
    if group_size is None:
        group_size = int(os.environ.get("LOCAL_WORLD_SIZE", found.size()))
    if isinstance(group_size, bool) or not isinstance(group_size, int) or group_size < 1 or found.size() % group_size:
        raise InvalidValueError(
            f"new_subgroups: expected group_size to divide {found.size()}, the number of processes; got {group_size!r}"
        )
    ranks = found._member.ranks
    parts = [ranks[start : start + group_size] for start in range(0, len(ranks), group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


@boundary
def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Return this process's group, and all groups. Only this process's group is a ProcessGroup.

    Arguments:
        ranks_per_subgroup_list: the ranks of each group's processes. No rank is in two groups.
        timeout, backend, pg_options, group_desc: as for `new_group`.

    Raises:
        ValueError: ranks that do not exist, or are there twice.
    """
    flat = [rank for ranks in ranks_per_subgroup_list for rank in ranks]
    if not flat or len(set(flat)) < len(flat):
        raise InvalidValueError(
            f"new_subgroups_by_enumeration: expected each rank in at most one group; got {ranks_per_subgroup_list}"
        )
    made = [new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in ranks_per_subgroup_list]
    own = next((one for one in made if isinstance(one, ProcessGroup)), GroupMember.NON_GROUP_MEMBER)
    return own, made
