"""Addresses at which the processes of a group connect: `env://`, `tcp://` and `file://`."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qs, urlparse

from facula_errors import InvalidTypeError, InvalidValueError, OperationError

from .._board.world import JOB_VARIABLE, NODES_VARIABLE
from .._errors import DistNetworkError
from .._stores.store import DEFAULT_TIMEOUT, Store
from .._stores.stores import FileStore, HashStore, LauncherStore, LocalStore, TCPStore
from .._stores.tokens import TOKEN_VARIABLE

if TYPE_CHECKING:
    from datetime import timedelta

OPERATION = "init_process_group"


class Found(NamedTuple):
    """A store that all ranks have in common, the rank of this process, and the number of ranks."""

    store: Store
    rank: int
    size: int


def find(
    init_method: str | None, rank: int, world_size: int, store: Store | None, timeout: timedelta = DEFAULT_TIMEOUT
) -> Found:
    """Find the store and the rank of this process.

    Arguments:
        init_method: the address, or None.
        rank: the rank of this process; -1 if the address contains it.
        world_size: the number of processes; -1 if the address contains it.
        store: the store, or None.
        timeout: how long to wait for rank 0.

    Raises:
        ValueError: the rank or the number of processes is missing, or does not match.
        RuntimeError: an unsupported address, a port in use, or no process there.
    """
    if store is not None:
        if init_method is not None:
            raise InvalidValueError(f"{OPERATION}: expected init_method or store; got both")
        _check_both(rank, world_size, "store")
        return Found(store, rank, world_size)
    address = "env://" if init_method is None else init_method
    if not isinstance(address, str):
        raise InvalidTypeError(f"{OPERATION}: expected init_method to be a str; got {type(address).__name__}")
    parts = urlparse(address)
    asked = {key: values[-1] for key, values in parse_qs(parts.query).items()}
    if parts.scheme == "env":
        asked = {"rank": os.environ.get("RANK", ""), "world_size": os.environ.get("WORLD_SIZE", ""), **asked}
    rank = rank if rank != -1 else _number(address, "rank", asked)
    world_size = world_size if world_size != -1 else _number(address, "world_size", asked)
    _check_both(rank, world_size, address)
    if parts.scheme == "env":
        return Found(_of_environment(rank, world_size, timeout), rank, world_size)
    if parts.scheme == "tcp":
        host, _, port = parts.netloc.rpartition(":")
        return Found(_at(host, _port(address, port), rank, world_size, timeout), rank, world_size)
    if parts.scheme == "file":
        return Found(FileStore(parts.netloc + parts.path), rank, world_size)
    raise OperationError(f"{OPERATION}: expected init_method as env://, tcp:// or file://; got {address!r}")


def _of_environment(rank: int, size: int, timeout: timedelta) -> Store:
    for name in ("MASTER_ADDR", "MASTER_PORT"):
        if name not in os.environ:
            raise InvalidValueError(f"{OPERATION}: expected the environment variable {name}, for env://; set it")
    port = _port("env://", os.environ["MASTER_PORT"])
    job = os.environ.get(JOB_VARIABLE)
    if job is not None and int(os.environ.get(NODES_VARIABLE, "1")) > 1:
        return LauncherStore(os.environ["MASTER_ADDR"], port, os.environ[TOKEN_VARIABLE], timeout)
    if job is None and "TORCHELASTIC_RUN_ID" in os.environ and size > 1:  # whose agent itself uses the port
        restart = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")
        job = f"facula {os.getuid()} {os.getppid()} {port} {restart}"
    if job is not None and size > 1:
        return LocalStore(job, rank == 0, timeout)
    return _at(os.environ["MASTER_ADDR"], port, rank, size, timeout)


def _at(host: str, port: int, rank: int, size: int, timeout: timedelta) -> Store:
    if size == 1:
        return HashStore()  # no other process connects, so the port stays free
    try:
        return TCPStore("localhost", port, size, rank == 0, timeout)
    except DistNetworkError as error:
        if host in ("localhost", "127.0.0.1", socket.gethostname()):
            raise
        raise DistNetworkError(
            f"{error}; or, if {host!r} is another machine, start the processes with python -m facula run --nnodes"
        ) from None


def _number(address: str, name: str, asked: dict[str, str]) -> int:
    text = asked.get(name, "")
    if not text:
        where = f"the environment variable {name.upper()}" if address.startswith("env") else f"{name}="
        raise InvalidValueError(f"{OPERATION}: expected {where}, for {address}; it is missing")
    try:
        return int(text)
    except ValueError:
        raise InvalidValueError(f"{OPERATION}: expected {name} to be a whole number; got {text!r}") from None


def _port(address: str, text: str) -> int:
    if not text.isdigit() or int(text) >= 1 << 16:
        raise InvalidValueError(f"{OPERATION}: expected a port from 0 to 65535, for {address}; got {text!r}")
    return int(text)


def _check_both(rank: int, world_size: int, where: str) -> None:
    if not isinstance(rank, int) or not isinstance(world_size, int):
        raise InvalidTypeError(f"{OPERATION}: expected rank and world_size as ints; got {rank!r}, {world_size!r}")
    if rank < 0 or world_size < 1:
        raise InvalidValueError(
            f"{OPERATION}: expected rank >= 0 and world_size >= 1, for {where}; got {rank}, {world_size}"
        )
    if rank >= world_size:
        raise InvalidValueError(f"{OPERATION}: expected rank below world_size {world_size}; got {rank}")
