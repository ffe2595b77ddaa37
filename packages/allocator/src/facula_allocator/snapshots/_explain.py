"""The text of an out-of-memory error with its explanation."""

from __future__ import annotations

from facula_errors import InvalidTypeError, InvalidValueError
from facula_errors.extend import boundary

from .._errors import format_bytes
from .._reports.call_sites import UNKNOWN
from ._advice import Case, advice, counted, percent
from ._check import checked_argument
from ._figures import SMALL, PoolFigures, SnapshotFigures, figures_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .._reports.call_sites import Holder

MAX_ROWS = 8  # lines, and modules, in the text


@boundary
def explain(
    snapshot: Mapping[str, object],
    nbytes: int,
    *,
    device: int = 0,
    stream: int = 0,
    pool: tuple[int, int] = (0, 0),
    device_free: int | None = None,
    device_total: int | None = None,
    limit: int | None = None,
    place: str | None = None,
) -> str:
    """Explain why a request could not be served, who holds the memory, and what would help.

    Arguments:
        snapshot: the allocator's state when the request failed.
        nbytes: the requested bytes.
        device, stream, pool: of the request; by default the first device, its first stream, and no private pool.
        device_free: free bytes of the device, outside the allocator.
        device_total: all bytes of the device.
        limit: the most bytes that may be reserved; by default the limit in the snapshot's settings, if any.
        place: the name of the memory, such as "host memory"; by default "device 0".

    Returns:
        Several lines. The first begins with "out of memory".

    Raises:
        TypeError: `snapshot` is not a dict, or a number is not an integer.
        ValueError: a part of the snapshot is invalid, or a number is negative.

    >>> print(explain({"segments": [], "device_traces": []}, 3 << 20, limit=1 << 20))
    out of memory: 3 MiB requested on device 0
      limit              1 MiB
      reserved             0 B  in 0 segments
      in use               0 B  in 0 blocks
      free                 0 B  in 0 blocks
    what would help
      * The request alone is larger than the limit (1 MiB): request less at once, for example with smaller batches
    """
    numbers = {"nbytes": nbytes, "device": device, "stream": stream}
    for name, number in (("device_free", device_free), ("device_total", device_total), ("limit", limit)):
        if number is not None:
            numbers[name] = number
    for name, number in numbers.items():
        if type(number) is not int:
            raise InvalidTypeError(f"explain: expected an integer {name}; got {number!r:.60}")
        if number < 0:
            raise InvalidValueError(f"explain: expected {name} from 0; got {number}")
    if not isinstance(pool, tuple) or len(pool) != 2:
        raise InvalidTypeError(f"explain: expected two integers as pool; got {pool!r:.60}")
    checked = checked_argument("explain", snapshot, events=False)
    settings = checked["allocator_settings"]
    known_limit = settings.get("limit")
    if limit is None and type(known_limit) is int:
        limit = known_limit
    case = case_of(
        nbytes, figures_of(checked, device), settings, stream=stream, pool=pool, device_free=device_free,
        device_total=device_total, limit=limit,
    )  # fmt: skip
    return f"out of memory: {_requested(case, device, place)}\n{explanation(case)}"


def case_of(
    nbytes: int,
    figures: SnapshotFigures,
    settings: Mapping[str, object],
    *,
    stream: int,
    pool: tuple[int, int],
    device_free: int | None,
    device_total: int | None,
    limit: int | None,
) -> Case:
    """Return the case of a request, with the pool that should have served it.

    Arguments:
        nbytes: the requested bytes.
        figures: the figures of the device.
        settings: the allocator's settings.
        stream, pool, device_free, device_total, limit: as in `explain`.
    """
    most_small = settings.get("small_size")
    kind = "small" if nbytes <= (most_small if type(most_small) is int else SMALL) else "large"
    none = PoolFigures(pool, stream, kind, 0, 0, 0, 0)
    own = next((pool_ for pool_ in figures.pools if pool_[:3] == none[:3]), none)
    return Case(nbytes, figures, own, settings, device_free, device_total, limit)


def explanation(case: Case) -> str:
    """Return the lines after the first: the figures, the holders of the memory, and remedies."""
    figures = case.figures
    lines = [*_state(case), *_holders("live bytes by allocating line", figures.lines, figures)]
    if len(figures.modules) > 1 or len(figures.lines) > 1:
        lines += _holders("live bytes by module", figures.modules, figures)
    return "\n".join([*lines, "what would help", *(f"  * {sentence}" for sentence in advice(case))])


def _requested(case: Case, device: int, place: str | None) -> str:
    own = case.own
    where = f" on device {device}" if place is None else ""
    if own.pool != (0, 0):
        where += f", private pool {own.pool}"
    if own.stream:
        where += f", stream {own.stream}"
    return f"{format_bytes(case.nbytes)}{'' if place is None else f' of {place}'} requested{where}"


def _state(case: Case) -> list[str]:
    """Return the figures, one per line."""
    figures, own, lines = case.figures, case.own, []

    def line(name: str, nbytes: int, rest: str = "") -> None:
        lines.append(f"  {name:<15}{format_bytes(nbytes):>9}{'  ' if rest else ''}{rest}")

    if case.device_total is not None:
        line("device", case.device_total)
    if case.device_free is not None:
        line("device free", case.device_free)
    if case.limit is not None:
        line("limit", case.limit)
    line("reserved", figures.reserved, f"in {counted(figures.segments, 'segment')}")
    rounding = figures.allocated - figures.requested
    also = f", of which {format_bytes(rounding)} are rounding" if rounding else ""
    line("in use", figures.allocated, f"in {counted(figures.live_blocks)}{also}")
    if figures.waiting:
        line("waiting", figures.waiting, "freed, but other streams may still use them")
    line("free", figures.free, f"in {counted(figures.free_blocks)}")
    if figures.free or own.stream or own.pool != (0, 0):
        line("this pool's", own.free, f"of the free bytes ({own})")
    if figures.free:
        fits = "fits" if own.largest_free >= case.nbytes else "too small"
        line("largest block", own.largest_free, f"of this pool's: {fits}; {format_bytes(figures.largest_free)} of all")
        share = percent(figures.free - figures.largest_free, figures.free)
        lines.append(f"  {'fragmentation':<15}{share:>9}  of the free bytes are outside the largest free block")
    return lines


def _holders(title: str, holders: Sequence[Holder], figures: SnapshotFigures) -> list[str]:
    if not holders or [holder.name for holder in holders] == [str(UNKNOWN)]:
        return []
    lines = [title]
    for holder in holders[:MAX_ROWS]:
        share = percent(holder.nbytes, figures.allocated)
        lines.append(f"  {format_bytes(holder.nbytes):>9} {share:>4}  {holder.name}  ({counted(holder.blocks)})")
    rest = holders[MAX_ROWS:]
    if rest:
        nbytes = sum(holder.nbytes for holder in rest)
        lines.append(f"  {format_bytes(nbytes):>9} {percent(nbytes, figures.allocated):>4}  {len(rest)} others")
    return lines
