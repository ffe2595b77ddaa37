"""The explanation that an out-of-memory error contains after its first line, computed from the core block by block.

No Python object is created per block, so an allocator with very many blocks explains the error as quickly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._observers.stacks import StackLines
from .._reports.call_sites import UNKNOWN
from ..snapshots._explain import case_of, explanation
from ..snapshots._figures import SegmentRow, figures_of_rows
from .memory_summary import BLOCK_STATES, SEGMENT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .._core import Core
    from .._observers.event_history import EventHistory
    from ..drivers.protocol import Driver


def oom_message(
    core: Core,
    driver: Driver,
    history: EventHistory | None,
    settings: Mapping[str, object],
    *,
    nbytes: int,
    stream: int,
    pool: int,
    limit: int | None,
) -> str:
    """Return the counters, the holders of the memory, and suggestions.

    Arguments:
        core: the allocator's core.
        driver: the driver of the memory.
        history: the event history with allocating stacks, if one is recorded.
        settings: the allocator's settings, as snapshots store them.
        nbytes, stream, pool: the request; `pool` is the number of a private pool, 0 for none.
        limit: the most bytes that may be reserved.
    """
    lines = StackLines()
    unknown = str(UNKNOWN), str(UNKNOWN)

    def holder(address: Any) -> tuple[str, str]:
        return unknown if history is None else lines.holder(history.block_stack(address))

    figures = figures_of_rows(_segment_rows(core), holder)
    device_free, device_total = driver.memory_info()
    case = case_of(
        nbytes, figures, {**settings, "capturing": driver.is_capturing()}, stream=stream, pool=(0, pool),
        device_free=device_free, device_total=device_total, limit=limit,
    )  # fmt: skip
    return explanation(case)


def _segment_rows(core: Core) -> Iterator[SegmentRow]:
    for _, total, stream, pool, kind, _, blocks in core.snapshot():
        rows = ((size, requested, BLOCK_STATES[state], user, at) for at, size, requested, state, user in blocks)
        yield SegmentRow((0, pool), stream, SEGMENT_KINDS[kind], total, rows)
