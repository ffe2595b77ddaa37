"""Questions about groups: ranks, sizes, backends."""

from __future__ import annotations

import os

from facula_errors import InvalidValueError, OperationError
from facula_errors.extend import boundary

from .groups import ProcessGroup, all_groups, check_group_rank, group_of, is_other, rank_in


@boundary
def get_rank(group: ProcessGroup | None = None) -> int:
    """Return the rank of this process in a group, or -1 if it is not a member. ValueError if there is no group."""
    return -1 if is_other(group) else _member_of("get_rank", group).rank()


@boundary
def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return the number of a group's processes, or -1 if this is not a member. ValueError if there is no group."""
    return -1 if is_other(group) else _member_of("get_world_size", group).size()


@boundary
def get_backend(group: ProcessGroup | None = None) -> str:
    """Return the name that the group was created with; "undefined" for None. ValueError if there is no group."""
    return str(_member_of("get_backend", group)._backend)


@boundary
def get_backend_config(group: ProcessGroup | None = None) -> str:
    """Return the backend of each device type, such as "cpu:gloo". ValueError if there is no group."""
    found = _member_of("get_backend_config", group)
    return str(found._backend) if ":" in found._backend else f"cpu:{found.name()}"


def get_default_backend_for_device(device: object) -> str:
    """Return the backend of a device's tensors: "gloo" for the CPU. ValueError for others."""
    if str(device).partition(":")[0] != "cpu":
        raise InvalidValueError(f"get_default_backend_for_device: expected the CPU; got {device!r}")
    return "gloo"


def _member_of(operation: str, group: ProcessGroup | None) -> ProcessGroup:
    found = group_of(operation, group)
    if found is None:
        raise InvalidValueError(f"{operation}: expected a group that this process is a member of; got {group!r}")
    return found


@boundary
def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Return the ranks of a group's processes among all. ValueError if there is no group."""
    return list(_member_of("get_process_group_ranks", group)._member.ranks)


def get_pg_count() -> int:
    """Return the number of groups."""
    return len(all_groups())


@boundary
def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return the rank in a group of a process, given its rank among all. ValueError if it is no member."""
    return rank_in("get_group_rank", "global_rank", _member_of("get_group_rank", group), global_rank)


@boundary
def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the rank among all processes, given that in a group. ValueError if it is out of range."""
    found = _member_of("get_global_rank", group)
    return found._member.ranks[check_group_rank("get_global_rank", "group_rank", found, group_rank)]


@boundary
def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return this process's rank on its machine, from LOCAL_RANK, or the fallback; RuntimeError without either."""
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise OperationError(
            "get_node_local_rank: expected the environment variable LOCAL_RANK, or fallback_rank; got neither"
        )
    return int(fallback_rank)


def is_available() -> bool:
    """Return whether process groups are available: True.

    >>> is_available()
    True
    """
    return True
