"""Cache entries: the state and the replays of each signature of a captured function.

Note [States of a signature]
~~~~~~~~~~~~~~~~~~~~~~~~~~~~
An entry starts in WARMING_UP: each call runs the function under a recorder. If the recording can be replayed, it
becomes a replay and the entry is REPLAYING. If only this run could not be captured, the state does not change. A call
of a REPLAYING entry runs the latest replay whose guards pass, and records another one if none does. A graph break
rejects the signature: its calls run as a split function (SPLIT) if the function can be split at the break, otherwise
eagerly (EAGER). No entry leaves SPLIT; an EAGER entry becomes SPLIT if a later graph break allows it. `TRANSITIONS` is
the complete state machine; only `CacheEntry` changes `state`.

A rejection can arrive during a recorded run of the same entry (Note [Eager backward]). Therefore EAGER and SPLIT accept
all events.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from .._recording.graph_breaks import GraphBreak
from .._recording.tensor_guards import first_failing
from .._replay.replay import MISS, Replay

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_REPLAYS = 8  # per signature: replays for different modes of modules or different `.grad`s
# total calls served by the replays before the oldest may be evicted: it shows that changes are rare
EVICTION_SERVED = 10 * MAX_REPLAYS


class State(Enum):
    """The state of a signature, which determines how its calls run: Note [States of a signature]."""

    WARMING_UP = "runs under a recorder; nothing is captured yet"
    REPLAYING = "replays a capture; records another one if no guards pass"
    EAGER = "runs eagerly"
    SPLIT = "runs as a split function, whose parts are captured"


class Event(Enum):
    """An event that may change the state of a signature."""

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
    """The cached data for the calls of one signature.

    Arguments:
        words: description of a call with this signature, for messages.
        pinned: the objects that the signature identifies by their id.
        parts: the non-tensor arguments, by name.
    """

    __slots__ = ("__weakref__", "attempts", "graph_break", "parts", "pending", "pinned", "replays", "returned", "split",
                 "state", "words")  # fmt: skip

    def __init__(self, words: str, pinned: list[object], parts: dict[str, Any]):
        self.words, self.pinned, self.parts = words, pinned, parts
        self.state = WARMING_UP
        self.replays: list[Replay] = []
        self.split: Callable[..., Any] | None = None  # in state SPLIT: the function to run
        self.graph_break: GraphBreak | None = None  # in states EAGER and SPLIT: the reason
        self.pending: GraphBreak | None = None  # why the last run was not captured, if the next one may be
        self.attempts = 0  # consecutive runs that were not captured
        self.returned: list[str] = []  # the numbers that the last run returned

    def on(self, event: Event) -> None:
        """Apply an event to the state."""
        self.state = TRANSITIONS[self.state][event]

    def capture(self, replay: Replay | None) -> Replay | None:
        """Add the replay of a recorded run and return it; None if the run cannot be replayed, but the next one may
        be.
        """
        if replay is None:
            self.on(Event.NOT_KEPT)
        else:
            self.replays.append(replay)
            self.attempts = 0
            self.on(Event.CAPTURED)
        return replay

    def reject(self, why: GraphBreak, split: Callable[..., Any] | None = None) -> None:
        """Stop recording and replaying: further calls run `split`, or run eagerly."""
        self.graph_break = why
        if split is not None:
            self.split = split
        self.on(Event.REJECTED if split is None else Event.CUT)

    @property
    def is_rejected(self) -> bool:
        """True if calls are no longer recorded or replayed."""
        return self.state is EAGER or self.state is SPLIT

    @property
    def latest(self) -> Replay:
        """The capture of this signature that `latest_of` selects."""
        return latest_of(self.replays)

    def evict(self) -> bool:
        """Make room for another replay; return False if the cache is full and its replays have served too few calls."""
        if len(self.replays) >= MAX_REPLAYS and sum([replay.served for replay in self.replays]) >= EVICTION_SERVED:
            self.replays.pop(0)
        return len(self.replays) < MAX_REPLAYS

    def compare_returned(self, returned: list[str]) -> GraphBreak | None:
        """Return a graph break if the numbers that a run returned differ from those of the run before, else None."""
        before, self.returned = self.returned, returned
        if returned == before or self.replays:
            return None
        return GraphBreak("a number that it returns differs between calls", "read clocks and count outside", None)


def latest_of(replays: Sequence[Replay]) -> Replay:
    """Return the replay that ran last among those that fit the program's present state, or among all if none fits."""
    return max(replays, key=lambda replay: (first_failing(replay.read_by_call) is None, replay.used_at))


class WithoutAttributes:
    """A replay that declines calls with tensors to which the program has added attributes."""

    __slots__ = ("inner",)

    def __init__(self, inner: Replay) -> None:
        self.inner = inner

    def replay(self, tensors: tuple[Any, ...]) -> Any:
        """Return the results of the function, or MISS."""
        return MISS if any([tensor._own_attributes for tensor in tensors]) else self.inner.replay(tensors)
