"""Idle memory of one stream that serves another, which waits for the first.

Note [Lent memory goes home]: a lent block belongs to the borrower, who reuses it at once, until memory is short: left
where they are, lent pieces would keep their neighbours from merging for ever. Before a new segment is asked for they
go home, each segment's own stream waiting for the borrower's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..drivers.protocol import DriverError

if TYPE_CHECKING:
    from .._core import Block, Core
    from ..drivers.protocol import Driver


def borrow(core: Core, driver: Driver, nbytes: int, stream: int, pool: int) -> Block | None:
    """The best idle block of another stream of the pool, ordered after that stream's work; None where none fits.

    Arguments:
        core: the books.
        driver: what orders the streams; where it refuses, there is no block.
        nbytes: the bytes that are wanted.
        stream: the borrower.
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
    """Let idle lent memory of the pool go home, where it merges; whether there was any."""
    lent = core.lent(pool)
    try:
        for borrower, home in lent:
            epoch = core.begin_epoch()  # what is freed from now on may be used after the event
            _order_streams(driver, borrower, home)
            core.recall(pool, borrower, home, epoch)
    except DriverError:
        pass  # the others stay lent
    return bool(lent)


def _order_streams(driver: Driver, first: int, then: int) -> None:
    """Let work queued on `then` from now on come after what is queued on `first`."""
    event = driver.record_event(first)
    try:
        driver.wait_event(then, event)
    finally:
        driver.free_event(event)
