"""Stores in memory, at a port, at a name, in a file, and part of another store."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, flock
from typing import TYPE_CHECKING, TextIO
from weakref import WeakValueDictionary, finalize

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._errors import DistNetworkError
from .network import Memory, NetworkStore, Server, decoded, encoded
from .store import DEFAULT_TIMEOUT, Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta

LOOPBACK = "127.0.0.1"


@boundary
class HashStore(Store):
    """A store in this process's memory.

    >>> store = HashStore()
    >>> store.set("weights", "ready")
    >>> store.get("weights"), store.add("count", 2), store.num_keys()
    (b'ready', 2, 2)
    """

    def __init__(self) -> None:
        super().__init__()
        self._memory = Memory()

    @contextmanager
    def _entries(self, changes: bool = True) -> Iterator[dict[str, list[bytes]]]:
        with self._memory.lend(changes) as entries:
            yield entries

    def _pause(self, seconds: float) -> None:
        self._memory.pause(seconds)

    def clone(self) -> HashStore:
        """Return another store that shares the entries."""
        new = HashStore()
        new._memory, new._timeout = self._memory, self._timeout
        return new


_masters: WeakValueDictionary[int, TCPStore] = WeakValueDictionary()  # of this process, by port


@boundary
class TCPStore(NetworkStore):
    """A store at a port of this machine. The master has the entries, and the port while it exists.

    Only processes of this machine can connect.

    Arguments:
        host_name: the master's machine, which is this one.
        port: its port; 0 is a free one.
        world_size: ignored.
        is_master: whether this one has the entries.
        timeout: the time that `get` and `wait` wait at most, and others for the master.
        wait_for_workers: ignored.
        multi_tenant: whether a second master at a port in this process shares its entries.
        use_libuv: ignored.

    Raises:
        RuntimeError: the port is in use, or there is no master (DistNetworkError).
        TypeError: `host_name` is not a str, or `port` not an int.
    """

    def __init__(
        self,
        host_name: str,
        port: int,
        world_size: int | None = None,
        is_master: bool = False,
        timeout: timedelta = DEFAULT_TIMEOUT,
        wait_for_workers: bool = True,
        multi_tenant: bool = False,
        use_libuv: bool = True,
    ) -> None:
        for name, value, kind in (("host_name", host_name, str), ("port", port, int)):
            if not isinstance(value, kind):
                raise InvalidTypeError(f"TCPStore: expected {name} to be of type {kind.__name__}; got {value!r}")
        known = _masters.get(port) if multi_tenant or not is_master else None
        memory = Memory() if is_master and known is None else None if known is None else known._memory
        super().__init__((LOOPBACK, port), memory)
        self.set_timeout(timeout)
        self.host, self.port, self.libuvBackend = host_name, port, use_libuv
        self._kept = known
        if known is None and memory is not None:
            try:
                self._server = Server(memory, (LOOPBACK, port))
            except OSError as error:
                raise DistNetworkError(f"TCPStore: port {port} cannot be used ({error}); give another, or 0") from None
            self.port = self._server.port
            _masters[self.port] = self
        elif memory is None:
            with self._entries(False):  # the master can be reached
                pass


@boundary
class LocalStore(NetworkStore):
    """A store at a name of this machine that needs no port, for launchers.

    Arguments:
        name: the name, which the launcher chose at random.
        is_master: whether this one has the entries.
        timeout: the time that others wait for the master.
    """

    def __init__(self, name: str, is_master: bool, timeout: timedelta) -> None:
        memory = Memory() if is_master else None
        super().__init__(f"\0{name}", memory)
        self.set_timeout(timeout)
        if memory is not None:
            self._server = Server(memory, f"\0{name}")


@boundary
class LauncherStore(NetworkStore):
    """A store of the launcher of node 0, at its port, for ranks of several machines.

    Arguments:
        host: the name or address of node 0.
        port: the port.
        token: the token of the run.
        timeout: the time that methods wait.
    """

    def __init__(self, host: str, port: int, token: str, timeout: timedelta) -> None:
        super().__init__((host, port), None, token)
        self.set_timeout(timeout)


@boundary
class FileStore(Store):
    """A store in a file, which is deleted along with the last store of all processes.

    Arguments:
        file_name: the file, which is created if missing.
        world_size: ignored.

    Raises:
        ValueError: the file is not such a store.
    """

    def __init__(self, file_name: str | os.PathLike[str], world_size: int = -1) -> None:
        super().__init__()
        self.path = os.fspath(file_name)
        _count_users(self.path, 1)
        finalize(self, _release, self.path, os.getpid())

    @contextmanager
    def _entries(self, changes: bool = True) -> Iterator[dict[str, list[bytes]]]:
        with _file_of(self.path) as file:
            users, entries = _read(file, self.path)
            yield entries
            if changes:
                _write(file, users, entries)


def _file_of(path: str) -> TextIO:
    """Open and lock the file of a store."""
    while True:
        file = open(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii")
        flock(file, LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), os.stat(path)):
                return file
        file.close()  # deleted in between


def _read(file: TextIO, path: str) -> tuple[int, dict[str, list[bytes]]]:
    """Return the number of stores with this file, and the entries."""
    text = file.read()
    try:
        users, found = json.loads(text or "[0, {}]")
        return int(users), decoded(found)
    except (ValueError, AttributeError, TypeError):
        raise InvalidValueError(
            f"FileStore: expected {path!r} to be empty or a store; it is another file; name a new one"
        ) from None


def _write(file: TextIO, users: int, entries: dict[str, list[bytes]]) -> None:
    file.seek(0)
    file.write(f"[{users}, {encoded(entries)}]")
    file.truncate()


def _count_users(path: str, change: int) -> None:
    with _file_of(path) as file:
        users, entries = _read(file, path)
        if users + change < 1:
            os.unlink(path)
        else:
            _write(file, users + change, entries)


def _release(path: str, process: int) -> None:
    if os.getpid() == process:  # not in a forked child
        with suppress(OSError, InvalidValueError):
            _count_users(path, -1)


@boundary
class PrefixStore(Store):
    """The keys of another store that begin with a prefix, which is removed.

    >>> whole = HashStore()
    >>> PrefixStore("first", whole).set("weights", "ready")
    >>> whole.get("first/weights")
    b'ready'
    """

    def __init__(self, prefix: str, store: Store) -> None:
        super().__init__()
        if not isinstance(store, Store):
            raise InvalidTypeError(f"PrefixStore: expected store to be a Store; got {type(store).__name__}")
        self._prefix, self._store, self._timeout = f"{self._key('prefix', prefix)}/", store, store.timeout

    @property
    def underlying_store(self) -> Store:
        """The complete store."""
        return self._store

    @contextmanager
    def _entries(self, changes: bool = True) -> Iterator[dict[str, list[bytes]]]:
        with self._store._entries(changes) as entries:
            start = len(self._prefix)
            own = {key[start:]: values for key, values in entries.items() if key.startswith(self._prefix)}
            before = list(own)
            yield own
            for key in before:
                del entries[self._prefix + key]
            entries.update({self._prefix + key: values for key, values in own.items()})

    def _pause(self, seconds: float) -> None:
        self._store._pause(seconds)
