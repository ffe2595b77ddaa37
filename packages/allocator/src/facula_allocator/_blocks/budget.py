"""The limit on an allocator's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._options import UNBOUNDED

if TYPE_CHECKING:
    from .._core import Core
    from ..drivers.protocol import Driver


class Budget:
    """The most bytes that an allocator may take from its driver, in bytes and as a fraction of the driver's memory."""

    __slots__ = ("fraction", "limit")

    def __init__(self, limit: int | None):
        self.limit = limit
        self.fraction: float | None = None

    def nbytes(self, driver: Driver) -> int:
        """Return the limit in bytes; UNBOUNDED if there is none."""
        nbytes = UNBOUNDED if self.limit is None else self.limit
        if self.fraction is not None:
            nbytes = min(nbytes, int(self.fraction * driver.memory_info()[1]))
        return nbytes

    def allows(self, core: Core, driver: Driver, more: int) -> bool:
        """Whether `more` bytes may be taken in addition to the reserved ones."""
        return core.reserved() + more <= self.nbytes(driver)
