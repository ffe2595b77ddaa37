"""The MPI library of this process: its start among processes that exist already, and its end.

Note [Start of MPI]
~~~~~~~~~~~~~~~~~~~
Processes that `mpiexec` or `srun` started have variables by which the MPI library finds the others. For all others,
rank 0 serves these variables' protocol itself (pmi.py). So MPI starts in processes of any origin, and no process of
MPI's remains.

`MPI_Init_thread` and `MPI_Finalize` wait for other processes and cannot be interrupted. Each runs in a thread, called
by ctypes, as mpi4py would keep the GIL. `MPI_Finalize` waits forever after an error, so it is only called if `mpiexec`
or `srun` expect it, and not after errors.
"""

from __future__ import annotations

import atexit
import ctypes
import json
import os
import sys
import time
from contextlib import suppress
from datetime import timedelta
from threading import Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import DistBackendError, DistNetworkError, DistStoreError, RankError
from .pmi import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .._board.world import World
    from .._stores.store import Store

_OPERATION = "init_process_group"
_MULTIPLE = 3  # MPI_THREAD_MULTIPLE: several threads call MPI
_IDS = ("PMI_ID", "PMI_RANK", "PMIX_RANK")  # variables of process managers, one of which is set
_POLLING_SECONDS = 0.002
_LOOK_SECONDS = 0.2
_MESSAGE = 1024  # bytes


class Mpi(NamedTuple):
    """The MPI library, started.

    Fields:
        api: the module mpi4py.MPI.
        comm: the communicator of this package.
        ranks: the rank in it of each rank of the group.
    """

    api: Any
    comm: Any
    ranks: Sequence[int]


_started: list[tuple[Any, Any]] = []  # the module and the communicator
_servers: list[Server] = []
_must_finish = [False]


def _loaded() -> Any:
    """Import mpi4py, without starting MPI. Raises ImportError or RuntimeError where it, or a library, is missing."""
    import mpi4py

    mpi4py.rc.initialize = mpi4py.rc.finalize = False
    from mpi4py import MPI

    return MPI


def is_mpi_available() -> bool:
    """Return whether mpi4py and an MPI library can be imported, for the backend "mpi" and for several machines."""
    try:
        _loaded()
    except (ImportError, RuntimeError):
        return False
    return True


def start(store: Store, world: World, timeout: timedelta) -> Mpi:
    """Start MPI on all ranks; on the second call return what the first one started.

    Arguments:
        store: keys and values that all ranks have in common.
        world: all ranks.
        timeout: how long to wait for them.

    Raises:
        DistBackendError: mpi4py, an MPI library or memory for it is missing, or it lacks support of several threads.
        RankError: they are missing on another rank, or it has ended.
        DistNetworkError: MPI did not start in time.
    """
    told, api, end = _announce(store, world), None, time.monotonic() + timeout.total_seconds()
    try:
        api = _loaded()
    except (ImportError, RuntimeError) as error:
        told["error"] = (
            f"{_OPERATION}: expected mpi4py and an MPI library, for backend 'mpi' and for several machines; got "
            f"{error}; pip install mpi4py mpich"
        )
    if api is not None and not _started and _free_memory() < (needed := _needed_memory(world)):
        told["error"] = (
            f"{_OPERATION}: expected {needed >> 20} MiB of free memory in /dev/shm, for MPI; got "
            f"{_free_memory() >> 20}; enlarge it, such as with docker run --shm-size"
        )
    if api is not None and _started:
        told["rank"] = _started[0][1].rank
    store.set(f"mpi {world.rank}", json.dumps(told))
    all_told = [_told(store, world, rank, end) for rank in range(world.size)]
    if "error" in told:
        raise DistBackendError(told["error"])
    for rank, one in enumerate(all_told):
        if "error" in one:
            raise RankError(f"{_OPERATION}: rank {rank} failed: {one['error'].partition(': ')[2]}", rank)
    if not _started:
        ids = [one["id"] for one in all_told]
        if None in ids or len(set(ids)) < len(ids):
            for name in [name for name in os.environ if name.startswith(("PMI_", "PMIX_"))]:
                del os.environ[name]  # of a parent
            os.environ.update(PMI_PORT=all_told[0]["port"], PMI_ID=str(world.rank))
        else:
            _must_finish[0] = True
        _initialize(api, world, end)
    comm = _started[0][1]
    if "rank" not in told:
        store.set(f"mpi rank {world.rank}", str(comm.rank))
        ranks = [int(_value(store, world, f"mpi rank {rank}", rank, end)) for rank in range(world.size)]
    else:
        ranks = [one.get("rank", -1) for one in all_told]
    if sorted(ranks) != sorted(set(ranks) & set(range(comm.size))):
        raise DistBackendError(
            f"{_OPERATION}: expected MPI to have started the same processes as before; got MPI's ranks {ranks} of "
            f"{comm.size}; start new processes"
        )
    return Mpi(api, comm, ranks)


def _announce(store: Store, world: World) -> dict[str, Any]:
    own = next((os.environ[name] for name in _IDS if name in os.environ), None)
    told: dict[str, Any] = {"id": own}
    if world.rank == 0 and not _started:
        host = world.host
        server = Server("" if world.is_remote else host, world.nodes)
        _servers[:] = [server]
        told["port"] = f"{host}:{server.port}"
    return told


def _told(store: Store, world: World, rank: int, end: float) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_value(store, world, f"mpi {rank}", rank, end))
    return found


def _value(store: Store, world: World, key: str, rank: int, end: float) -> bytes:
    """Return what a rank set in the store."""
    while not store.check([key]):
        with suppress(DistStoreError):
            store.wait([key], timedelta(seconds=_LOOK_SECONDS))
            break
        world.check_alive(_OPERATION, [rank], end)
    return store.get(key)


def _in_thread(function: Callable[[], object], look: Callable[[], object]) -> None:
    """Run a function that cannot be interrupted. `look` is called several times per second, and may raise."""
    thread = Thread(target=function, daemon=True, name="facula: start or end of MPI")
    thread.start()
    while thread.is_alive():
        thread.join(_LOOK_SECONDS)
        if thread.is_alive():
            look()


def _initialize(api: Any, world: World, end: float) -> None:
    others = [rank for rank in range(world.size) if rank != world.rank]

    def look() -> None:
        try:
            world.check_alive(_OPERATION, others, end)
        except BaseException:
            _unlink_shared_memory()
            raise

    if not api.Is_initialized():
        level = ctypes.c_int(-1)
        _in_thread(lambda: _library(api).MPI_Init_thread(None, None, _MULTIPLE, ctypes.byref(level)), look)
        if level.value < 0:
            raise DistNetworkError(f"{_OPERATION}: MPI does not start; see the output of the MPI library")
    if api.Query_thread() < _MULTIPLE:
        raise DistBackendError(f"{_OPERATION}: expected an MPI library with MPI_THREAD_MULTIPLE; use the package mpich")
    for own in (api.COMM_WORLD, api.COMM_SELF):  # the second one is that of errors while a request is tested
        own.Set_errhandler(api.ERRORS_RETURN)
    comm, request = api.COMM_WORLD.Idup()
    _wait(api, [request], look)
    _wait(api, _connections(api, comm), look)
    _started.append((api, comm))
    _unlink_shared_memory()
    if _must_finish[0]:
        atexit.register(_finish, api, world)


def _wait(api: Any, requests: list[Any], look: Callable[[], object]) -> None:
    while not api.Request.Testall(requests):
        time.sleep(_POLLING_SECONDS)
        look()


def _connections(api: Any, comm: Any) -> list[Any]:
    """Begin to exchange a message with each process.

    MPICH maps the memory for messages to a process at the first one that is not tiny, and crashes if it has ended.
    """
    data, others = (bytearray(_MESSAGE), api.BYTE), [rank for rank in range(comm.size) if rank != comm.rank]
    return [comm.Irecv((bytearray(_MESSAGE), api.BYTE), rank) for rank in others] + [
        comm.Isend(data, rank) for rank in others
    ]


def _library(api: Any) -> ctypes.CDLL:
    return ctypes.CDLL(api.__file__)  # which also finds the functions of the MPI library that it needs


def _free_memory() -> int:
    try:
        found = os.statvfs("/dev/shm")
    except OSError:
        return sys.maxsize  # the MPI library has another place
    return found.f_bavail * found.f_frsize


def _needed_memory(world: World) -> int:
    """Return what MPICH takes in /dev/shm for the ranks of this machine; with less, a signal ends it."""
    return (int(os.environ.get("LOCAL_WORLD_SIZE", world.size)) + 1) << 20


def _unlink_shared_memory() -> None:
    """Remove the names of MPICH's memory, which all ranks have mapped. It would do so in MPI_Finalize."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "/dev/shm/mpich_shm_" in line}
    for path in paths:
        with suppress(OSError):
            os.unlink(path)


def _finish(api: Any, world: World) -> None:
    if not hasattr(sys, "last_value") and not api.Is_finalized():  # the program has not raised
        with suppress(RankError):
            world.raise_failure(_OPERATION)
            _in_thread(_library(api).MPI_Finalize, lambda: world.raise_failure(_OPERATION))
