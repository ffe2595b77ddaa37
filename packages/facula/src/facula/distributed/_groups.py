"""Groups of processes that work together: so far of one process."""

from __future__ import annotations

import os
from datetime import timedelta
from typing import Any, ClassVar

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError, OperationError, UnsupportedError
from facula_errors.extend import boundary, warn

from .._lookup.siblings import needs
from . import _rendezvous
from ._store import ONE_PROCESS, Store, as_seconds
from ._stores import PrefixStore

with needs("facula.distributed"):
    from facula_data.extend import process_groups

default_pg_timeout = timedelta(minutes=30)


class Backend(str):
    """The name of a communication backend, in lower case: `Backend("GLOO") == "gloo"`."""

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    XCCL = "xccl"
    UCC = "ucc"
    MPI = "mpi"
    backend_list: ClassVar = [UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI]

    __slots__ = ()

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise InvalidValueError(f"Backend: expected the name as a str; got {name!r}")
        return super().__new__(cls, name.lower())


class ProcessGroup:
    """A group of processes: this one alone. Created by `init_process_group` and `new_group`.

    Arguments:
        backend: the name of the communication backend.
        name: the group's unique name.
        description: the program's description of it.
        store: the group's keys and values.
    """

    def __init__(self, backend: Backend, name: str, description: str, store: Store) -> None:
        self.group_name, self.group_desc = name, description
        self._backend, self._store = backend, store

    def size(self) -> int:
        """Return the number of processes: 1."""
        return 1

    def rank(self) -> int:
        """Return the rank of this process: 0."""
        return 0

    def name(self) -> str:
        """Return the name of the communication backend."""
        return "gloo" if self._backend == Backend.UNDEFINED else str(self._backend)

    def get_group_store(self) -> Store:
        """Return the group's keys and values."""
        return self._store


class _Groups(type):
    """Metaclass that makes a class's `WORLD` the group of all processes, or None."""

    @property
    def WORLD(cls) -> ProcessGroup | None:
        """The group of all processes; None before `init_process_group`."""
        return _world[0] if _world else None


class GroupMember(metaclass=_Groups):
    """`WORLD`, the group of all processes (None before `init_process_group`), and the mark of a non-member."""

    NON_GROUP_MEMBER: ClassVar[Any] = -100


_world: list[ProcessGroup] = []  # the existing groups, the default one first
_count = [0]  # the number of the last group's name


def is_initialized() -> bool:
    """Return whether `init_process_group` was called, and `destroy_process_group` has not been called since."""
    return bool(_world)


def backends() -> tuple[str, ...]:
    """Return the backend of each group, which captured functions compare before a replay."""
    return tuple([str(group._backend) for group in _world])


def default_group() -> ProcessGroup:
    """Return the group of all processes. ValueError before `init_process_group`."""
    if not _world:
        raise InvalidValueError(
            "distributed: expected a default process group; call init_process_group first, or ask is_initialized()"
        )
    return _world[0]


def group_of(operation: str, group: Any) -> ProcessGroup | None:
    """Return the group of an argument, None for the default one; warn and return None for NON_GROUP_MEMBER."""
    if group is None:
        return default_group()
    if isinstance(group, int) and group == GroupMember.NON_GROUP_MEMBER:
        warn(f"{operation}: this process is no member of the group; nothing is done")
        return None
    if not isinstance(group, ProcessGroup) or group not in _world:
        raise InvalidValueError(f"{operation}: expected a process group that was made and not destroyed; got {group!r}")
    return group


def _make(
    operation: str, backend: str | None, description: str, store: Store, timeout: timedelta | None, options: object
) -> ProcessGroup:
    """Add a group. Arguments are those of `init_process_group`; errors begin with `operation`."""
    kind = Backend(Backend.UNDEFINED if backend is None else backend)
    for entry in kind.split(","):  # "cpu:gloo,cuda:nccl"
        name = entry.rpartition(":")[2]
        if name not in Backend.backend_list:
            raise InvalidValueError(f"{operation}: expected backend to be None or 'gloo'; got {backend!r}")
        if name not in (Backend.UNDEFINED, Backend.GLOO):
            raise OperationError(
                f"{operation}: expected an available backend; got {backend!r}, facula has no {name}; use 'gloo', "
                "or ask is_backend_available(name) first"
            )
    if options is not None:
        raise UnsupportedError(
            f"{operation}: expected pg_options=None, as backends have no options yet; got {options!r}"
        )
    if timeout is not None:
        as_seconds(operation, timeout)
    group = ProcessGroup(kind, str(_count[0]), description, PrefixStore(f"group_{_count[0]}", store))
    _count[0] += 1
    _world.append(group)
    return group


@boundary
def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: object = None,
    device_id: object = None,
) -> None:
    """Initialize the default process group, which has one process so far.

    The address is `env://` (the default: RANK, WORLD_SIZE, MASTER_ADDR
    and MASTER_PORT, as torchrun sets them), `tcp://HOST:PORT` or `file://PATH`, with `?rank=0&world_size=1` perhaps.

    Arguments:
        backend: "gloo", "cpu:gloo", or None, which have the same effect.
        init_method: the address at which the processes connect.
        timeout: ignored, as there are no other processes to wait for.
        world_size: the number of processes.
        rank: the rank of this one.
        store: keys and values of the group, instead of `init_method`.
        group_name: ignored.
        pg_options: None.
        device_id: None, or the CPU.

    Raises:
        NotImplementedError: more than one process.
        RuntimeError: a backend of PyTorch's that is not supported, such as "nccl".
        ValueError: the rank or the number of processes is missing, or the group exists already.

    >>> from facula.distributed import HashStore
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> get_rank(), get_world_size(), get_backend()
    (0, 1, 'gloo')
    >>> destroy_process_group()
    """
    if _world:
        raise InvalidValueError(
            "init_process_group: there is a default process group; call destroy_process_group first"
        )
    if device_id is not None and getattr(device_id, "type", device_id) != "cpu":
        raise OperationError(
            f"init_process_group: expected device_id=None, as there is the CPU alone; got {device_id!r}"
        )
    if store is not None and not isinstance(store, Store):
        raise InvalidTypeError(f"init_process_group: expected store to be a Store; got {type(store).__name__}")
    found = _rendezvous.find(init_method, rank, world_size, store)
    _count[0] = 0
    _make("init_process_group", backend, "default_pg", found, timeout, pg_options)
    process_groups[:] = [(0, 1)]


@boundary
def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Destroy a group, or all groups if it is the default one. ValueError if there is none."""
    found = group_of("destroy_process_group", group)
    if found is None:
        return
    if found is _world[0]:
        _world.clear()
        process_groups.clear()
    else:
        _world.remove(found)


@boundary
def new_group(
    ranks: list[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: object = None,
) -> ProcessGroup:
    """Create another group of the only process. ValueError for other ranks.

    Arguments:
        ranks: the ranks of its processes: [0], or None for all.
        timeout: ignored, as there are no other processes to wait for.
        backend: the communication backend; that of the default group if None.
        pg_options: None.
        use_local_synchronization: ignored.
        group_desc: the program's description of it.
        device_id: ignored.
    """
    default = default_group()
    if ranks is not None and list(ranks) != [0]:
        raise InvalidValueError(f"new_group: expected ranks to be [0] or None; got {ranks}; {ONE_PROCESS}")
    kind = default._backend if backend is None else backend
    return _make("new_group", kind, group_desc or "undefined", default._store, timeout, pg_options)


@boundary
def new_subgroups(
    group_size: int | None = None,
    group: ProcessGroup | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup, list[ProcessGroup]]:
    """Return this process's group, and all groups, of `group_size` processes each: 1. ValueError for another size.

    Arguments:
        group_size: the number of processes in each group.
        group: the group to divide; the default group if None.
        timeout, backend, pg_options, group_desc: as for `new_group`.
    """
    if group_size != 1:
        raise InvalidValueError(f"new_subgroups: expected group_size 1; got {group_size}; {ONE_PROCESS}")
    group_of("new_subgroups", group)
    return new_subgroups_by_enumeration([[0]], timeout, backend, pg_options, group_desc)


@boundary
def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]],
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    group_desc: str | None = None,
) -> tuple[ProcessGroup, list[ProcessGroup]]:
    """Return this process's group, and all groups: of the ranks [[0]]. ValueError for others.

    Arguments:
        ranks_per_subgroup_list: the ranks of each group's processes.
        timeout, backend, pg_options, group_desc: as for `new_group`.
    """
    if ranks_per_subgroup_list != [[0]]:
        raise InvalidValueError(
            f"new_subgroups_by_enumeration: expected the ranks [[0]]; got {ranks_per_subgroup_list}; {ONE_PROCESS}"
        )
    made = new_group([0], timeout, backend, pg_options, group_desc=group_desc)
    return made, [made]


@boundary
def get_rank(group: ProcessGroup | None = None) -> int:
    """Return the rank of this process in a group: 0, or -1 if it is not a member. ValueError if there is no group."""
    return -1 if group_of("get_rank", group) is None else 0


@boundary
def get_world_size(group: ProcessGroup | None = None) -> int:
    """Return the number of a group's processes: 1, or -1 if this is not a member. ValueError if there is no group."""
    return -1 if group_of("get_world_size", group) is None else 1


@boundary
def get_backend(group: ProcessGroup | None = None) -> str:
    """Return the name that the group was created with; "undefined" for None. ValueError if there is no group."""
    return str(_member("get_backend", group)._backend)


@boundary
def get_backend_config(group: ProcessGroup | None = None) -> str:
    """Return the backend of each device type, such as "cpu:gloo". ValueError if there is no group."""
    found = _member("get_backend_config", group)
    return str(found._backend) if ":" in found._backend else f"cpu:{found.name()}"


def get_default_backend_for_device(device: object) -> str:
    """Return the backend of a device's tensors: "gloo" for the CPU. ValueError for others."""
    if str(device).partition(":")[0] != "cpu":
        raise InvalidValueError(f"get_default_backend_for_device: expected the CPU; got {device!r}")
    return "gloo"


def _member(operation: str, group: ProcessGroup | None) -> ProcessGroup:
    found = group_of(operation, group)
    if found is None:
        raise InvalidValueError(f"{operation}: expected a group that this process is a member of; got {group!r}")
    return found


@boundary
def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """Return the ranks of a group's processes: [0]. ValueError if there is no group."""
    _member("get_process_group_ranks", group)
    return [0]


def get_pg_count() -> int:
    """Return the number of groups."""
    return len(_world)


@boundary
def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """Return a process's rank in a group: 0 for 0. ValueError for others."""
    return check_rank("get_group_rank", "global_rank", _member("get_group_rank", group), global_rank)


@boundary
def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """Return the global rank of a group's process: 0 for 0. ValueError for others."""
    return check_rank("get_global_rank", "group_rank", _member("get_global_rank", group), group_rank)


def check_rank(operation: str, name: str, group: ProcessGroup, rank: object) -> int:
    """Return the rank, which is 0; ValueError for others.

    Arguments:
        operation: the beginning of errors.
        name: the argument.
        group: the group of the rank.
        rank: its value.
    """
    if rank != 0 or isinstance(rank, bool) or not isinstance(rank, int):
        raise ArgumentError(f"{operation}: expected {name} 0, in a group of {group.size()} process; got {rank!r}")
    return 0


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
    """Return whether process groups are available: True, of one process.

    >>> is_available()
    True
    """
    return True
