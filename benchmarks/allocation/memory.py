"""Large results, whose time is that of fresh or reused memory.

PyTorch allocates results of this size from the operating system, page by page, each time. A C library that keeps
freed memory avoids this (the runner starts a second process with such settings), so that is measured too.
"""

from __future__ import annotations

import os
from typing import Any

from ..libraries import Rows
from ..measure import Loop

rows = Rows()
LENGTH = 1 << 24


def add(F: Any) -> Loop:
    a, b = F.ones(LENGTH), F.ones(LENGTH)

    def loop(times):
        for _ in times:
            a + b

    return loop


if "MALLOC_MMAP_THRESHOLD_" in os.environ:
    rows.row("a + b, 16M elements, other: malloc tuned", reference="PyTorch, malloc tuned", seconds=0.1)(add)
else:
    rows.row("a + b, 16M elements", 0.3, seconds=0.1)(add)
