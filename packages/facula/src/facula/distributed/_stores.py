"""Stores in memory, at a port, in a file, and part of another store; so far for one process."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import contextmanager, suppress
from fcntl import LOCK_EX, flock
from socket import socket
from threading import Condition
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary, finalize

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary

from ._store import DEFAULT_TIMEOUT, ONE_PROCESS, DistNetworkError, Store, check_world_size

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import timedelta


class _Memory:
    """The entries of stores in memory, which clones share."""

    def __init__(self) -> None:
        self.changed, self.entries = Condition(), dict[str, list[bytes]]()


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
        self._memory = _Memory()

    @contextmanager
    def _entries(self, changes: bool = True) -> Iterator[dict[str, list[bytes]]]:
        with self._memory.changed:
            yield self._memory.entries
            if changes:
                self._memory.changed.notify_all()

    def _pause(self, seconds: float) -> None:
        with self._memory.changed:
            self._memory.changed.wait(min(seconds, 1.0))

    def clone(self) -> HashStore:
        """Return another store that shares the entries."""
        new = HashStore()
        new._memory, new._timeout = self._memory, self._timeout
        return new


_masters: WeakValueDictionary[int, TCPStore] = WeakValueDictionary()  # of this process, by port


@boundary
class TCPStore(HashStore):
    """A store at a port of this machine, so far for one process: its entries are in memory.

    The store keeps the port bound while it exists; 0 binds a free one. A store that is not the master shares the
    entries of a master in this process.

    Arguments:
        host_name: the master's machine.
        port: its port.
        world_size: the number of processes: 1, or None.
        is_master: whether this one has the entries.
        timeout: the time that `get` and `wait` wait at most.
        wait_for_workers: ignored, as there is one process.
        multi_tenant: whether a second master at a port in this process shares its entries.
        use_libuv: ignored.

    Raises:
        NotImplementedError: more than one process, or a master in another one.
        RuntimeError: the port is in use (DistNetworkError).
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
        super().__init__()
        check_world_size("TCPStore", world_size)
        self.set_timeout(timeout)
        self.host, self.port, self.libuvBackend = host_name, port, use_libuv
        known = _masters.get(port)
        if known is not None and (multi_tenant or not is_master):
            self._memory = known._memory
        elif not is_master:
            raise UnsupportedError(
                f"TCPStore: expected is_master=True, or a master on port {port} in this process; {ONE_PROCESS}"
            )
        else:
            taken = socket()
            try:
                taken.bind(("", port))
            except OSError as error:
                taken.close()
                raise DistNetworkError(f"TCPStore: port {port} cannot be used ({error}); give another, or 0") from None
            self.port = taken.getsockname()[1]
            finalize(self, taken.close)
            _masters[self.port] = self


@boundary
class FileStore(Store):
    """A store in a file, which is deleted along with its last store.

    Arguments:
        file_name: the file, which is created if missing.
        world_size: the number of processes: 1, or -1.

    Raises:
        NotImplementedError: more than one process.
        ValueError: the file is not such a store.
    """

    def __init__(self, file_name: str | os.PathLike[str], world_size: int = -1) -> None:
        super().__init__()
        check_world_size("FileStore", world_size)
        self.path = os.fspath(file_name)
        with self._entries(False):  # the file can be created and read
            pass
        _users[self.path] += 1
        finalize(self, _release, self.path, os.getpid())

    @contextmanager
    def _entries(self, changes: bool = True) -> Iterator[dict[str, list[bytes]]]:
        with open(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600), "r+", encoding="ascii") as file:
            flock(file, LOCK_EX)
            text = file.read()
            try:
                found = json.loads(text or "{}")
                entries = {key: [value.encode("latin-1") for value in values] for key, values in found.items()}
            except (ValueError, AttributeError, TypeError):
                raise InvalidValueError(
                    f"FileStore: expected {self.path!r} to be empty or a store; it is another file; name a new one"
                ) from None
            yield entries
            if changes:
                written = json.dumps(
                    {key: [element.decode("latin-1") for element in ones] for key, ones in entries.items()}
                )
                file.seek(0)
                file.write(written)
                file.truncate()


_users: Counter[str] = Counter()  # stores of this process by file


def _release(path: str, process: int) -> None:
    _users[path] -= 1
    if not _users[path] and os.getpid() == process:  # not in a forked child
        with suppress(OSError):
            os.unlink(path)


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
