"""Lending: idle memory of one stream serves another stream, which waits for the first.

Note [Lent memory goes home]: a lent block belongs to the borrowing stream, which may reuse it immediately, until memory
becomes short. If lent pieces stayed lent, they would keep their neighbours from merging forever. So they are recalled
before a new segment is requested; each segment's own stream waits for the borrower's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..drivers.protocol import DriverError

if TYPE_CHECKING:
    from .._core import Block, Core
    from ..drivers.protocol import Driver


def borrow(core: Core, driver: Driver, nbytes: int, stream: int, pool: int) -> Block | None:
    """Return the best idle block of another stream of the pool, ordered after that stream's work; None if none fits.

    Arguments:
        core: the allocator's core.
        driver: orders the streams; if it refuses, the result is None.
        nbytes: the requested bytes.
        stream: the borrowing stream.
        pool: the private pool, 0 for none.
    """
    found: list[tuple[Block, int] | None] = []
    try:
        found.extend(map(core.borrow, (nbytes,), (stream,), (pool,)))  # see Note [Ctrl-C]
        if found[0] is None:
            return None
        block, lender = found[0]
        _order_streams(driver, lender, stream)
    except BaseException as error:
        for block, lender in filter(None, found):
            core.undo_borrow(block, lender)
            block.free()
        if isinstance(error, DriverError):
            return None
        raise
    return block


def recall(core: Core, driver: Driver, pool: int) -> bool:
    """Recall idle lent memory of the pool to its own stream and merge it; return whether there was any."""
    lent = core.lent(pool)
    try:
        for borrower, home in lent:
            epoch = core.begin_epoch()  # memory freed from now on may be used after the event
            _order_streams(driver, borrower, home)
            core.recall(pool, borrower, home, epoch)
    except DriverError:
        pass  # the others stay lent
    return bool(lent)


def _order_streams(driver: Driver, first: int, then: int) -> None:
    """Make work queued on `then` from now on wait for work already queued on `first`."""
    event = driver.record_event(first)
    try:
        driver.wait_event(then, event)
    finally:
        driver.free_event(event)
