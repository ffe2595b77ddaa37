"""Remote calls under PyTorch's names."""

from __future__ import annotations

import itertools
from datetime import timedelta
from enum import Enum
from functools import wraps
from typing import TYPE_CHECKING, Any

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary

from .._engines.choice import new_member
from .._groups.addresses import Found, find
from .._groups.futures import Future
from .._groups.groups import connected, default_group, default_pg_timeout, is_initialized
from .._stores.stores import PrefixStore
from .._turns import turns
from .agent import Agent, WorkerInfo
from .mailboxes import Mailboxes
from .rref import RRef, agent_of, agents, remote_reference, seconds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._stores.store import Store
    from .transport import Transport

DEFAULT_SECONDS = 60.0


class BackendType(Enum):
    """What carries calls: TENSORPIPE stands for shared memory, RAY for Ray actors, on one machine or on several."""

    TENSORPIPE = "TENSORPIPE"
    RAY = "RAY"


class RpcBackendOptions:
    """Options of `init_rpc`.

    Arguments:
        num_worker_threads: how many functions run at the same time.
        rpc_timeout: seconds after which a call without a result fails; 0 for no limit.
        init_method: the address at which the processes connect, as for `init_process_group`.
        options: ignored: device_maps, devices, and names of transports.
    """

    def __init__(
        self, num_worker_threads: int = 16, rpc_timeout: float = DEFAULT_SECONDS, init_method: str = "env://",
        **options: object,
    ) -> None:  # fmt: skip
        if isinstance(num_worker_threads, bool) or not isinstance(num_worker_threads, int) or num_worker_threads < 1:
            raise InvalidValueError(
                f"RpcBackendOptions: expected num_worker_threads to be a positive integer; got {num_worker_threads!r}"
            )
        self.num_worker_threads, self.rpc_timeout, self.init_method = num_worker_threads, rpc_timeout, init_method


TensorPipeRpcBackendOptions = RpcBackendOptions


@boundary
def init_rpc(
    name: str,
    backend: BackendType | None = None,
    rank: int = -1,
    world_size: int | None = None,
    rpc_backend_options: RpcBackendOptions | None = None,
) -> None:
    """Take part in remote calls. All processes must call this function.

    If there is a default process group, its processes take part. Otherwise they connect at
    `rpc_backend_options.init_method`, by default with the environment variables of launchers.

    Arguments:
        name: the unique name of this process.
        backend: BackendType.RAY for Ray, to which this process connects; otherwise shared memory.
        rank: the rank of this process, if the address does not contain it.
        world_size: the number of processes, likewise.
        rpc_backend_options: a time limit and a number of threads.

    Raises:
        ValueError: it was called before, a name is used twice, or the rank or the number of processes is missing.
        NotImplementedError: the ranks are threads of one process.
        ImportError: Ray is not installed.
        DistNetworkError: there is no Ray cluster.
    """
    if agents:
        raise InvalidValueError("init_rpc: expected one call; call rpc.shutdown first")
    if not isinstance(name, str):
        raise InvalidTypeError(f"init_rpc: expected name to be a str; got {name!r}")
    if backend is not None and not isinstance(backend, BackendType):
        raise InvalidTypeError(f"init_rpc: expected backend to be a BackendType or None; got {backend!r}")
    if turns() is not None:
        raise UnsupportedError("init_rpc: expected processes; got ranks that are threads; leave out --one-process")
    options = rpc_backend_options or RpcBackendOptions()
    size = -1 if world_size is None else world_size
    transport, store = (_over_ray if backend is BackendType.RAY else _in_shared_memory)(options, rank, size)
    store.set(str(transport.rank), f"{transport.address}/{name}")
    keys = [str(other) for other in range(transport.size)]
    store.wait(keys, timedelta(seconds=DEFAULT_SECONDS))
    addresses, _, names = zip(*(value.decode().partition("/") for value in store.multi_get(keys)), strict=True)
    if len(set(names)) < len(names):
        transport.close()
        raise InvalidValueError(f"init_rpc: expected a name for each process; got {list(names)}")
    transport.connect(addresses)
    agents.append(Agent(transport, names, options.num_worker_threads, options.rpc_timeout or None))
    agents[0].start()  # once its calls find it


def _in_shared_memory(options: RpcBackendOptions, rank: int, size: int) -> tuple[Transport, Store]:
    """Return the transport in shared memory, and a store for this call of `init_rpc`."""
    close: Callable[[], object]
    if is_initialized():
        world, store = default_group()._member.world, default_group()._store
        close = int
    else:
        found, world = connected(options.init_method, rank, size, None, default_pg_timeout)
        store, close = found.store, world.close
    number = world.new_group_number()
    member = new_member(world, number, range(world.size), default_pg_timeout.total_seconds())
    return Mailboxes(member, close), PrefixStore(f"rpc {number}", store)


_ray_stores: dict[tuple[str, int, int], Found] = {}  # kept, because other processes may still use them
_ray_calls = itertools.count()


def _over_ray(options: RpcBackendOptions, rank: int, size: int) -> tuple[Transport, Store]:
    """Return the transport over Ray, and a store for this call of `init_rpc`."""
    from .ray_mailboxes import RayMailboxes

    if is_initialized():
        world = default_group()._member.world
        found = Found(default_group()._store, world.rank, world.size)
    else:
        key = options.init_method, rank, size
        if key not in _ray_stores:
            _ray_stores[key] = find(options.init_method, rank, size, None, default_pg_timeout)
        found = _ray_stores[key]
    return RayMailboxes(found.rank, found.size), PrefixStore(f"rpc over ray {next(_ray_calls)}", found.store)


@boundary
def shutdown(graceful: bool = True, timeout: float = 0) -> None:
    """End this process's part in remote calls. RuntimeError before `init_rpc`.

    Arguments:
        graceful: first wait for own calls, and until all other processes call this function, too.
        timeout: ignored.
    """
    agent = agent_of("shutdown")
    agent.shutdown(is_graceful=graceful)
    agents.clear()


def get_worker_info(worker_name: str | None = None) -> WorkerInfo:
    """Return the name and the rank of a worker, by default of this process. ValueError if there is none."""
    agent = agent_of("get_worker_info")
    return agent.worker(agent.rank if worker_name is None else worker_name)


def _given(
    operation: str, function: object, args: object, kwargs: object
) -> tuple[Callable[..., object], tuple[Any, ...], dict[str, Any]]:
    if not callable(function):
        raise InvalidTypeError(f"rpc.{operation}: expected func to be callable; got {function!r}")
    return function, tuple(args or ()), dict(kwargs or {})  # type: ignore[arg-type, call-overload]


@boundary
def rpc_sync(to: object, func: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = -1.0) -> Any:
    """Call a function on another worker, and return its result.

    Arguments and results are pickled. The worker must be able to import the function.

    Arguments:
        to: the worker: its name, rank or WorkerInfo.
        func: the function.
        args: its arguments.
        kwargs: its keyword arguments.
        timeout: seconds to wait; 0 for no limit, -1 for that of `init_rpc`.

    Raises:
        ValueError: there is no such worker.
        DistTimeoutError: there is no result in time.
        RankError: the worker has ended.
        Exception: that of the function, with a note that contains the worker's traceback.
    """
    return rpc_async(to, func, args, kwargs, timeout).wait()


@boundary
def rpc_async(
    to: object, func: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = -1.0
) -> Future:
    """Call a function on another worker, and return a future, whose `wait` returns the result.

    Arguments: those of `rpc_sync`.
    """
    agent = agent_of("rpc_async")
    return agent.call(to, *_given("rpc_async", func, args, kwargs), seconds_of(agent, timeout))


@boundary
def remote(to: object, func: Callable[..., Any], args: Any = None, kwargs: Any = None, timeout: float = -1.0) -> RRef:
    """Call a function on another worker, which keeps the result, and return a reference to it.

    Arguments: those of `rpc_sync`.
    """
    return remote_reference(to, *_given("remote", func, args, kwargs), timeout)


@boundary
def async_execution(fn: Callable[..., Future]) -> Callable[..., Future]:
    """Declare that a function returns a Future. A remote call of it has the value of this future, once there is one.

    So it can wait, for other calls or for calls from other workers, without a thread.

    Raises:
        TypeError: `fn` is not callable, or does not return a Future.
    """
    if not callable(fn):
        raise InvalidTypeError(f"rpc.async_execution: expected a function; got {fn!r}")

    @wraps(fn)
    def call(*arguments: Any, **keywords: Any) -> Future:
        found = fn(*arguments, **keywords)
        if not isinstance(found, Future):
            raise InvalidTypeError(f"rpc.async_execution: expected {fn.__name__} to return a Future; got {found!r}")
        return found

    return call
