"""Definite assignment: the memory that is certainly written before a launch reads it, under conditions and loops.

Note [Path conditions]
~~~~~~~~~~~~~~~~~~~~~~
A launch runs on a *path*. The path contains, for each enclosing condition, its float32, the launch as of which it is
read, and whether it is 0; for each enclosing loop, the fact that its body runs. A write on a path is visible to
launches on the same path or a narrower one. A write on both branches of a condition is visible without the condition.

A single traversal of the launches in order suffices, even for loops: a write before an iteration is still visible in
the next one, since writes are never undone. Conditions, however, change. A float32 that a loop writes is therefore a
different condition inside this loop than outside. One that backward passes write is a different condition in each of
them, since these may run repeatedly.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Any

from facula_errors import FaculaError
from facula_storage import bool_

from .._recording.records import Address
from .jumps import Region, regions_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from .._recording.recording import Recording

    Path = frozenset[tuple[Any, ...]]
    Known = tuple[Path, ...]

EVERYWHERE: Known = (frozenset(),)
MAX_PATHS = 16  # paths per block; others are ignored
MAX_DEPTH = 100  # nesting depth of conditions and loops


class DisorderError(FaculaError):
    """An invalid order of launches; `problem` has a placeholder for the name of `block`, which `launch` uses."""

    def __init__(self, problem: str, block: int = -1, launch: int = -1):
        super().__init__(problem.format(f"block {block}"))
        self.problem, self.block, self.launch = problem, block, launch


class Extent:
    """The memory of a block: its size in bytes, the dtype of its elements, and the paths on which it is written, partly
    or as a whole.
    """

    __slots__ = ("dtype", "is_new", "nbytes", "whole", "written")

    def __init__(self, nbytes: int, dtype: Any, is_new: bool):
        self.nbytes, self.dtype, self.is_new = nbytes, dtype, is_new
        self.written: Known = () if is_new else EVERYWHERE
        self.whole = self.written


def check_order(made: Recording, extents: Sequence[Extent]) -> None:
    """Check a complete graph.

    Arguments:
        made: a recording with launches, jumps, results and backward passes.
        extents: the extents of its blocks, to which written paths are added.

    Raises:
        DisorderError: jumps do not nest or leave their part, a launch reads memory that is not certainly written
            before, or a result is not certainly written.
    """
    order = _Order(made, extents)
    regions = regions_of(made.recorder)
    starts = [region.start for region in regions]
    parts = [(0, made.boundary_at, made.outputs)]
    parts += [(pass_.start, pass_.stop, [k.block for k in pass_.grads if k is not None]) for pass_ in made.passes]
    for number, (start, stop, results) in enumerate(parts):
        order.look(number, start, stop, regions[bisect_left(starts, start) : bisect_left(starts, stop)])
        for block in results:
            if extents[block].nbytes and not _is_covered(extents[block].written, frozenset()):
                raise DisorderError("{} is a result that is never written", block)
        order.leave(number)


def disorder_of(recording: Recording) -> DisorderError | None:
    """Return the error of an invalid order: on some path, memory is read before it is written. None if the order
    is valid.
    """
    extents = [
        Extent(0 if block.layout is None else block.layout.extent, None, block.is_new and number not in recording.fixed)
        for number, block in enumerate(recording.recorder.blocks)
    ]
    try:
        check_order(recording, extents)
    except DisorderError as error:
        return error
    return None


class _Order:
    """A traversal of the launches, part by part, which stores the writes in `extents`."""

    def __init__(self, made: Recording, extents: Sequence[Extent]):
        self.made, self.extents = made, extents
        self.before: list[tuple[Extent, Known, Known]] = []  # the changes of this part
        recorder = made.recorder
        conditions = [skip.condition for skip in recorder.skips] + [loop.condition for loop in recorder.loops]
        self.writes: dict[int, list[int]] = {condition.block: [] for condition in conditions}
        for number, launch in enumerate(made.launches):
            for argument in launch.arguments:
                if type(argument) is Address and argument.written and argument.block in self.writes:
                    self.writes[argument.block].append(number)

    def look(self, part: int, start: int, stop: int, regions: Iterable[Region]) -> None:
        """Check the launches of a part: 0 for the call, k for the k-th backward pass."""
        todo = iter(regions)
        coming = next(todo, None)
        around: list[tuple[Region, Path]] = []
        path: Path = frozenset()
        asked: dict[int, list[tuple[Region, Path]]] = {}  # loops, by the launch after which their condition is tested
        for number in range(start, stop):
            while around and around[-1][0].stop == number:
                path = around.pop()[1]
            while coming is not None and coming.start == number:
                _check_nested(coming, around, stop)
                around.append((coming, path))
                if coming.is_loop:
                    asked.setdefault(coming.jump.body, []).append((coming, path))  # type: ignore[union-attr]
                else:
                    path |= {self._literal(coming, part, around, path)}
                coming = next(todo, None)
            for argument in self.made.launches[number].arguments:
                if type(argument) is Address:
                    self._met(argument, path, number)
            for region, outside in asked.pop(number + 1, ()):
                self._check_condition(region, part, outside)

    def leave(self, part: int) -> None:
        """End a part: writes of a backward pass are not visible to the next one."""
        if part:
            for extent, written, whole in reversed(self.before):
                extent.written, extent.whole = written, whole
        self.before = []

    def _literal(self, region: Region, part: int, around: list[tuple[Region, Path]], path: Path) -> tuple[Any, ...]:
        """Return the fact that holds in a region: in a loop body, that it runs; otherwise its condition."""
        if region.is_step:
            return (region.start, region.stop)
        self._check_condition(region, part, path)
        block, writes = region.jump.condition.block, self.writes[region.jump.condition.block]
        changing = [
            outer.start for outer, _ in around if outer.is_loop and _any_between(writes, outer.start, outer.stop)
        ]
        again = part if part and _any_between(writes, self.made.boundary_at, len(self.made.launches)) else 0
        when = (bisect_left(writes, region.start), again, *changing)
        return block, region.jump.condition.offset, when, region.jump.at_zero  # type: ignore[union-attr]

    def _check_condition(self, region: Region, part: int, path: Path) -> None:
        block = region.jump.condition.block
        if not _is_covered(self.extents[block].written, path):
            raise DisorderError("{} decides what runs before it is written", block)
        if part and (not self.extents[block].is_new or block in self.made.outputs):
            raise DisorderError("{}, which a program may change, decides what a backward pass runs", block)

    def _met(self, address: Address, path: Path, launch: int) -> None:
        """Check a read, or add a write, of a launch."""
        extent, layout = self.extents[address.block], address.layout
        if layout is None or not layout.numel:
            return
        if not address.written:
            if not _is_covered(extent.whole if extent.dtype is bool_ else extent.written, path):
                raise DisorderError("reads {}, which is not written before", address.block, launch)
            return
        is_whole = layout.numel * layout.dtype.itemsize == extent.nbytes
        if extent.whole is not EVERYWHERE:
            self.before.append((extent, extent.written, extent.whole))
            extent.written = _with(extent.written, path)
            extent.whole = _with(extent.whole, path) if is_whole else extent.whole


def _check_nested(region: Region, around: Sequence[tuple[Region, Path]], stop: int) -> None:
    """Raise DisorderError for a region that crosses the end of the innermost enclosing one or of its part."""
    inner = around[-1][0] if around else None
    if region.stop > (stop if inner is None else inner.stop):
        raise DisorderError(
            f"the launches from {region.start} to {region.stop}, which a condition decides about, are cut in two"
        )
    is_own = inner is not None and inner.jump is region.jump
    asks = inner is not None and inner.is_loop and region.stop > inner.jump.body  # type: ignore[union-attr]
    if region.is_step is not is_own or (asks and not is_own):
        raise DisorderError(f"the loop from {region.start} is cut in two by what a condition decides about")
    if inner is not None and inner.is_loop and inner.start == region.start and not region.is_loop:
        raise DisorderError(f"the loop from {inner.start} begins with what a condition leaves out")
    if inner is not None and inner[:2] == region[:2] and inner.is_loop and region.is_loop:
        raise DisorderError(f"two loops consist of the launches from {region.start} to {region.stop}")
    if len(around) >= MAX_DEPTH:
        raise DisorderError(f"more than {MAX_DEPTH} conditions and loops are nested")


def _any_between(numbers: Sequence[int], start: int, stop: int) -> bool:
    return bisect_left(numbers, start) < bisect_left(numbers, stop)


def _is_covered(known: Known, path: Path) -> bool:
    """Return True if writes on these paths are visible on this one."""
    return known is EVERYWHERE or any([condition <= path for condition in known])


def _with(known: Known, path: Path) -> Known:
    """Return the paths on which a block is written, after a write on a further one."""
    if not path:
        return EVERYWHERE
    if _is_covered(known, path):
        return known
    for literal in path:
        if len(literal) == 4:  # of a condition
            *which, holds = literal
            opposite = (path - {literal}) | {(*which, not holds)}
            if any([condition <= opposite for condition in known]):
                return _with(known, path - {literal})
    return known if len(known) >= MAX_PATHS else (*known, path)
