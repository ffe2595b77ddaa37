"""References to values of other ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors import OperationError

from .._groups.futures import Future
from .agent import Agent, WorkerInfo
from .futures import CallFuture, call_into
from .transport import pack, unpack

if TYPE_CHECKING:
    from collections.abc import Callable

    from .transport import Part

Key = tuple[int, int]  # the rank that made a reference, and its number there
agents: list[Agent] = []  # of this process, after init_rpc


def agent_of(operation: str) -> Agent:
    """Return this process's agent. RuntimeError before `init_rpc`."""
    if not agents:
        raise OperationError(f"rpc.{operation}: expected init_rpc to be called before; call it in all processes")
    return agents[0]


def _value_of(key: Key) -> Future:
    """Return the future of a value of this rank; a call that makes it may not have begun."""
    return agent_of("RRef").values.setdefault(key, CallFuture(f"the value of the RRef {key}"))


def _keep(key: Key, made: Callable[[], object]) -> None:
    """Keep the result of a function, or its exception, as the value of a reference."""
    call_into(_value_of(key), made)


def _keep_result(key: Key, call: list[Part]) -> None:
    """Call a function on the owner of a reference, and keep its result, or its exception."""

    def made() -> object:
        function, arguments, keywords = unpack(call)
        return function(*arguments, **keywords)

    _keep(key, made)


def _call_method(key: Key, name: str, arguments: tuple[object, ...], keywords: dict[str, object]) -> object:
    return getattr(_value_of(key).wait(), name)(*arguments, **keywords)


def _make(key: Key, owner: WorkerInfo) -> RRef:
    made = RRef.__new__(RRef)
    made._key, made._owner, made._confirmed, made._is_alone = key, owner, None, False
    return made


class RRef:
    """A reference to a value on one rank, its owner. It can be an argument or a result of remote calls.

    The owner keeps the value until `shutdown`, or until the reference that `remote` returned is deleted, unless it was
    sent to other ranks.

    Arguments:
        value: a value of this process.
    """

    def __init__(self, value: object) -> None:
        agent = agent_of("RRef")
        self._key, self._owner = (agent.rank, next(agent.numbers)), agent.workers[agent.rank]
        self._confirmed: Future | None = None
        self._is_alone = True
        _value_of(self._key).set_result(value)

    def owner(self) -> WorkerInfo:
        """Return the worker that has the value."""
        return self._owner

    def owner_name(self) -> str:
        """Return the name of the worker that has the value."""
        return self._owner.name

    def is_owner(self) -> bool:
        """Return whether this process has the value."""
        return self._owner.id == agent_of("RRef").rank

    def confirmed_by_owner(self) -> bool:
        """Return whether the owner has made the value. True for references that were received or made here."""
        return self._confirmed is None or self._confirmed.done()

    def local_value(self) -> Any:
        """Return the value, on its owner; raises the exception of the call that makes it. RuntimeError elsewhere."""
        if not self.is_owner():
            raise OperationError(f"RRef.local_value: expected the owner, {self._owner.name!r}; use to_here()")
        return _value_of(self._key).wait()

    def to_here(self, timeout: float = -1.0) -> Any:
        """Return a copy of the value, or the value itself on its owner.

        Arguments:
            timeout: seconds; 0 for no limit, -1 for that of `init_rpc`.

        Raises:
            DistTimeoutError: there is no value in time.
            Exception: that of the call that should make the value.
        """
        agent = agent_of("RRef.to_here")
        if self.is_owner():
            return self.local_value()
        return agent.call(self._owner, _value_of, (self._key,), {}, seconds_of(agent, timeout)).wait()

    def rpc_sync(self, timeout: float = -1.0) -> Any:
        """Return an object whose methods call those of the value on its owner, and return results."""
        return _Methods(self, lambda future: future.wait(), timeout)

    def rpc_async(self, timeout: float = -1.0) -> Any:
        """Return an object whose methods call those of the value on its owner, and return futures."""
        return _Methods(self, lambda future: future, timeout)

    def remote(self, timeout: float = -1.0) -> Any:
        """Return an object whose methods call those of the value on its owner, and return references to results."""
        return _Methods(self, None, timeout)

    def __repr__(self) -> str:
        return f"RRef(owner={self._owner.name!r}, key={self._key})"

    def __reduce__(self) -> tuple[object, ...]:
        self._is_alone = False
        return _make, (self._key, self._owner)

    def __del__(self) -> None:
        if not getattr(self, "_is_alone", False) or not agents:
            return
        agent = agents[0]
        if self._owner.id == agent.rank:
            agent.values.pop(self._key, None)
        else:
            agent.unused.append((self._owner.id, self._key))


class _Methods:
    def __init__(self, reference: RRef, of_future: Callable[[Future], object] | None, timeout: float) -> None:
        self._reference, self._of_future, self._timeout = reference, of_future, timeout

    def __getattr__(self, name: str) -> Callable[..., object]:
        def call(*arguments: object, **keywords: object) -> object:
            target, given = self._reference._owner, (self._reference._key, name, arguments, keywords)
            if self._of_future is None:
                return remote_reference(target, _call_method, given, {}, self._timeout)
            agent = agent_of("RRef")
            return self._of_future(agent.call(target, _call_method, given, {}, seconds_of(agent, self._timeout)))

        return call


def remote_reference(
    to: object, function: Callable[..., object], arguments: tuple[object, ...], keywords: dict[str, object],
    timeout: float,
) -> RRef:  # fmt: skip
    """Call a function on a worker, which keeps the result, and return a reference to it."""
    agent = agent_of("remote")
    owner = agent.worker(to)
    made = _make((agent.rank, next(agent.numbers)), owner)
    seconds = seconds_of(agent, timeout)
    if owner.id == agent.rank:
        made._confirmed = agent.call(owner, _keep, (made._key, lambda: function(*arguments, **keywords)), {}, seconds)
    else:  # a pickle of its own, so that its error becomes the value's
        call = pack((function, arguments, keywords))
        made._confirmed = agent.call(owner, _keep_result, (made._key, call), {}, seconds)
    made._is_alone = True
    return made


def seconds_of(agent: Agent, timeout: float | None) -> float | None:
    """Return the seconds of PyTorch's timeouts: 0 is no limit, and None or below 0 the agent's."""
    if timeout is None or timeout < 0:
        return agent.timeout
    return timeout or None
