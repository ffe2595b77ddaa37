"""From the records of a ring to a `Trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from .. import _recorder
from .._trace.records import EVENT, MEMORY, Kind, Lane, Signature
from .._trace.trace import Trace
from .raw import ALLOCATION, FIRST_OWN_LANE, IN_PLACE
from .signatures import OTHER_LAUNCHES, node_name, public_name
from .stacks import stacks_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._trace.records import Frame
    from .._trace.trace import Categories

    Array = np.ndarray[Any, Any]

T = TypeVar("T", covariant=True)

#: Events that other events may have caused, without telling which.
CAUSED = (Kind.TASK, Kind.KERNEL, Kind.COPY)
CAUSES = (Kind.LAUNCH, Kind.REPLAY, Kind.COPY, Kind.COLLECTIVE)


class Indexed(Protocol[T]):
    """Values by number."""

    def __getitem__(self, number: int, /) -> T:
        """Return a value."""


class Described(NamedTuple):
    """The meaning of the numbers in records.

    Arguments:
        began: the time that becomes 0.
        names: the texts of names.
        signatures: the signature of each plan.
        threads: the lanes of threads.
        lanes: further lanes, from number FIRST_OWN_LANE on.
        stacks: a frame and the number of its caller's stack, for each stack.
        categories: contents of memory.
        metadata: values that describe the recording.
    """

    began: int
    names: Sequence[str]
    signatures: Indexed[Signature]
    threads: Sequence[Lane]
    lanes: Sequence[Lane]
    stacks: Sequence[tuple[Frame, int]]
    categories: Categories = ()
    metadata: Mapping[str, Any] = {}


def assemble(records: Array, first: int, described: Described) -> Trace:
    """Return the trace of the records of a ring, of which `first` is the number of the first."""
    numbers = first + np.arange(len(records), dtype=np.uint64)
    whole = records["stamp"] == ((numbers + np.uint64(1)) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    records, numbers = records[whole], numbers[whole]
    dropped = first + int((~whole).sum())
    is_memory = records["kind"] == ALLOCATION
    memory, raw, numbers = records[is_memory], records[~is_memory], numbers[~is_memory]
    modules = _modules_of_replays(raw)
    numbers = np.concatenate([numbers, first + len(records) + np.arange(len(modules), dtype=np.uint64)])
    raw = np.concatenate([raw, modules])
    lanes, lane_of = _lanes(np.concatenate([raw["lane"], memory["lane"]]), described)

    order = np.lexsort((-numbers.astype(np.int64), -raw["end"], raw["start"], lane_of[: len(raw)]))
    raw, numbers = raw[order], numbers[order]
    events = np.zeros(len(raw), EVENT)
    for field in ("start", "end", "seq", "value"):
        events[field] = raw[field]
    events["kind"] = raw["kind"] & (IN_PLACE - 1)
    events["lane"] = lane_of[: len(order)][order]
    columns = [np.ascontiguousarray(events[field]) for field in ("lane", "start", "end")]
    events["parent"] = np.frombuffer(_recorder.parents(*columns), np.int32)
    events["link"] = _positions(raw["link"], numbers)

    plans, plan_of = np.unique(raw["plan"], return_inverse=True)
    used = [described.signatures[number] if number >= 0 else None for number in plans.tolist()]
    names, events["name"] = _names(raw, described.names, used, plan_of.reshape(-1))
    signatures, events["signature"] = _distinct(used, plan_of.reshape(-1))
    stacks, stack_of = _distinct_stacks(np.concatenate([raw["stack"], memory["stack"]]), described)
    events["stack"] = stack_of[: len(raw)]
    _link_backward(events, names, signatures)
    _link_to_causes(events, lanes)
    unnamed = (events["name"] < 0) & (events["link"] >= 0)
    events["name"][unnamed] = events["name"][events["link"][unnamed]]
    if (events["name"] < 0).any():
        for kind in np.unique(events["kind"][events["name"] < 0]):
            events["name"][(events["name"] < 0) & (events["kind"] == kind)] = len(names)
            names.append(Kind(kind).name.lower())

    used_names, events["name"] = np.unique(events["name"], return_inverse=True)
    names = [names[place] for place in used_names.tolist()]

    found = np.zeros(len(memory), MEMORY)
    found["time"], found["address"], found["nbytes"] = memory["start"], memory["seq"], memory["value"]
    found["device"], found["stack"] = memory["link"], stack_of[len(raw) :]
    found["event"] = _allocating(events, lane_of[len(raw) :], memory["start"], memory["value"] > 0)
    found = found[np.argsort(memory["start"], kind="stable")]
    for array, fields in ((events, ("start", "end")), (found, ("time",))):
        for field in fields:
            array[field] -= described.began
    categories = [(time - described.began, contents) for time, contents in described.categories]
    return Trace(events, found, names, lanes, stacks, signatures, categories, dropped, described.metadata)


def _modules_of_replays(raw: Array) -> Array:
    """Return records of module calls in replays: one for consecutive kernels of a module.

    The records of these kernels have plans, which name them, so that their names are those of their modules.
    """
    kernels = raw[(raw["kind"] == Kind.KERNEL) & (raw["plan"] >= 0)]
    kernels = kernels[np.lexsort((kernels["start"], kernels["lane"]))]
    replays = np.sort(raw["end"][raw["kind"] == Kind.REPLAY])
    before = np.searchsorted(replays, kernels["start"])  # the number of replays that have ended
    is_new = np.ones(len(kernels), bool)
    keys = (kernels["lane"], kernels["name"], before)
    is_new[1:] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    firsts = np.flatnonzero(is_new)
    modules = kernels[firsts]
    modules["end"] = kernels["end"][np.append(firsts[1:], len(kernels))[: len(firsts)] - 1]
    modules["kind"], modules["plan"], modules["stack"], modules["value"] = Kind.MODULE, -1, -1, 0
    return modules[modules["name"] >= 0]


def _lanes(used: Array, described: Described) -> tuple[list[Lane], Array]:
    """Return the lanes that are used (threads, pools, others), and the index of each record's."""
    numbers, places = np.unique(used.astype(np.int64), return_inverse=True)
    by_kind = sorted(
        range(len(numbers)), key=lambda i: ((numbers[i] < 0) + 2 * (numbers[i] >= FIRST_OWN_LANE), abs(numbers[i]))
    )
    lanes = []
    for number in numbers[by_kind].tolist():
        if number < 0:
            lanes.append(Lane("pool", f"worker {-2 - number}"))
        elif number >= FIRST_OWN_LANE:
            known = number - FIRST_OWN_LANE < len(described.lanes)
            lanes.append(described.lanes[number - FIRST_OWN_LANE] if known else Lane("", f"lane {number}"))
        else:
            known = number < len(described.threads)
            lanes.append(described.threads[number] if known else Lane("python", f"thread {number}"))
    index = np.empty(len(numbers), np.int32)
    index[by_kind] = np.arange(len(numbers))
    return lanes, index[places.reshape(-1)]


def _positions(links: Array, numbers: Array) -> Array:
    """Return where the records with the numbers in `links` are, or -1."""
    order = np.argsort(numbers)
    place = np.searchsorted(numbers, links.astype(np.uint64), sorter=order)
    place = order[np.minimum(place, len(numbers) - 1)] if len(numbers) else place
    return np.where((links >= 0) & (numbers[place] == links.astype(np.uint64)), place, -1) if len(numbers) else links


def _names(
    raw: Array, given: Sequence[str], signatures: Sequence[Signature | None], plans: Array
) -> tuple[list[str], Array]:
    """Return the names of events, and the index of each record's; those of launches come from their signatures.

    Collectives keep their names, of which the backend is a part.
    """
    names = list(given)
    known = {name: place for place, name in enumerate(names)}
    of_plans = np.full((len(signatures), 2), -1, np.int32)
    for number, signature in enumerate(signatures):
        if signature is not None:
            for in_place in (0, 1):
                name = public_name(signature.operator, bool(in_place))
                of_plans[number, in_place] = known.setdefault(name, len(names))
                if len(known) > len(names):
                    names.append(name)
    in_place_of = ((raw["kind"] & IN_PLACE) != 0).astype(np.intp)
    is_launch = (raw["plan"] >= 0) & (raw["kind"] != Kind.COLLECTIVE)
    return names, np.where(is_launch, of_plans[plans, in_place_of] if len(raw) else -1, raw["name"])


def _distinct(signatures: Sequence[Signature | None], plans: Array) -> tuple[list[Signature], Array]:
    """Return the signatures without repetitions, and the index of each plan's, -1 for None."""
    known: dict[Signature, int] = {}
    places = [-1 if signature is None else known.setdefault(signature, len(known)) for signature in signatures]
    return list(known), np.array(places, np.int32)[plans]


def _distinct_stacks(numbers: Array, described: Described) -> tuple[list[tuple[Frame, ...]], Array]:
    used, places = np.unique(numbers, return_inverse=True)
    places, first = places.reshape(-1), int(np.searchsorted(used, 0))
    return stacks_of(described.stacks, used[first:].tolist()), np.maximum(places - first, -1).astype(np.int32)


def _link_backward(events: Array, names: Sequence[str], signatures: Sequence[Signature]) -> None:
    """Link nodes to their forward launches, with equal numbers; see Note [Sequence numbers] in `recording.py`."""
    launches = np.flatnonzero((events["kind"] == Kind.LAUNCH) & (events["seq"] >= 0))
    nodes = np.flatnonzero((events["kind"] == Kind.BACKWARD) & (events["seq"] > 0) & (events["link"] < 0))
    events["seq"][launches] += 1
    if not len(launches) or not len(nodes):
        return
    launches = launches[np.argsort(events["seq"][launches])]
    place = np.searchsorted(events["seq"][launches], events["seq"][nodes])
    forward = launches[np.minimum(place, len(launches) - 1)]
    is_before = events["seq"][forward] == events["seq"][nodes]
    nodes, forward = nodes[is_before], forward[is_before]
    known = {name: number for number, name in enumerate(names)}
    made = [[known.get(name, -1) for name in _node_names(one.operator)] for one in signatures]
    made.append([-1])  # of events without a signature
    width = max(map(len, made))
    numbers = np.array([row + [-1] * (width - len(row)) for row in made], np.int32)
    is_own = (numbers[events["signature"][forward]] == events["name"][nodes][:, None]).any(axis=1)
    events["link"][nodes[is_own]] = forward[is_own]
    events["seq"][np.setdiff1d(forward[~is_own], forward[is_own])] = -1  # the number is that of another operator's node


def _node_names(operator: str) -> list[str]:
    """Return the names of the nodes that a launch of an operator may belong to."""
    return [node_name(operator), *[node_name(node) for node, last in OTHER_LAUNCHES.items() if last == operator]]


def _link_to_causes(events: Array, lanes: Sequence[Lane]) -> None:
    """Link tasks and kernels without a known cause to the innermost launch or replay that runs when they start.

    The work of devices starts later than its launch; its `seq` is the time at which it was queued.
    """
    kinds = np.array([lane.kind for lane in lanes], object)[events["lane"]]
    of_threads = kinds == "python"
    causes = np.flatnonzero(of_threads & np.isin(events["kind"], (*CAUSES, Kind.KERNEL)))
    causes = causes[np.argsort(events["start"][causes], kind="stable")]
    caused = np.flatnonzero(~of_threads & np.isin(events["kind"], CAUSED) & (events["link"] < 0))
    queued = (kinds[caused] == "device") & (events["seq"][caused] >= 0)
    times = np.where(queued, events["seq"][caused], events["start"][caused])
    events["seq"][caused[queued]] = -1
    if not len(causes) or not len(caused):
        return
    place = np.searchsorted(events["start"][causes], times, side="right") - 1
    for _ in range(8):  # launches of other threads may have started and ended in between
        running = (place >= 0) & (events["end"][causes[place]] >= times) & (events["link"][caused] < 0)
        events["link"][caused[running]] = causes[place[running]]
        place = np.maximum(place - 1, -1)


def _allocating(events: Array, lanes: Array, times: Array, is_allocation: Array) -> Array:
    """Return the event that each allocation or release belongs to.

    That is the innermost event of the thread at the time. Operators allocate their results before they launch, so an
    allocation belongs to the launch that follows, if no other event begins or ends in between.
    """
    found = np.full(len(times), -1, np.int32)
    for lane in np.unique(lanes):
        mine = np.flatnonzero(lanes == lane)
        first, last = np.searchsorted(events["lane"], [lane, lane + 1])
        if first == last:
            continue
        after = first + np.searchsorted(events["start"][first:last], times[mine], side="right")
        around = after - 1
        around[around < first] = -1
        while (late := (around >= 0) & (events["end"][around] < times[mine])).any():
            around[late] = events["parent"][around[late]]
        following = np.minimum(after, last - 1)
        belongs = (after < last) & is_allocation[mine] & (events["kind"][following] == Kind.LAUNCH)
        belongs &= (events["parent"][following] == around) & ((around < 0) | (events["kind"][around] != Kind.LAUNCH))
        found[mine] = np.where(belongs, following, around)
    return found
