"""All ranks as this one sees them: the board, the ranks' arenas, and whether their processes are alive.

Note [Attaching]
~~~~~~~~~~~~~~~~
Each rank announces its process, its arena and its version in the store. The first rank of each machine also announces
the machine's board, which is that of the launcher, or a new one. The files have no names: other ranks open them as
/proc/PID/fd/FD, which the kernel allows to processes of the same user only. So a rank never unpickles data of another
user.

Each machine has a board of its own, with places for all ranks. A rank writes its own place on it, and sees neither the
processes nor the memory of ranks on other machines.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections import Counter
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from facula_errors import OperationError
from facula_multiprocessing import SharedMemoryError
from facula_multiprocessing.extend import Arena, Stacks, new_block

from .._errors import DistNetworkError, DistStoreError, DistTimeoutError, RankError
from .._shm import lib
from .._turns import turns
from .board import Board

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._stores.store import Store

BOARD_VARIABLE = "FACULA_BOARD"  # the descriptor of the launcher's board and its number of ranks: "5:4"
JOB_VARIABLE = "FACULA_JOB"  # the launcher's name of this run, at which its ranks meet
NODES_VARIABLE = "FACULA_NNODES"  # the number of machines; GROUP_RANK is that of this one
_OPERATION = "init_process_group"
_LOOK_SECONDS = 0.2  # between two looks whether ranks that connect have ended


class Launched(NamedTuple):
    """The descriptor of the launcher's board and the number of ranks, which the launcher passed to this process."""

    fd: int
    world: int


def launched() -> Launched | None:
    """Return the launcher's board, or None if no launcher of this package started this process."""
    fd, _, world = os.environ.get(BOARD_VARIABLE, "").partition(":")
    try:
        if "facula-board" in os.readlink(f"/proc/self/fd/{fd}"):
            return Launched(int(fd), int(world))
    except OSError:  # a child of a rank inherits the variables alone
        pass
    return None


class World:
    """All ranks, as this one sees them.

    Arguments:
        store: keys and values that all ranks have in common.
        rank: the rank of this process.
        size: the number of ranks.
        timeout: how long to wait for other ranks.
        number: how many worlds the ranks were in before.

    Attributes:
        nodes: the number of each rank's machine.
        locals: the ranks of this machine.
        neighbours: the number of ranks that share the cores of this machine.
        is_remote: whether others are really on other machines; they may only be declared so, for tests.
        mpi: the MPI library, an `Mpi` of the engines, if it is started.
        host: the address of rank 0's machine, as seen from the others.

    Raises:
        DistNetworkError: ranks did not connect in time, or ended.
        OperationError: ranks have other versions.
        RankError: a rank has no memory left.
        SharedMemoryError: no memory is left.
    """

    def __init__(self, store: Store, rank: int, size: int, timeout: timedelta, number: int = 0) -> None:
        self.mpi: Any = None
        self.rank, self.size, self.number = rank, size, number
        self._store: Any = store
        self._files: list[Any] = []
        self._local_groups: Counter[tuple[int, ...]] = Counter()  # calls of `new_local_group_number`, by ranks
        self.closes: Callable[[], None] | None = None
        started = launched()
        self.is_launched = started is not None and started.world == size and os.environ.get("RANK") == str(rank)
        board = None
        try:
            self._own_block = new_block(1)  # its arena is that of all blocks of this process
            if started is not None and self.is_launched:
                board = Board(started.fd, size)
            elif rank == 0:
                board = Board.create(size)
                self._files.append(board.fd)
        except SharedMemoryError as error:
            store.set(f"rank {rank}", json.dumps({"error": str(error)}))
            raise
        self.arena = self._own_block.ledger.arena
        self.stacks, self.is_closed = stacks_of_this_process(), False
        if board is not None:  # others can see that this one waits for them
            self._set_place(board, 1)
        version = sys.modules["facula_distributed"].__version__
        announced = {
            "version": version, "machine": _machine(), "node": _node(), "pid": os.getpid(), "size": size,
        }  # fmt: skip
        if board is not None:
            announced |= {"board": board.fd, "group": int(board.head.groups), "local": int(board.head.local)}
        store.set(f"rank {rank}", json.dumps(announced))
        others = self._announcements(store, timeout)
        machines = [(other["machine"], other["node"]) for other in others]
        self.nodes = [list(dict.fromkeys(machines)).index(machine) for machine in machines]
        self.locals = [other for other in range(size) if self.nodes[other] == self.nodes[rank]]
        self.is_remote = len({machine for machine, _ in machines}) > 1
        self.neighbours = len(self.locals) if self.is_remote else size
        self.host = os.environ.get("MASTER_ADDR", "127.0.0.1") if self.is_remote else "127.0.0.1"
        self._check_own_processes(others)
        self.board: Board = board or self._board_of_machine(store, others, timeout)
        self.first_group = self.next_group = int(others[0]["group"])
        self._first_local = int(others[0]["local"])
        self.pids = {other: int(others[other]["pid"]) for other in self.locals}
        self._pidfds = {other: self._pidfd(other, pid) for other, pid in self.pids.items()}
        self._join(store, timeout)
        self._arenas = {other: self._map(other) for other in self.locals}
        self.addresses = [self._arenas[other].address if other in self._arenas else 0 for other in range(size)]

    def _announcements(self, store: Store, timeout: timedelta) -> list[dict[str, Any]]:
        found = []
        for rank in range(self.size):
            try:
                store.wait([f"rank {rank}"], timeout)
            except DistStoreError:
                missing = [other for other in range(self.size) if not store.check([f"rank {other}"])]
                raise DistNetworkError(
                    f"{_OPERATION}: expected {self.size} processes within {timeout.total_seconds():g} s; "
                    f"ranks {missing} did not connect; start them, or correct world_size"
                ) from None
            found.append(json.loads(store.get(f"rank {rank}")))
            if "error" in found[-1]:
                raise RankError(f"{_OPERATION}: rank {rank} failed: {found[-1]['error']}", rank)
        for name, expectation in (
            ("version", "one version of facula-distributed on all ranks"),
            ("size", "the same world_size on all ranks"),
        ):
            values = [other[name] for other in found]
            if len(set(values)) > 1:
                odd = next(rank for rank, value in enumerate(values) if value != values[0])
                raise OperationError(
                    f"{_OPERATION}: expected {expectation}; got {values[0]} on rank 0, {values[odd]} on rank {odd}"
                )
        return found

    def _check_own_processes(self, others: list[dict[str, Any]]) -> None:
        strangers = [rank for rank in self.locals if not _is_own_process(others[rank]["pid"])]
        if strangers:
            raise DistNetworkError(
                f"{_OPERATION}: expected processes of this user; ranks {strangers} have ended, or are not; start all "
                "ranks of a machine as one user"
            )

    def _board_of_machine(self, store: Store, others: list[dict[str, Any]], timeout: timedelta) -> Board:
        """Return the board of this machine, which its first rank creates, unless the launcher did."""
        first = self.locals[0]
        key, fd = f"board {first}", others[first].get("board")
        if self.rank == first:
            board = Board.create(self.size)
            self._files.append(board.fd)
            store.set(key, str(board.fd))
            return board
        if fd is None:
            store.wait([key], timeout)
            fd = int(store.get(key))
        return Board(self._open(others[first]["pid"], fd), self.size)

    def _open(self, pid: int, fd: int) -> int:
        """Open a file of another rank."""
        try:
            found = os.open(f"/proc/{pid}/fd/{fd}", os.O_RDWR | os.O_CLOEXEC)
        except OSError as error:
            failure = self.board.failure() if hasattr(self, "board") else None
            if failure is not None:
                raise RankError(f"{_OPERATION}: {failure[1]}", failure[0]) from None
            raise DistNetworkError(
                f"{_OPERATION}: expected access to memory of process {pid}; got {error.strerror}; the process has "
                "ended, or runs as another user or in another container"
            ) from None
        self._files.append(found)
        return found

    def _pidfd(self, rank: int, pid: int) -> int:
        try:
            found = os.pidfd_open(pid)
        except ProcessLookupError:
            raise DistNetworkError(f"{_OPERATION}: rank {rank} (process {pid}) has ended; see its output") from None
        self._files.append(found)
        return found

    def _join(self, store: Store, timeout: timedelta) -> None:
        """Publish this rank's place, and wait for those of the others."""
        self._set_place(self.board, 1)
        store.set(f"joined {self.rank}", b"")
        keys, end = [f"joined {rank}" for rank in range(self.size)], time.monotonic() + timeout.total_seconds()
        while True:
            try:
                store.wait(keys, timedelta(seconds=_LOOK_SECONDS))
                break
            except DistStoreError:
                missing = [rank for rank in range(self.size) if not store.check([keys[rank]])]
                self.check_alive(_OPERATION, missing, end)
        self._set_place(self.board, 2)

    def _set_place(self, board: Board, joined: int) -> None:
        """Tell others where this rank is: 1 while it connects, 2 afterwards."""
        place = board.place(self.rank)
        place.pid, place.arena, place.capacity = os.getpid(), self.arena.fd, self.arena.capacity
        place.stacks, place.joined = self.stacks.fileno(), joined
        place.since = time.monotonic() if joined == 1 else 0

    def _map(self, rank: int) -> Arena:
        if rank == self.rank:
            return self.arena
        place = self.board.place(rank)
        fd = self._open(place.pid, place.arena)
        self._files.remove(fd)  # the arena closes it
        return Arena.over(fd, place.capacity)

    def has_ended(self, rank: int) -> bool:
        """Return whether the process of a rank has ended; False if it is on another machine."""
        others = turns()
        if others is not None:
            return rank in others.ended
        if rank not in self._pidfds:
            return False
        poll = select.poll()
        poll.register(self._pidfds[rank], select.POLLIN)
        return bool(poll.poll(0))

    def raise_failure(self, operation: str) -> None:
        """Raise RankError if a rank has failed; the beginning of the message is given."""
        failure = self.board.failure()
        if failure is not None:
            raise RankError(f"{operation}: {failure[1]}", failure[0])

    def check_alive(self, operation: str, ranks: Sequence[int], end: float) -> None:
        """Raise if some of the awaited ranks have ended, or at the end of the time for which this rank waits."""
        self.raise_failure(operation)
        ended = [rank for rank in ranks if self.has_ended(rank)]
        if ended or time.monotonic() > end:
            what = "have ended" if ended else "do not connect"
            raise DistNetworkError(f"{operation}: ranks {ended or list(ranks)} {what}; see their output")

    def new_group_number(self) -> int:
        """Return the number of another group, which is the same on all ranks.

        Raises:
            OperationError: there are too many.
        """
        number = self.next_group
        if number >= lib.LOCAL:
            raise OperationError(f"new_group: expected at most {lib.LOCAL} groups in a program; reuse groups")
        self.next_group += 1
        if self.rank == self.locals[0]:
            self.board.head.groups = self.next_group
        return number

    def new_local_group_number(self, ranks: tuple[int, ...], timeout: float) -> int:
        """Return the number of another group, which the first of its ranks tells the others.

        Raises:
            OperationError: there are too many.
            DistTimeoutError: the first rank did not call this in time.
            RankError: it has ended.
        """
        self._local_groups[ranks] += 1
        key, first, store = f"group {self._local_groups[ranks]} of {ranks}", ranks[0], self._store
        if self.rank == first:
            store.set(key, str(lib.LOCAL + self._first_local + store.add("local groups", 1) - 1))
        end = time.monotonic() + timeout
        while not store.check([key]):
            with suppress(DistStoreError):
                store.wait([key], timedelta(seconds=_LOOK_SECONDS))
                break
            if self.has_ended(first):
                raise RankError(f"new_group: rank {first} has ended, without the call for the ranks {ranks}", first)
            if time.monotonic() > end:
                raise DistTimeoutError(f"new_group: rank {first} did not call it for {ranks} within {timeout:g} s")
        number = int(store.get(key))
        if number >= lib.GROUPS:
            most = lib.GROUPS - lib.LOCAL
            raise OperationError(f"new_group: expected at most {most} groups of local synchronization; reuse groups")
        while lib.LOCAL + self.board.head.local <= number:
            lib.add_local_group(self.board.base)
        return number

    def close(self) -> None:
        """Close all files, and the store if this package made it."""
        self.is_closed = True
        self._store = None  # members that have left keep this object
        if self.closes is not None:
            self.closes()
        for fd in self._files:
            with suppress(OSError):
                os.close(fd)
        self._files.clear()


def _is_own_process(pid: int) -> bool:
    try:
        return os.stat(f"/proc/{pid}").st_uid == os.getuid()
    except OSError:
        return False


def _machine() -> str:
    """Return a name of this machine, or of a part of it that sees its own processes alone."""
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"


def _node() -> str:
    """Return the number of this machine, which a launcher on several machines gives to it."""
    several = int(os.environ.get(NODES_VARIABLE, "1")) > 1
    return os.environ.get("GROUP_RANK", "0") if several else ""


_stacks: dict[int, Stacks] = {}  # by process: a fork inherits its parent's


def stacks_of_this_process() -> Stacks:
    """Return the file to which this process writes its stacks on SIGUSR1."""
    own = _stacks.get(os.getpid())
    if own is None:
        own = _stacks[os.getpid()] = Stacks()
        own.answer()
    return own
