"""How much an allocator may take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._options import UNBOUNDED

if TYPE_CHECKING:
    from .._core import Core
    from ..drivers.protocol import Driver


class Budget:
    """The most bytes that an allocator may take from its driver, in bytes and as a part of what the driver has."""

    __slots__ = ("fraction", "limit")

    def __init__(self, limit: int | None):
        self.limit = limit
        self.fraction: float | None = None

    def nbytes(self, driver: Driver) -> int:
        """The bytes; UNBOUNDED where nothing bounds them."""
        nbytes = UNBOUNDED if self.limit is None else self.limit
        if self.fraction is not None:
            nbytes = min(nbytes, int(self.fraction * driver.memory_info()[1]))
        return nbytes

    def allows(self, core: Core, driver: Driver, more: int) -> bool:
        """Whether so many bytes may be taken beside those of the books."""
        return core.reserved() + more <= self.nbytes(driver)
