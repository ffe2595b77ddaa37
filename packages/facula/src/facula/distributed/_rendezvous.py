"""Addresses at which the processes of a group connect: `env://`, `tcp://` and `file://`, so far for one process."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlparse

from facula_errors import InvalidTypeError, InvalidValueError, OperationError

from ._store import ONE_PROCESS, check_world_size
from ._stores import FileStore, HashStore

if TYPE_CHECKING:
    from ._store import Store

OPERATION = "init_process_group"


def find(init_method: str | None, rank: int, world_size: int, store: Store | None) -> Store:
    """Return the store of a group of one process.

    Arguments:
        init_method: the address, or None.
        rank: the rank of this process; -1 if the address contains it.
        world_size: the number of processes; -1 if the address contains it.
        store: the store, or None.

    Raises:
        NotImplementedError: more than one process.
        ValueError: the rank or the number of processes is missing, or does not match.
        RuntimeError: an unsupported address.
    """
    if store is not None:
        if init_method is not None:
            raise InvalidValueError(f"{OPERATION}: expected init_method or store; got both")
        _check_both(rank, world_size, "store")
        return store
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
        for name in ("MASTER_ADDR", "MASTER_PORT"):
            if name not in os.environ:
                raise InvalidValueError(f"{OPERATION}: expected the environment variable {name}, for env://; set it")
        _port(address, os.environ["MASTER_PORT"])
    elif parts.scheme == "tcp":
        _port(address, parts.netloc.rpartition(":")[2])
    elif parts.scheme == "file":
        return FileStore(parts.netloc + parts.path, 1)
    else:
        raise OperationError(f"{OPERATION}: expected init_method as env://, tcp:// or file://; got {address!r}")
    return HashStore()  # no other process connects, so the port stays free


def _number(address: str, name: str, asked: dict[str, str]) -> int:
    text = asked.get(name, "")
    if not text:
        where = f"the environment variable {name.upper()}" if address.startswith("env") else f"{name}="
        raise InvalidValueError(f"{OPERATION}: expected {where}, for {address}; it is missing")
    try:
        return int(text)
    except ValueError:
        raise InvalidValueError(f"{OPERATION}: expected {name} to be a whole number; got {text!r}") from None


def _port(address: str, text: str) -> None:
    if not text.isdigit() or int(text) >= 1 << 16:
        raise InvalidValueError(f"{OPERATION}: expected a port from 0 to 65535, for {address}; got {text!r}")


def _check_both(rank: int, world_size: int, where: str) -> None:
    if not isinstance(rank, int) or not isinstance(world_size, int):
        raise InvalidTypeError(f"{OPERATION}: expected rank and world_size as ints; got {rank!r}, {world_size!r}")
    if rank < 0 or world_size < 1:
        raise InvalidValueError(
            f"{OPERATION}: expected rank >= 0 and world_size >= 1, for {where}; got {rank}, {world_size}"
        )
    check_world_size(OPERATION, world_size)
    if rank:
        raise InvalidValueError(f"{OPERATION}: expected rank 0 of world_size 1; got {rank}; {ONE_PROCESS}")
