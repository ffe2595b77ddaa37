"""Reports of captured functions as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from facula_errors.extend import format_bytes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .cache_entry import CacheEntry

TIMES = {0: "never", 1: "once"}
TITLES = ("function", "signature", "launches", "replays", "temporaries", "note")


def report_of(name: str, entries: Sequence[CacheEntry], eager: int, pieces: Sequence[str] = ()) -> str:
    """Return the report of a captured function.

    Arguments:
        name: the name of the function.
        entries: its cache entries.
        eager: the number of calls that ran eagerly.
        pieces: the reports of its parts, if it was split.
    """
    lines = [f"{name}: {_counted(len(entries), 'signature')}"]
    for entry in entries:
        words = entry.words
        for replay in entry.replays:
            launches = _counted(len(replay.recording.launches), "launch", "launches")
            if len(replay.recording.launches) != replay.launches_before:
                launches += f" (before passes {replay.launches_before})"
            times = TIMES.get(replay.served, f"{replay.served} times")
            checked = f" ({replay.checks_made} checked)" if replay.checks_made else ""
            lines.append(
                f"  {words}: {launches}, replayed {times}{checked}, {replay.pool_bytes:,} bytes of temporaries"
            )
            if replay.reason:
                lines.append(f"    captured again because {replay.reason} has changed")
        if entry.is_rejected:
            way = "eagerly" if entry.split is None else "split"
            lines.append(f"  {words}: runs {way}: {entry.graph_break}")
        elif not entry.replays:
            lines.append(f"  {words}: not captured yet: {entry.pending or 'it was not called to its end'}")
    if eager:
        lines.append(f"  {_counted(eager, 'call')} ran eagerly")
    lines += ["  " + line for piece in pieces for line in piece.splitlines()]
    return "\n".join(lines)


def table_of(captured: Any) -> tuple[list[str], Sequence[str], list[Sequence[str]]]:
    """Return the lines, titles and rows of a captured function's repr for notebooks."""
    rows = _rows(captured._name, [*captured._entries.values()])
    for piece in [] if captured._split is None else captured._split.captured():
        rows += table_of(piece)[2]
    eager = [f"{captured._eager} calls ran eagerly"] if captured._eager else []
    return [repr(captured)[1:-1], *eager], TITLES, rows


def _rows(name: str, entries: Sequence[CacheEntry]) -> list[Sequence[str]]:
    """Return a row of `TITLES` for each capture, and for each signature without captures."""
    rows: list[Sequence[str]] = []
    for entry in entries:
        for replay in entry.replays:
            note = f"captured again because {replay.reason} has changed" if replay.reason else ""
            numbers = str(len(replay.recording.launches)), str(replay.served), format_bytes(replay.pool_bytes)
            rows.append((name, entry.words, *numbers, note))
        if entry.is_rejected:
            way = "eagerly" if entry.split is None else "split"
            rows.append((name, entry.words, "", "", "", f"runs {way}: {entry.graph_break}"))
        elif not entry.replays:
            rows.append((name, entry.words, "", "", "", "not captured yet"))
    return rows


def _counted(count: int, singular: str, many: str = "") -> str:
    return f"{count} {singular if count == 1 else many or singular + 's'}"
