"""Messages through Ray actors, for workers of several machines.

Note [Mailbox actors]
~~~~~~~~~~~~~~~~~~~~~
Functions run in the worker's own process, so that they see its objects. Ray cannot call into that process. Each worker
therefore owns an actor, to which others send messages, and from which it takes them. Ray ends the actor of a worker
that ends, even by SIGKILL: each worker has a call to each actor that never returns, and fails then. Small messages are
arguments of calls. The parts of others are one object in Ray's shared memory, whose reference is the argument.
"""

from __future__ import annotations

import secrets
from pickle import PickleBuffer
from typing import TYPE_CHECKING, Any

from .._errors import DistBackendError, RankError
from .._ray import connected_ray, first_line
from . import ray_actor
from .transport import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .transport import Part, Parts

_NAMESPACE = "facula"
_MAX_INLINE = 64 << 10  # bytes
_POLLING_SECONDS = 0.1
_MAX_CALLS = 10_000  # of an actor at the same time


class RayMailboxes:
    """The transport over Ray, to which this process connects if it is not connected.

    Arguments:
        rank: the rank of this worker.
        size: the number of workers.

    Raises:
        MissingPackageError: Ray is not installed.
        DistNetworkError: there is no Ray cluster.
    """

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size
        self._ray, self._is_own_connection = connected_ray("init_rpc")
        self.address = f"rpc {secrets.token_hex(16)}"
        here = self._ray.get_runtime_context().get_node_id()
        strategy = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(here, soft=False)
        self._ray.cloudpickle.register_pickle_by_value(ray_actor)
        kind = self._ray.remote(ray_actor.Mailbox).options(
            name=self.address,
            namespace=_NAMESPACE,
            num_cpus=0,
            max_concurrency=_MAX_CALLS,
            scheduling_strategy=strategy,
        )
        self._own = kind.remote()
        self._taking = self._own.take.remote()
        self._received: list[Message] = []
        self._actors: dict[int, Any] = {}
        self._last: dict[int, Any] = {}  # the latest call to each other actor
        self._ended: set[int] = set()

    def connect(self, addresses: Sequence[str]) -> None:
        """Find the actors of all workers."""
        for rank, address in enumerate(addresses):
            if rank != self.rank:
                try:
                    self._actors[rank] = actor = self._ray.get_actor(address, namespace=_NAMESPACE)
                except ValueError:  # there is no actor of that name any more
                    self._ended.add(rank)
                    continue
                actor.wait_for_end.remote().future().add_done_callback(lambda _, rank=rank: self._ended.add(rank))

    def post(self, rank: int, kind: int, number: int, parts: Sequence[Part] = ()) -> None:
        """Send a message to the actor of a worker."""
        if rank in self._ended:
            raise RankError(f"rpc: rank {rank} has ended", rank)
        views = [memoryview(part) for part in parts]
        payload: list[Any] = [view.tobytes() for view in views]
        if sum(map(len, payload)) > _MAX_INLINE:
            payload = [self._ray.put([PickleBuffer(view) for view in views])]
        self._last[rank] = self._actors[rank].put.remote(self.rank, kind, number, payload)

    def receive(self) -> Message | None:
        """Return the next message; wait for it for a tenth of a second at most."""
        if not self._received:
            ready, _ = self._ray.wait([self._taking], timeout=_POLLING_SECONDS)
            if not ready:
                return None
            try:
                found = self._ray.get(self._taking)
            except self._ray.exceptions.RayError as error:
                raise DistBackendError(
                    f"rpc: the Ray actor of rank {self.rank} has ended: {first_line(error)}"
                ) from None
            self._taking = self._own.take.remote()
            for source, kind, number, payload in found:
                self._received.append(Message(source, kind, number, self._parts(source, payload)))
        return self._received.pop(0)

    def _parts(self, source: int, payload: list[Any]) -> Parts:
        """Return the parts of a message, or a function that waits for them."""
        if not payload or isinstance(payload[0], bytes):
            return payload[:1] + [bytearray(part) for part in payload[1:]]

        def parts() -> Sequence[Part]:
            try:
                found = self._ray.get(payload[0])
            except self._ray.exceptions.RayError as error:
                raise RankError(f"rpc: a message of rank {source} was lost: {first_line(error)}", source) from None
            return [bytearray(part) for part in found]  # Ray's own memory is read-only

        return parts

    def has_ended(self, rank: int) -> bool:
        """Return whether the actor of a worker has ended, and so the worker."""
        return rank in self._ended

    def settle(self) -> None:
        """Wait until all messages have arrived at the other actors, which receive them in order."""
        self._ray.wait(list(self._last.values()), num_returns=len(self._last)) if self._last else None

    def close(self) -> None:
        """End the actor, and the connection to Ray if this object made it."""
        self._ray.kill(self._own)
        if self._is_own_connection:
            self._ray.shutdown()
