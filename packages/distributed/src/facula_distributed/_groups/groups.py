"""Groups of processes that work together."""

from __future__ import annotations

import os
import time
import zlib
from datetime import timedelta
from itertools import count
from typing import TYPE_CHECKING, Any, ClassVar

from facula_errors import ArgumentError, InvalidTypeError, InvalidValueError, OperationError
from facula_errors.extend import boundary, warn
from facula_multiprocessing import SharedMemoryError

from .._board.receipts import Receipts
from .._board.world import World
from .._engines.choice import new_member
from .._engines.start import start
from .._stores.network import NetworkStore, ServerEndedError
from .._stores.store import Store, as_seconds
from .._stores.stores import PrefixStore
from .._turns import lists_of_ranks, turns
from .addresses import Found, find
from .backends import Backend, checked_backend, is_mpi
from .work import Worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .._board.member import Member

# How long operations wait for other processes, unless the group says otherwise.
default_pg_timeout = timedelta(minutes=30)
_AGAIN = timedelta(seconds=30)  # in which rank 0 makes a new store after it closed the former one
_PAUSE_SECONDS = 0.05


class ProcessGroup:
    """A group of processes, created by `init_process_group` and `new_group`.

    Arguments:
        backend: the name of the communication backend.
        name: the group's unique name.
        description: the program's description of it.
        store: the group's keys and values.
        member: this process's part in it.
    """

    def __init__(self, backend: Backend, name: str, description: str, store: Store, member: Member) -> None:
        self.group_name, self.group_desc = name, description
        self._serial = next(_serials)
        self._backend, self._store, self._member = backend, store, member
        self._worker, self._letters = Worker(), member.new_letters()
        self._receipts = Receipts(member, self._letters)

    def size(self) -> int:
        """Return the number of processes."""
        return len(self._member.ranks)

    def rank(self) -> int:
        """Return the rank of this process in the group."""
        return self._member.ranks.index(self._member.world.rank)

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
        return _groups[0] if _groups else None


class GroupMember(metaclass=_Groups):
    """`WORLD`, the group of all processes (None before `init_process_group`), and the mark of a non-member."""

    NON_GROUP_MEMBER: ClassVar[Any] = -100


_serials = count()
_groups: list[ProcessGroup] = []  # the existing groups, the default one first
places: list[tuple[int, int]] = []  # the rank and the size of the default group, once it is initialized
_mirrors: list[list[tuple[int, int]]] = [places]
_worlds = [0]  # the number of groups of all processes that this process was a member of
lists_of_ranks += [_groups, places, _worlds]


def mirror_places(other: list[tuple[int, int]]) -> None:
    """Keep another list equal to `places`: [(rank, size)] of the default group, or [] before there is one."""
    other[:] = places
    _mirrors.append(other)
    lists_of_ranks.append(other)


def _set_places(*values: tuple[int, int]) -> None:
    for one in _mirrors:
        one[:] = values


def _forget_in_child() -> None:
    _groups.clear()
    _set_places()


os.register_at_fork(after_in_child=_forget_in_child)


def is_initialized() -> bool:
    """Return whether `init_process_group` was called, and `destroy_process_group` has not been called since."""
    return bool(_groups)


def all_groups() -> tuple[ProcessGroup, ...]:
    """Return the groups that this process is a member of, the default one first."""
    return tuple(_groups)


def present_groups() -> tuple[int, ...]:
    """Return a number for each group, which captured functions compare before a replay."""
    return tuple([group._serial for group in _groups])


def default_group() -> ProcessGroup:
    """Return the group of all processes. ValueError before `init_process_group`."""
    if not _groups:
        raise InvalidValueError(
            "distributed: expected a default process group; call init_process_group first, or ask is_initialized()"
        )
    return _groups[0]


def is_other(group: Any) -> bool:
    """Return whether a group is one of other processes, NON_GROUP_MEMBER."""
    return isinstance(group, int) and group == GroupMember.NON_GROUP_MEMBER


def group_of(operation: str, group: Any, *named: int | None) -> ProcessGroup | None:
    """Return the group of an argument, None for the default one; warn and return None for NON_GROUP_MEMBER.

    Arguments:
        operation: the beginning of messages.
        group: the argument.
        named: ranks among all that must be members, such as the source.

    Raises:
        ValueError: this process is not a member, but among `named`.
    """
    if group is None:
        return default_group()
    if is_other(group):
        own = default_group()._member.world.rank
        if own in named:
            raise InvalidValueError(
                f"{operation}: expected a rank of the group; got {own}, this process, which is no member of it"
            )
        warn(f"{operation}: this process is no member of the group; nothing is done")
        return None
    if not isinstance(group, ProcessGroup) or group not in _groups:
        raise InvalidValueError(f"{operation}: expected a process group that was made and not destroyed; got {group!r}")
    return group


def _seconds(operation: str, timeout: timedelta | None) -> float:
    return as_seconds(operation, default_pg_timeout if timeout is None else timeout)


def _add(kind: Backend, description: str, store: Store, member: Member) -> ProcessGroup:
    name = str(member.group - member.world.first_group)
    group = ProcessGroup(kind, name, description, PrefixStore(f"group_{name}", store), member)
    _groups.append(group)
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
    """Initialize the default process group, of all processes; all must call this function.

    The address is `env://` (the default: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT, which launchers set),
    `tcp://HOST:PORT` or `file://PATH`, with `?rank=0&world_size=1` perhaps. Processes of several machines, and those of
    the backend "mpi", need MPI: `pip install mpi4py mpich`.

    Arguments:
        backend: "gloo", "shm", "cpu:gloo", or None, which have the same effect: communication in shared memory, and
            between machines with MPI; or "mpi".
        init_method: the address at which the processes connect.
        timeout: how long to wait for other processes, here and in each operation; 30 minutes if None.
        world_size: the number of processes.
        rank: the rank of this one.
        store: keys and values that the processes have in common, instead of `init_method`.
        group_name: ignored.
        pg_options: None.
        device_id: None, or the CPU.

    Raises:
        RuntimeError: a backend of PyTorch's that is not supported, such as "nccl"; processes that do not connect;
            MPI is needed and not installed.
        ValueError: the rank or the number of processes is missing, or the group exists already.

    >>> from facula_distributed import HashStore
    >>> init_process_group("gloo", store=HashStore(), rank=0, world_size=1)
    >>> get_rank(), get_world_size(), get_backend()
    (0, 1, 'gloo')
    >>> destroy_process_group()
    """
    operation = "init_process_group"
    if _groups:
        raise InvalidValueError(f"{operation}: there is a default process group; call destroy_process_group first")
    if device_id is not None and getattr(device_id, "type", device_id) != "cpu":
        raise OperationError(f"{operation}: expected device_id=None, as there is the CPU alone; got {device_id!r}")
    if store is not None and not isinstance(store, Store):
        raise InvalidTypeError(f"{operation}: expected store to be a Store; got {type(store).__name__}")
    kind = checked_backend(operation, backend, pg_options)
    seconds = _seconds(operation, timeout)
    found, world = connected(init_method, rank, world_size, store, timedelta(seconds=seconds), is_mpi(kind))
    try:
        member = new_member(world, world.new_group_number(), range(found.size), seconds, is_mpi(kind))
    except SharedMemoryError as error:
        world.board.fail(world.rank, f"rank {world.rank} failed: {error}")
        world.close()
        raise
    member.meet(operation)
    _add(kind, "default_pg", found.store, member)
    _set_places((found.rank, found.size))
    watch_stalls(world)


def connected(
    init_method: str | None,
    rank: int,
    world_size: int,
    store: Store | None,
    timeout: timedelta,
    uses_mpi: bool = False,
) -> tuple[Found, World]:
    """Meet the other processes. The arguments are those of `init_process_group`.

    After `destroy_process_group`, rank 0 may still have its former store at the address; others then try again.
    """
    limit = timeout
    while True:
        try:
            found = find(init_method, rank, world_size, store, limit)
            if limit < timeout:
                found.store.set_timeout(timeout)
            own_store = PrefixStore(f"world {_worlds[0]}", found.store)
            world = World(own_store, found.rank, found.size, timeout, _worlds[0])
            if len(world.locals) < world.size or (uses_mpi and turns() is None):
                world.mpi = start(own_store, world, timeout)
        except ServerEndedError:
            if store is not None:
                raise
            limit = min(timeout, _AGAIN)
            time.sleep(_PAUSE_SECONDS)
        else:
            _worlds[0] += found.size > 1
            world.closes = found.store.close if store is None and isinstance(found.store, NetworkStore) else None
            return found, world


def watch_stalls(world: World) -> None:
    """Warn of ranks that are late, from rank 0, unless a launcher does."""
    if world.rank == 0 and world.size > 1 and not world.is_launched and turns() is None:
        from .._launch.watch import start_watching

        start_watching(world)


@boundary
def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Destroy a group, or all groups if it is the default one. ValueError if there is none."""
    found = group_of("destroy_process_group", group)
    if found is None:
        return
    ended = list(_groups) if found is _groups[0] else [found]
    for one in ended:
        _groups.remove(one)
        one._worker.close()
        one._letters.flush()
        one._receipts.close()
        one._member.leave()
    if not _groups:
        _set_places()
        found._member.world.close()


def _member_of_all(default: ProcessGroup, ranks: list[int], timeout: float, detail: int, is_mpi: bool) -> Member | None:
    """Return this process's part in a new group after all have met, or None if it has none."""
    world, error = default._member.world, None
    number, member = world.new_group_number(), None
    if is_mpi and world.mpi is None and turns() is None:
        world.mpi = start(PrefixStore("mpi", default._store), world, timedelta(seconds=timeout))
    if world.rank in ranks:
        try:
            member = new_member(world, number, ranks, timeout, is_mpi)
        except SharedMemoryError as caught:
            error = caught
    default._worker.submit(
        lambda: default._member.meet("new_group", detail, has_memory=error is None), async_op=False, results=()
    )
    if error is not None:
        raise error
    return member


@boundary
def new_group(
    ranks: list[int] | None = None,
    timeout: timedelta | None = None,
    backend: str | None = None,
    pg_options: object = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: object = None,
) -> Any:
    """Create a group of some processes, and return it, or NON_GROUP_MEMBER in others. All processes must call this.

    With `use_local_synchronization`, only the members must, in the same order; other processes return None at once.

    Arguments:
        ranks: the ranks of its processes; None for all.
        timeout: how long operations wait for other processes; that of the default group if None.
        backend: the communication backend; that of the default group if None.
        pg_options: None.
        use_local_synchronization: whether only the members call this.
        group_desc: the program's description of it.
        device_id: ignored.

    Raises:
        ValueError: ranks that do not exist, or are there twice.
    """
    default = default_group()
    world, all_ranks = default._member.world, range(default.size())
    chosen = sorted(all_ranks if ranks is None else ranks)
    if not chosen or len(set(chosen)) < len(chosen) or any(rank not in all_ranks for rank in chosen):
        raise InvalidValueError(
            f"new_group: expected ranks to be different numbers below {len(all_ranks)}; got {ranks}"
        )
    kind = checked_backend("new_group", default._backend if backend is None else backend, pg_options)
    seconds = default._member.timeout if timeout is None else _seconds("new_group", timeout)
    detail = zlib.crc32(repr(chosen).encode())
    member: Member | None
    if use_local_synchronization:
        if world.rank not in chosen:
            return None
        if is_mpi(kind) and world.mpi is None:
            raise OperationError(
                "new_group: expected use_local_synchronization=False for the first group with the backend 'mpi', which "
                "starts it in all processes; or pass 'mpi' to init_process_group"
            )
        number = world.new_local_group_number(tuple(chosen), seconds)
        member = new_member(world, number, chosen, seconds, is_mpi(kind))
        member.meet("new_group", detail)
    else:
        member = _member_of_all(default, chosen, seconds, detail, is_mpi(kind))
    if member is None:
        return GroupMember.NON_GROUP_MEMBER
    return _add(kind, group_desc or "undefined", default._store, member)


def rank_in(operation: str, name: str, group: ProcessGroup, rank: object) -> int:
    """Return the rank in a group, given that among all; ValueError if it is no member.

    Arguments:
        operation: the beginning of errors.
        name: the argument.
        group: the group.
        rank: its value.
    """
    ranks: Sequence[object] = group._member.ranks
    if rank not in ranks or isinstance(rank, bool) or not isinstance(rank, int):
        raise ArgumentError(f"{operation}: expected {name} to be a rank of the group, {ranks}; got {rank!r}")
    return ranks.index(rank)


def check_group_rank(operation: str, name: str, group: ProcessGroup, rank: object) -> int:
    """Return a rank in the group; ValueError if it is out of range. Arguments: those of `rank_in`."""
    if isinstance(rank, bool) or not isinstance(rank, int) or not 0 <= rank < group.size():
        raise ArgumentError(
            f"{operation}: expected {name} to be a rank below {group.size()}, the group's size; got {rank!r}"
        )
    return rank
