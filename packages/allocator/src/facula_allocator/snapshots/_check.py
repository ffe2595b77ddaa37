"""Checks of snapshots: required keys, their types, and the consistency of the figures.

The checked data is copied, so that the result has all keys in one form, regardless of its source. PyTorch's snapshots
lack some keys, and call a block that awaits its events "active_pending_free". Unknown keys are kept if their values are
plain (text, numbers, lists, dicts).
"""

from __future__ import annotations

from itertools import pairwise
from math import isfinite
from typing import Any, NoReturn

from facula_errors import FaculaError, InvalidTypeError, InvalidValueError

from .._reports.snapshot_types import ALLOCATED, INACTIVE, PLACED, STATES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .._reports.snapshot_types import Snapshot, SnapshotBlock, SnapshotEvent, SnapshotFrame, SnapshotSegment

ADDRESSES = 1 << 64
SIZES = 1 << 62
MAX_DEPTH = 8  # levels of a value under an unknown key
MAX_UNKNOWN = 1_000_000  # elements of all such values together
SCALARS = (str, int, float, bool, type(None))
REMEDY = "pass a result of `memory_snapshot()` or `read_snapshot()`"


class Malformed(FaculaError, ValueError):  # never leaves this folder
    """An invalid part of a snapshot, and its place."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(place, problem)
        self.place, self.problem = place, problem


def fail(place: str, expected: str, value: object) -> NoReturn:
    shown = repr(value) if isinstance(value, SCALARS) else f"a {type(value).__name__}"
    raise Malformed(place, f"expected {expected}; got {shown if len(shown) <= 60 else shown[:57] + '...'}")


def named(found: Mapping[str, object]) -> str:
    """Return the first keys of a dict, for an error message."""
    keys = [repr(name)[:40] for name, _ in zip(found, range(8))]
    return ", ".join([*keys, *["…"] * (len(found) > 8)]) or "none"


def checked_argument(operation: str, snapshot: object, *, events: bool = True) -> Snapshot:
    """Check and copy a snapshot that a program passed; omit its events if they are not needed.

    Raises:
        TypeError: it is not a dict.
        ValueError: a part of it is invalid; the message names the place.
    """
    if not isinstance(snapshot, dict):
        raise InvalidTypeError(f"{operation}: expected a snapshot, a dict; got {type(snapshot).__name__}; {REMEDY}")
    if not events and "device_traces" in snapshot:
        snapshot = {**snapshot, "device_traces": []}
    try:
        return Checker().snapshot(snapshot)
    except Malformed as error:
        raise InvalidValueError(f"{operation}: {error.problem}; at {error.place} of the snapshot; {REMEDY}") from None


class Checker:
    """One pass over a snapshot. Lists of frames that many blocks share are checked once and stay shared."""

    def __init__(self) -> None:
        self.stacks: dict[int, list[SnapshotFrame]] = {}
        self.unknown = 0

    def snapshot(self, value: object) -> Snapshot:
        found = self.a_dict(value, "the top")
        for name in ("segments", "device_traces"):
            if name not in found:
                raise Malformed("the top", f"expected the key {name!r}; got {named(found)}")
        segments = [
            self.segment(segment, f"segments[{i}]")
            for i, segment in enumerate(self.a_list(found["segments"], "segments"))
        ]
        disjoint(segments)
        traces = [
            [
                self.event(event, f"device_traces[{device}][{i}]")
                for i, event in enumerate(self.a_list(trace, f"device_traces[{device}]"))
            ]
            for device, trace in enumerate(self.a_list(found["device_traces"], "device_traces"))
        ]
        settings = self.a_dict(found.get("allocator_settings", {}), "allocator_settings")
        known = {"segments", "device_traces", "allocator_settings"}
        extra: Any = self.rest(found, known, "")
        return {
            "segments": segments,
            "device_traces": traces,
            "allocator_settings": self.rest(settings, set(), "allocator_settings."),
            **extra,
        }

    def segment(self, value: object, place: str) -> SnapshotSegment:
        found = self.a_dict(value, place)
        address = self.integer(found, "address", place, ADDRESSES)
        total = self.integer(found, "total_size", place, SIZES)
        blocks: list[SnapshotBlock] = []
        end = address
        for i, block in enumerate(self.a_list(self.get(found, "blocks", place), f"{place}.blocks")):
            blocks.append(self.block(block, f"{place}.blocks[{i}]", end))
            end += blocks[-1]["size"]
        if end - address != total:
            raise Malformed(f"{place}.blocks", f"expected blocks of {total} bytes together; got {end - address}")
        active = [block for block in blocks if block["state"] != INACTIVE]
        used = [block for block in blocks if block["state"] == ALLOCATED]
        counted = {
            "allocated_size": sum(block["size"] for block in used),
            "active_size": sum(block["size"] for block in active),
            "requested_size": sum(block["requested_size"] for block in active),
        }
        asked = sum(block["requested_size"] for block in used)
        if found.get("requested_size") == asked:  # an allocator may exclude waiting blocks
            counted["requested_size"] = asked
        for name, number in counted.items():
            if name in found and found[name] != number:
                fail(f"{place}.{name}", f"{number}, as the blocks say", found[name])
        pool = self.a_list(found.get("segment_pool_id", (0, 0)), f"{place}.segment_pool_id")
        if len(pool) != 2 or any(type(part) is not int for part in pool):
            fail(f"{place}.segment_pool_id", "two integers", pool)
        extra: Any = self.rest(found, {*counted, *_SEGMENT}, f"{place}.")
        return {
            "device": self.integer(found, "device", place, 1 << 16, 0),
            "address": address,
            "total_size": total,
            "allocated_size": counted["allocated_size"],
            "active_size": counted["active_size"],
            "requested_size": counted["requested_size"],
            "stream": self.integer(found, "stream", place, ADDRESSES, 0),
            "segment_type": self.a_text(found.get("segment_type", "large"), f"{place}.segment_type"),
            "segment_pool_id": (pool[0], pool[1]),
            "is_expandable": self.a_bool(found.get("is_expandable", False), f"{place}.is_expandable"),
            "frames": self.frames(found.get("frames", ()), f"{place}.frames"),
            "blocks": blocks,
            **extra,
        }

    def block(self, value: object, place: str, address: int) -> SnapshotBlock:
        found = self.a_dict(value, place)
        size = self.integer(found, "size", place, SIZES)
        if not size:
            fail(f"{place}.size", "at least one byte", size)
        given = self.get(found, "state", place)
        state = STATES.get(given) if isinstance(given, str) else None
        if state is None:
            fail(f"{place}.state", "active_allocated, active_awaiting_free or inactive", given)
        if found.get("address", address) != address:
            fail(f"{place}.address", f"{address}, the end of the previous block", found["address"])
        requested = self.integer(found, "requested_size", place, SIZES, 0 if state == INACTIVE else size)
        if state != INACTIVE and requested > size:
            fail(f"{place}.requested_size", f"at most the block's {size}", requested)
        extra: Any = self.rest(found, _BLOCK, f"{place}.")
        block: SnapshotBlock = {
            "address": address,
            "size": size,
            "requested_size": requested,
            "state": state,
            "frames": self.frames(found.get("frames", ()), f"{place}.frames"),
            **extra,
        }
        if "stream" in found:
            block["stream"] = self.integer(found, "stream", place, ADDRESSES)
        return block

    def event(self, value: object, place: str) -> SnapshotEvent:
        found = self.a_dict(value, place)
        action = self.a_text(self.get(found, "action", place), f"{place}.action")
        event: SnapshotEvent = {"action": action}
        if action in PLACED or "addr" in found:
            event["addr"] = self.integer(found, "addr", place, ADDRESSES)
        if action in PLACED or "size" in found:
            event["size"] = self.integer(found, "size", place, SIZES)
        event["stream"] = self.integer(found, "stream", place, ADDRESSES, 0)
        if "time_us" in found:
            event["time_us"] = self.integer(found, "time_us", place, SIZES)
        if "device_free" in found:
            event["device_free"] = self.integer(found, "device_free", place, SIZES)
        event["frames"] = self.frames(found.get("frames", ()), f"{place}.frames")
        extra: Any = self.rest(found, _EVENT, f"{place}.")
        return {**event, **extra}

    def frames(self, value: object, place: str) -> list[SnapshotFrame]:
        known = self.stacks.get(id(value))
        if known is not None:
            return known
        frames: list[SnapshotFrame] = []
        for i, element in enumerate(self.a_list(value, place)):
            if type(element) is dict and len(element) == 3:  # the common case
                filename, line, name = element.get("filename"), element.get("line"), element.get("name")
                if (
                    type(filename) is str and type(name) is str and type(line) is int
                    and filename.isascii() and name.isascii() and 0 <= line < 1 << 32
                ):  # fmt: skip
                    frames.append({"filename": filename, "line": line, "name": name})
                    continue
            here = f"{place}[{i}]"
            found = self.a_dict(element, here)
            extra: Any = self.rest(found, _FRAME, f"{here}.")
            frame: SnapshotFrame = {
                "filename": self.a_text(self.get(found, "filename", here), f"{here}.filename"),
                "line": self.integer(found, "line", here, 1 << 32),
                "name": self.a_text(self.get(found, "name", here), f"{here}.name"),
            }
            frames.append({**frame, **extra})
        self.stacks[id(value)] = frames  # `value` outlives the check, as part of the snapshot
        return frames

    def rest(self, found: Mapping[str, object], known: set[str], place: str) -> dict[str, object]:
        """Return the unknown keys that have plain values."""
        if len(found) <= len(known) and found.keys() <= known:
            return {}
        extra: dict[str, object] = {}
        for name, field in found.items():
            if not isinstance(name, str):
                fail(place.rstrip(".") or "the top", "keys that are text", name)
            if name not in known:
                extra[self.a_text(name, place)] = self.plain(field, f"{place}{name[:40]}", 0)
        return extra

    def plain(self, value: object, place: str, depth: int) -> object:
        self.unknown += 1
        if depth > MAX_DEPTH or self.unknown > MAX_UNKNOWN:
            raise Malformed(place, "expected a snapshot; got containers that are too deep or too large")
        if isinstance(value, str):
            return self.a_text(value, place)
        if isinstance(value, float) and not isfinite(value):
            fail(place, "a finite number", value)
        if isinstance(value, SCALARS):
            return value
        if isinstance(value, (list, tuple)):
            return [self.plain(element, f"{place}[{i}]", depth + 1) for i, element in enumerate(value)]
        if isinstance(value, dict):
            return {
                self.a_text(str(name) if type(name) is int else name, place): self.plain(
                    element, f"{place}.{name!s:.40}", depth + 1
                )
                for name, element in value.items()
            }
        fail(place, "text, numbers, lists and dicts", value)

    def get(self, found: Mapping[str, object], name: str, place: str) -> object:
        if name not in found:
            raise Malformed(place, f"expected the key {name!r}; got {named(found)}")
        return found[name]

    def integer(self, found: Mapping[str, object], name: str, place: str, end: int, default: int | None = None) -> int:
        value = found.get(name, default)
        if type(value) is int and 0 <= value < end:
            return value
        if name not in found:
            raise Malformed(place, f"expected the key {name!r}; got {named(found)}")
        fail(f"{place}.{name}", f"an integer from 0 to below {end}", value)

    def a_text(self, value: object, place: str) -> str:
        if not isinstance(value, str):
            fail(place, "text", value)
        # A path that is not UTF-8 has surrogates, which the files that we write cannot contain.
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode("utf-8")

    def a_bool(self, value: object, place: str) -> bool:
        return value if isinstance(value, bool) else fail(place, "True or False", value)

    def a_dict(self, value: object, place: str) -> dict[str, Any]:
        return value if isinstance(value, dict) else fail(place, "a dict", value)

    def a_list(self, value: object, place: str) -> list[Any] | tuple[Any, ...]:
        return value if isinstance(value, (list, tuple)) else fail(place, "a list", value)


_FRAME = {"filename", "line", "name"}
_BLOCK = {"address", "size", "requested_size", "state", "stream", "frames"}
_EVENT = {"action", "addr", "size", "stream", "time_us", "device_free", "frames"}
_SEGMENT = {
    "device", "address", "total_size", "stream", "segment_type", "segment_pool_id", "is_expandable", "frames", "blocks",
}  # fmt: skip


def disjoint(segments: list[SnapshotSegment]) -> None:
    """Refuse segments of one device that overlap."""
    order = sorted(range(len(segments)), key=lambda i: (segments[i]["device"], segments[i]["address"]))
    for before, after in pairwise(order):
        segment, other = segments[before], segments[after]
        if segment["device"] == other["device"] and segment["address"] + segment["total_size"] > other["address"]:
            problem = f"expected segments that do not overlap; it begins within segments[{before}]"
            raise Malformed(f"segments[{after}].address", problem)
