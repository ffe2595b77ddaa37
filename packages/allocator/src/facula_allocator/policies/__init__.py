"""Policies: drivers over drivers, each of which does one thing, in any order and number.

`CachingAllocator(Limit(Statistics(HostDriver()), 1 << 30))` counts what it takes from the system and takes at most
1 GiB. A policy may also lie between two allocators: `Pool` is an allocator seen as a driver.

May import: what the package may. Where next: `_policy.py`, what all have in common and how to write one.
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
