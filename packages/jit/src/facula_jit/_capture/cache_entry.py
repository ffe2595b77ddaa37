"""Cache entries: what a captured function stores for each signature, and the state machine of their calls.

Note [States of a signature]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~
An entry starts in WARMING_UP: each call runs the function under a recorder. If the recording can be replayed, it
becomes a replay and the entry is REPLAYING; if only this run could not be kept, the entry stays in its state. A call of
a REPLAYING entry runs the latest replay whose guards pass, and records another one if none does. A graph break rejects
the signature: its calls run as a split function (SPLIT), where the function can be split at the break, else eagerly
(EAGER). Neither state is left again. `TRANSITIONS` is the whole machine; only `CacheEntry` changes `state`.

A rejection can arrive while a recorded run of the same entry is under way (Note [Eager backward]). Therefore EAGER and
SPLIT accept all events.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from .._recording.graph_breaks import GraphBreak
from .._replay.replay import MISS, Replay

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_REPLAYS = 8  # of one signature: of other modes of modules, other `.grad`s
EVICTION_SERVED = 10 * MAX_REPLAYS  # calls that these served, from which on the oldest is evicted: changes are rare


class State(Enum):
    """What a call of a signature does: Note [States of a signature]."""

    WARMING_UP = "runs under a recorder; nothing is captured yet"
    REPLAYING = "replays a capture; records another one if no guards pass"
    EAGER = "runs eagerly"
    SPLIT = "runs as a split function, whose parts are captured"


class Event(Enum):
    """How a call changes the state of its signature."""

    NOT_KEPT = "a recorded run cannot be replayed, but the next one may be"
    CAPTURED = "a recorded run became a replay"
    REJECTED = "a graph break, a mismatch of a checked call, or guards that fail too often"
    CUT = "the same, of a function that was split"


WARMING_UP, REPLAYING, EAGER, SPLIT = State

TRANSITIONS: dict[State, dict[Event, State]] = {
    state: dict(zip(Event, following, strict=True))
    for state, following in {
        # state       NOT_KEPT    CAPTURED   REJECTED  CUT
        WARMING_UP: (WARMING_UP, REPLAYING, EAGER, SPLIT),
        REPLAYING: (REPLAYING, REPLAYING, EAGER, SPLIT),
        EAGER: (EAGER, EAGER, EAGER, SPLIT),
        SPLIT: (SPLIT, SPLIT, SPLIT, SPLIT),
    }.items()
}


class CacheEntry:
    """What a captured function stores for the calls of one signature.

    Arguments:
        words: such a call, in words.
        pinned: the objects that the signature names by their id.
        parts: what is no tensor among the arguments, by name.
    """

    __slots__ = ("__weakref__", "attempts", "graph_break", "parts", "pending", "pinned", "replays", "returned", "split",
                 "state", "words")  # fmt: skip

    def __init__(self, words: str, pinned: list[object], parts: dict[str, Any]):
        self.words, self.pinned, self.parts = words, pinned, parts
        self.state = WARMING_UP
        self.replays: list[Replay] = []
        self.split: Callable[..., Any] | None = None  # in SPLIT, what runs
        self.graph_break: GraphBreak | None = None  # in EAGER and SPLIT, why
        self.pending: GraphBreak | None = None  # why the last run was not kept, though the next one may be
        self.attempts = 0  # runs in a row that were not kept
        self.returned: list[str] = []  # the numbers that the last run returned

    def on(self, event: Event) -> None:
        """Change the state."""
        self.state = TRANSITIONS[self.state][event]

    def capture(self, replay: Replay) -> None:
        """Add a replay."""
        self.replays.append(replay)
        self.attempts = 0
        self.on(Event.CAPTURED)

    def reject(self, why: GraphBreak, split: Callable[..., Any] | None = None) -> None:
        """Record and replay no more calls: they run `split`, or eagerly."""
        self.graph_break = why
        if split is not None:
            self.split = split
        self.on(Event.REJECTED if split is None else Event.CUT)

    @property
    def is_rejected(self) -> bool:
        """Whether calls are neither recorded nor replayed any more."""
        return self.state is EAGER or self.state is SPLIT

    def evict(self) -> bool:
        """Make room for another replay; False if those that are there were hardly used."""
        if len(self.replays) >= MAX_REPLAYS and sum([one.served for one in self.replays]) >= EVICTION_SERVED:
            self.replays.pop(0)
        return len(self.replays) < MAX_REPLAYS

    def compare_returned(self, returned: list[str]) -> GraphBreak | None:
        """Why the numbers that a run returns cannot be those of replays: they are not the ones of the run before."""
        before, self.returned = self.returned, returned
        if returned == before or self.replays:
            return None
        return GraphBreak("a number that it returns is another in each call", "read clocks and count outside", None)


class WithoutAttributes:
    """A replay for calls whose tensors have no attributes of the program's."""

    __slots__ = ("inner",)

    def __init__(self, inner: Replay) -> None:
        self.inner = inner

    def replay(self, tensors: tuple[Any, ...]) -> Any:
        """What the function returns, or MISS."""
        return MISS if any([one._own_attributes for one in tensors]) else self.inner.replay(tensors)
