"""Copies of the state that ranks keep, on other machines of a Ray cluster.

Note [Ring of copies]
~~~~~~~~~~~~~~~~~~~~~
The state that ranks keep is lost with their machine. So from time to time, the driver chooses the last step that the
ranks of all machines have kept; each actor copies the state of its ranks after this step, and sends it to the actor of
the next machine. A copy is complete when all have received it; until then, they have the former one, too. After a loss,
all actors restore the state of the same step: their own copy, and a new actor that of its predecessor, from the next
one. If two neighbours are lost at once, or before the first copy, the program begins again.
"""

from __future__ import annotations

import time
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from .output import say

if TYPE_CHECKING:
    from collections.abc import Mapping

KEEP_SECONDS = 1.0  # between two steps that ranks keep: slots are overwritten by the next but one
_PAUSE_SECONDS = 1.0
_SHARE = 0.05  # of the time that copies may take


class Copies:
    """The copies of a run.

    Arguments:
        ray: the module.
        nodes: the actors of all machines, `ray_node.Node`, by number; the driver removes those that are lost.
        size: the number of machines.
    """

    def __init__(self, ray: Any, nodes: Mapping[int, Any], size: int) -> None:
        self._ray, self._nodes, self._size = ray, nodes, size
        self._step: int | None = None  # of the last complete copy
        self._owners: dict[int, Any] = {}  # the actors that have it
        self._end, self._thread = Event(), Thread()

    def start(self) -> None:
        """Begin to copy, in a thread."""
        self._end.clear()
        self._thread = Thread(target=self._run, daemon=True, name="facula: copies of the state of ranks")
        self._thread.start()

    def stop(self) -> None:
        """Wait for the present copy, and make no further ones."""
        self._end.set()
        if self._thread.ident is not None:
            self._thread.join()

    def _run(self) -> None:
        pause = _PAUSE_SECONDS
        while not self._end.wait(pause):
            try:
                seconds = self._copy()
            except self._ray.exceptions.RayActorError:  # the driver finds it, too
                return
            except self._ray.exceptions.RayError as error:
                problem = str(error).strip().splitlines()[-1]
                say(f"the states that ranks keep are not copied to other machines: {problem}")
                return
            pause = max(_PAUSE_SECONDS, seconds / _SHARE)

    def _copy(self) -> float:
        """Copy the last step that all have kept, and return how long it took; without the first call's imports."""
        ray, nodes = self._ray, dict(self._nodes)
        if len(nodes) < self._size:
            return 0.0
        steps = ray.get([nodes[node].steps.remote() for node in sorted(nodes)])
        step = max(set.intersection(*map(set, steps)), default=None)
        if step is None or step == self._step:
            return 0.0
        begun = time.monotonic()
        copies = {node: actor.copy.remote(step, self._step) for node, actor in nodes.items()}
        received = [
            nodes[(node + 1) % len(nodes)].receive.remote(step, copy, self._step) for node, copy in copies.items()
        ]
        if all(ray.get(received)):
            self._step, self._owners = step, nodes
        return time.monotonic() - begun

    def restore(self) -> None:
        """Restore the state of the last copy on all machines, if some were replaced since. No launcher may run."""
        new = [node for node, actor in self._nodes.items() if self._owners.get(node) is not actor]
        if not new or self._step is None:
            return
        step, self._step = self._step, None
        neighbours = {node: (node + 1) % len(self._nodes) for node in new}
        if set(neighbours.values()) & set(new):
            return
        done = [actor.restore.remote(step, None) for node, actor in self._nodes.items() if node not in new]
        for node, neighbour in neighbours.items():
            done.append(self._nodes[node].restore.remote(step, self._nodes[neighbour].received.remote(step)))
        self._ray.get(done)
