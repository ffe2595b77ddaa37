"""Policies: drivers that wrap drivers. Each adds one feature, and they combine in any order and number.

`CachingAllocator(Limit(Statistics(HostDriver()), 1 << 30))` counts the memory that it takes from the system and takes
at most 1 GiB. A policy may also separate two allocators: `Pool` presents an allocator as a driver.

May import: the same modules as the package. Start with `_policy.py`, the base class, which explains how to write one.
"""

from facula_errors.extend import published as _published

from ._fallback import Fallback
from ._history import Call, History
from ._limit import Limit
from ._policy import Policy
from ._pool import Pool
from ._statistics import Figures, Statistics
from ._tracking import Tracked, Tracking

__all__ = ["Call", "Fallback", "Figures", "History", "Limit", "Policy", "Pool", "Statistics", "Tracked", "Tracking"]


__dir__ = _published(__name__)
