"""Ranks that others wait for, found on the board."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from .._board.board import described, numbered, reason_of
from .._shm import ffi

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .._board.board import Board
    from .stacks import LocalRanks


class Stall(NamedTuple):
    """A collective, or a message, that some ranks wait for.

    Fields:
        key: what identifies it.
        text: its description.
        seconds: how long the first rank has waited.
        waiting: the ranks that wait.
        late: the ranks that they wait for, with a remark about each.
    """

    key: tuple[object, ...]
    text: str
    seconds: float
    waiting: list[int]
    late: dict[int, str]

    def reasons(self, board: Board) -> dict[int, str]:
        """Return why late ranks are slow, of those that say so."""
        return {rank: reason for rank in self.late if (reason := reason_of(board.place(rank)))}


def waiting_ranks(ranks: LocalRanks, stalls: Sequence[Stall]) -> set[int]:
    """Return the ranks that wait for others, so that they are not the cause of a stall."""
    found = {rank for stall in stalls for rank in stall.waiting}
    return {rank for rank in found if ranks.state(rank) != "stopped"}


def find_stalls(board: Board, ranks: LocalRanks) -> Iterator[Stall]:
    """Yield what ranks wait for now."""
    yield from _connecting(board)
    for group in board.groups():
        yield from _in_group(board, ranks, group)
    for rank in range(board.world):
        place = board.place(rank)
        if place.since and place.joined > 1 and not board.has_letter(rank):
            source = f"rank {place.awaited}" if place.awaited >= 0 else "any rank"
            where = ffi.string(place.where).decode(errors="replace")
            text = f"the message from {source} that rank {rank} receives at {where}"
            late = {place.awaited: "has not sent it"} if place.awaited >= 0 else {}
            yield Stall((rank, place.since), text, time.monotonic() - place.since, [rank], late)


def _connecting(board: Board) -> Iterator[Stall]:
    """Yield the wait for ranks that have not called init_process_group."""
    places = {rank: board.place(rank) for rank in range(board.world)}
    waiting = [rank for rank, place in places.items() if place.joined == 1 and place.since]
    late = {rank: "has not called it" for rank, place in places.items() if not place.joined}
    if waiting and late:
        since = min(places[rank].since for rank in waiting)
        yield Stall(("connecting",), "init_process_group", time.monotonic() - since, waiting, late)


def _in_group(board: Board, ranks: LocalRanks, group: int) -> Iterator[Stall]:
    members = board.members(group)
    records = {rank: board.last_record(group, rank) for rank in members}
    running = {rank: record for rank, record in records.items() if record is not None and not record.ended}
    if not running:
        return
    phases = {rank: board.seat(group, rank).phase for rank in members}
    furthest = max(phases.values())  # far below the number at which it starts again at 0
    late = [rank for rank in members if phases[rank] < furthest]
    if not late and len(running) > 1:  # all are in it, but some may be stopped
        late = [rank for rank in running if ranks.state(rank) == "stopped"]
    waiting = [rank for rank in running if rank not in late]
    if not waiting or not late:
        return
    record = max((running[rank] for rank in waiting), key=lambda one: int(one.number))
    remarks = {}
    for rank in late:
        own = records[rank]
        if own is not None and own.number >= record.number:
            remarks[rank] = "is in it"
        elif own is None:
            remarks[rank] = "has not called it, nor any other"
        else:
            former = "its last was" if own.ended else "it is still in"
            remarks[rank] = f"has not called it; {former} {own.number}, {described(own)}"
    seconds = time.monotonic() - min(float(running[rank].begun) for rank in waiting)
    yield Stall((group, int(record.number)), numbered(group, record), seconds, waiting, remarks)


def report(board: Board, ranks: LocalRanks, stall: Stall, is_brief: bool = False) -> list[str]:
    """Return lines that describe a stall, with the stacks of late ranks, which `is_brief` omits if all are expected."""
    lines = [f"{stall.text}: {len(stall.waiting)} of {board.world} ranks wait since {stall.seconds:.1f} s"]
    reasons = stall.reasons(board)
    lines += [f"  rank {rank} said that it would be slow: {reason}" for rank, reason in reasons.items()]
    if len(reasons) == len(stall.late) > 0 and is_brief:
        return lines
    stacks = ranks.stacks(stall.late)
    for rank, remark in stall.late.items():
        about, frames = stacks.get(rank) or ("", [])
        lines.append(f"  rank {rank}{f' ({about})' if about else ''} {remark}; it is at")
        lines += [f"    {frame}" for frame in frames or ["(no answer: it is stopped, or has ended)"]]
    return lines
