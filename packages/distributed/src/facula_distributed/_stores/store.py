"""The store: keys and values by which the processes of a group find each other."""

from __future__ import annotations

import time
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

from facula_errors import InvalidTypeError, InvalidValueError, UnsupportedError
from facula_errors.extend import boundary

from .._captures import break_capture
from .._errors import DistStoreError, QueueEmptyError
from .._turns import turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    T = TypeVar("T")

DEFAULT_TIMEOUT = timedelta(seconds=300)
POLLING_SECONDS = 0.01  # between two polls of a file that another process may change


def as_seconds(operation: str, timeout: timedelta) -> float:
    """Return the seconds of a timeout; TypeError if it is not a timedelta."""
    if not isinstance(timeout, timedelta):
        raise InvalidTypeError(f"{operation}: expected timeout to be a datetime.timedelta; got {timeout!r}")
    return timeout.total_seconds()


@boundary
class Store:
    """Base class of stores: bytes by key, shared by threads, and by processes that use one file or port.

    `get` and `wait` wait for missing keys, at most `timeout` (300 seconds). Values are str or bytes, and returned as
    bytes. TypeError for others.
    """

    def __init__(self) -> None:
        self._timeout: timedelta = DEFAULT_TIMEOUT

    @contextmanager
    def _entries(self, changes: bool = True) -> Iterator[dict[str, list[bytes]]]:
        """Yield all entries under exclusive access: lists, of which a plain value is one of length 1."""
        raise UnsupportedError(f"{type(self).__name__}: use HashStore, FileStore or TCPStore")
        yield  # a generator

    def _pause(self, seconds: float) -> None:
        """Block for at most `seconds`; stores in memory return as soon as an entry changes."""
        time.sleep(min(seconds, POLLING_SECONDS))

    def _key(self, operation: str, key: str) -> str:
        break_capture(f"Store.{operation}")
        if not isinstance(key, str):
            raise InvalidTypeError(f"Store.{operation}: expected the key as a str; got {type(key).__name__}")
        return key

    def _until(self, found: Callable[[dict[str, list[bytes]]], T | None], what: str, timeout: timedelta | None) -> T:
        """Return the first result of `found`, applied to the entries, that is not None.

        Arguments:
            found: reads the entries, and may remove some.
            what: a description of the awaited state, for errors.
            timeout: the limit; None is the store's own.
        """
        seconds = as_seconds("Store.wait", self._timeout if timeout is None else timeout)
        end = time.monotonic() + seconds
        while True:
            with self._entries() as entries:
                value = found(entries)
            if value is not None:
                return value
            left = end - time.monotonic()
            if left <= 0:
                raise DistStoreError(f"{type(self).__name__}: expected {what} within {seconds:g} s; no process set it")
            if (others := turns()) is None:
                self._pause(left)
            else:
                others.pause(f"waits for {what}")

    @property
    def timeout(self) -> timedelta:
        """The time that `get` and `wait` wait at most."""
        return self._timeout

    def set_timeout(self, timeout: timedelta) -> None:
        """Set the time that `get` and `wait` wait at most."""
        as_seconds("Store.set_timeout", timeout)
        self._timeout = timeout

    def set(self, key: str, value: str | bytes) -> None:
        """Set the value of a key."""
        key, data = self._key("set", key), as_bytes("set", value)
        with self._entries() as entries:
            entries[key] = [data]

    def get(self, key: str) -> bytes:
        """Return the value of a key, once it exists. RuntimeError (DistStoreError) after the timeout."""
        key = self._key("get", key)
        return self._until(lambda entries: entries[key][0] if entries.get(key) else None, f"the key {key!r}", None)

    def add(self, key: str, amount: int) -> int:
        """Add to a number, 0 if absent, and return the sum. ValueError if the value is not a number."""
        key = self._key("add", key)
        with self._entries() as entries:
            former = entries.get(key, [b"0"])[0]
            try:
                total = int(former) + amount
            except ValueError:
                raise InvalidValueError(f"Store.add: expected a number under {key!r}; got {former!r}") from None
            entries[key] = [str(total).encode()]
        return total

    def append(self, key: str, value: str | bytes) -> None:
        """Append bytes to a value, empty if absent."""
        key, data = self._key("append", key), as_bytes("append", value)
        with self._entries() as entries:
            entries[key] = [entries.get(key, [b""])[0] + data]

    def compare_set(self, key: str, expected_value: str | bytes, desired_value: str | bytes) -> bytes:
        """Set a value if the present one (empty if absent) equals the expected one; return the resulting value.

        If the key is absent and a value was expected, returns the expected value.

        Arguments:
            key: the key.
            expected_value: the value to replace.
            desired_value: the new value.
        """
        key = self._key("compare_set", key)
        expected, desired = as_bytes("compare_set", expected_value), as_bytes("compare_set", desired_value)
        with self._entries() as entries:
            if key not in entries and expected:
                return expected
            if key not in entries or entries[key] == [expected]:
                entries[key] = [desired]
            return entries[key][0]

    def check(self, keys: list[str]) -> bool:
        """Return whether all keys exist."""
        with self._entries(False) as entries:
            return all(self._key("check", key) in entries for key in keys)

    def wait(self, keys: list[str], timeout: timedelta | None = None) -> None:
        """Wait until all keys exist. RuntimeError (DistStoreError) after the timeout."""
        wanted = [self._key("wait", key) for key in keys]
        self._until(lambda entries: all(key in entries for key in wanted) or None, f"the keys {keys}", timeout)

    def delete_key(self, key: str) -> bool:
        """Delete a key; return whether it existed."""
        key = self._key("delete_key", key)
        with self._entries() as entries:
            return entries.pop(key, None) is not None

    def num_keys(self) -> int:
        """Return the number of keys."""
        break_capture("Store.num_keys")
        with self._entries(False) as entries:
            return len(entries)

    def list_keys(self) -> list[str]:
        """Return all keys."""
        break_capture("Store.list_keys")
        with self._entries(False) as entries:
            return list(entries)

    def multi_get(self, keys: list[str]) -> list[bytes]:
        """Return the values of several keys."""
        return [self.get(key) for key in keys]

    def multi_set(self, keys: list[str], values: list[str | bytes]) -> None:
        """Set the values of several keys."""
        for key, value in zip(keys, values, strict=True):
            self.set(key, value)

    def has_extended_api(self) -> bool:
        """Return whether `append`, `multi_get` and `multi_set` are supported: True."""
        return True

    def queue_push(self, key: str, value: str | bytes) -> None:
        """Add a value at the end of a queue."""
        key, data = self._key("queue_push", key), as_bytes("queue_push", value)
        with self._entries() as entries:
            entries.setdefault(key, []).append(data)

    def queue_pop(self, key: str, block: bool = True) -> bytes:
        """Remove and return a queue's first value; wait for one, or raise QueueEmptyError unless `block`."""
        key = self._key("queue_pop", key)

        def take(entries: dict[str, list[bytes]]) -> bytes | None:
            if not entries.get(key):
                return None
            value = entries[key].pop(0)
            if not entries[key]:
                del entries[key]
            return value

        if block:
            return self._until(take, f"a value in the queue {key!r}", None)
        with self._entries() as entries:
            value = take(entries)
        if value is None:
            raise QueueEmptyError(f"Store.queue_pop: expected a value in the queue {key!r}; it is empty")
        return value

    def queue_len(self, key: str) -> int:
        """Return the number of values in a queue."""
        with self._entries(False) as entries:
            return len(entries.get(self._key("queue_len", key), ()))


def as_bytes(operation: str, value: str | bytes) -> bytes:
    """Return a value as bytes; TypeError unless it is str or bytes."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise InvalidTypeError(f"Store.{operation}: expected the value as str or bytes; got {type(value).__name__}")
